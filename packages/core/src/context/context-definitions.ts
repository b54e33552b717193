import { ConfigError } from "../errors.ts";
import type { ContextDefinition, ContextRef } from "./context-definition.ts";
import type { ContextInput } from "./context-input.ts";
import type { ContextOutput } from "./scoped.ts";

/** What somebody brings: contexts, more ways into them, and outputs for all of them. */
export type BroughtContexts = {
  readonly contexts?: readonly ContextDefinition[];
  /** Further inputs of contexts, one's own or others'. */
  readonly inputs?: readonly InputTo[];
  /** Outputs in every context. */
  readonly outputs?: readonly ContextOutput[];
};

/** An input of a context that is defined elsewhere. */
export type InputTo = { readonly context: ContextDefinition; readonly input: ContextInput };

/** The kinds of contexts an agent has now. */
export type ContextDefinitions = {
  /** @throws ConfigError when a type is taken, naming who has it; nothing is added then. */
  add(owner: string, brought: BroughtContexts): void;
  /** Takes back what an owner brought. */
  remove(owner: string): void;
  get(type: string): ContextDefinition | null;
  /** The registered definition of a ref's type; its own, when there is none: it is known from then on. */
  current(ref: ContextRef): ContextDefinition;
  all(): readonly ContextDefinition[];
  /** Outputs in every context. */
  outputs(): readonly ContextOutput[];
  /** Every input with its context. */
  inputs(): readonly InputTo[];
};

/** No context yet. */
export function createContextDefinitions(): ContextDefinitions {
  const owners = new Map<string, Required<BroughtContexts>>();
  const adopted = new Map<string, ContextDefinition>();
  const registered = (): readonly ContextDefinition[] => [...owners.values()].flatMap(({ contexts }) => contexts);
  const get = (type: string): ContextDefinition | null =>
    registered().find((definition) => definition.type === type) ?? adopted.get(type) ?? null;
  return {
    add(owner, { contexts = [], inputs = [], outputs = [] }) {
      const taken = new Map([...owners].flatMap(([name, { contexts: own }]) => own.map(({ type }) => [type, name])));
      for (const { type } of contexts) {
        const holder = taken.get(type);
        if (holder !== undefined) {
          throw new ConfigError(
            "invalid",
            `${owner} brings the context ${type}, which ${holder} brings already; rename one, or leave one out`,
          );
        }
        taken.set(type, owner);
      }
      const before = owners.get(owner) ?? { contexts: [], inputs: [], outputs: [] };
      owners.set(owner, {
        contexts: [...before.contexts, ...contexts],
        inputs: [...before.inputs, ...inputs],
        outputs: [...before.outputs, ...outputs],
      });
    },
    remove: (owner) => void owners.delete(owner),
    get,
    current(ref) {
      const { definition } = ref;
      const known = get(definition.type);
      if (!known) adopted.set(definition.type, definition);
      return known ?? definition;
    },
    all: () => [
      ...registered(),
      ...[...adopted.values()].filter(({ type }) => !registered().some((one) => one.type === type)),
    ],
    outputs: () => [...owners.values()].flatMap(({ outputs }) => outputs),
    inputs: () => [
      ...registered().flatMap((context) => context.inputs.map((input) => ({ context, input }))),
      ...[...owners.values()].flatMap(({ inputs }) => inputs),
    ],
  };
}
