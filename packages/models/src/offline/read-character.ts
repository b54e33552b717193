/** An action the prompt offers. `schema` is the JSON schema of its parameters, as far as it could be read. */
export type OfferedAction = {
  readonly name: string;
  readonly similes: readonly string[];
  readonly description: string;
  readonly schema: ParameterSchema | undefined;
};

/** The part of a JSON schema the offline model fills in. */
export type ParameterSchema = {
  readonly properties: Readonly<Record<string, PropertySchema>>;
  readonly required: readonly string[];
};

/** One parameter of an action. */
export type PropertySchema = {
  readonly type: string;
  readonly description: string;
  readonly options: readonly string[];
  readonly hasDefault: boolean;
};

/** One exchange of the character's examples: what somebody said, what the character answered. */
export type ExampleExchange = { readonly asker: string; readonly asked: string; readonly answered: string };

/** How the prompt wants the answer. */
export type AnswerFormat = "json" | "text" | "xml";

/** What the system message says about the character and the answer. Sections that are missing are empty. */
export type CharacterSheet = {
  readonly name: string;
  readonly bio: readonly string[];
  readonly lore: readonly string[];
  readonly topics: readonly string[];
  readonly style: readonly string[];
  readonly knowledge: readonly string[];
  readonly examples: readonly ExampleExchange[];
  readonly actions: readonly OfferedAction[];
  readonly format: AnswerFormat;
};

const longestSystem = 200_000;
const headings: readonly (readonly [RegExp, string])[] = [
  [/^(?:about|bio)\b/i, "bio"],
  [/^lore\b/i, "lore"],
  [/^(?:topics|interests)\b/i, "topics"],
  [/^(?:style|adjectives)\b/i, "style"],
  [/^(?:knowledge|facts)\b/i, "knowledge"],
  [/^(?:how .{1,100} talks|(?:message )?examples)\b/i, "examples"],
  [/^(?:available )?actions\b/i, "actions"],
  [/^(?:answer|response|output)\b/i, "answer"],
];

/** Reads a system message. Any text gives a sheet: what is not understood is left out. */
export function readCharacter(system: string | undefined): CharacterSheet {
  const text = (system ?? "").slice(0, longestSystem);
  const sections = splitSections(text);
  const intro = sections.get("intro") ?? [];
  const name = /^you are ([^.,;:!?\n]{1,80})/i.exec(intro.join("\n").trim())?.[1]?.trim() ?? "";
  const section = (key: string): readonly string[] => sections.get(key) ?? [];
  const list = (key: string): readonly string[] =>
    section(key)
      .map(stripBullet)
      .filter((line) => line !== "");
  return {
    name,
    bio: list("bio"),
    lore: list("lore"),
    topics: list("topics")
      .flatMap((line) => line.split(/[,;、，،]/u))
      .map((topic) => topic.trim().replace(/\.$/, ""))
      .filter((topic) => topic !== ""),
    style: list("style"),
    knowledge: list("knowledge"),
    examples: readExamples(section("examples"), name),
    actions: section("actions").flatMap(readAction),
    format: system === undefined ? "text" : readFormat(section("answer").join("\n")),
  };
}

function splitSections(text: string): ReadonlyMap<string, readonly string[]> {
  const sections = new Map<string, string[]>();
  let current: string[] = [];
  sections.set("intro", current);
  for (const line of text.split("\n")) {
    const title = /^#{1,3} +(\S.*)$/.exec(line)?.[1];
    if (title === undefined) {
      current.push(line.trimEnd());
      continue;
    }
    const key = headings.find(([pattern]) => pattern.test(title))?.[1] ?? `other ${title}`;
    current = sections.get(key) ?? [];
    sections.set(key, current);
  }
  return sections;
}

function stripBullet(line: string): string {
  return line.replace(/^\s*[-*•]\s+/, "").trim();
}

function readFormat(answer: string): AnswerFormat {
  const places: readonly (readonly [AnswerFormat, number])[] = [
    ["json", answer.search(/\bJSON\b/i)],
    ["text", answer.search(/\bplain text\b/i)],
    ["xml", answer.search(/<response>|\bXML\b/i)],
  ];
  const found = places.filter(([, place]) => place >= 0).toSorted((a, b) => a[1] - b[1])[0];
  return found?.[0] ?? "json";
}

function readExamples(lines: readonly string[], name: string): readonly ExampleExchange[] {
  const exchanges: ExampleExchange[] = [];
  let asked: { readonly asker: string; readonly asked: string } | undefined;
  let answer: string[] | undefined;
  const close = (): void => {
    const answered = answer?.join("\n").trim();
    if (asked !== undefined && answered) exchanges.push({ ...asked, answered });
    if (answer !== undefined) asked = undefined;
    answer = undefined;
  };
  for (const line of lines) {
    const message = /^<message from="([^"]*)">(.*?)(?:<\/message>)?$/.exec(line);
    const spoken = message?.[1] === name ? message[2] : textAfterName(line, name);
    if (spoken !== undefined && name !== "") {
      close();
      answer = [unescapeText(spoken)];
    } else if (message?.[2] !== undefined) {
      close();
      asked = { asker: unescapeText(message[1] ?? ""), asked: unescapeText(message[2]) };
    } else if (line === "") {
      close();
    } else {
      answer?.push(unescapeText(line));
    }
  }
  close();
  return exchanges;
}

function textAfterName(line: string, name: string): string | undefined {
  return line.startsWith(`${name}:`) ? line.slice(name.length + 1).trim() : undefined;
}

/** Undoes the escaping of what strangers wrote. */
export function unescapeText(text: string): string {
  if (!text.includes("&")) return text;
  return text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", '"').replaceAll("&amp;", "&");
}

function readAction(line: string): readonly OfferedAction[] {
  const head = /^\s*[-*•]\s+\**([\p{L}\p{N}_-]{1,80})\**(.*)$/u.exec(line);
  const name = head?.[1];
  const rest = head?.[2];
  if (name === undefined || rest === undefined) return [];
  const cut = rest.indexOf("Parameters:");
  const said = cut < 0 ? rest : rest.slice(0, cut);
  const similes = /\((?:also|similes|aliases):? ([^)]{1,300})\)|Similes: ([^.]{1,300})/i.exec(said);
  return [
    {
      name,
      similes: (similes?.[1] ?? similes?.[2] ?? "")
        .split(/[,;]/)
        .map((word) => word.trim())
        .filter((word) => word !== ""),
      description: said.replace(/^[\s:—–-]+/u, "").trim(),
      schema: cut < 0 ? undefined : readSchema(rest.slice(cut + "Parameters:".length)),
    },
  ];
}

function readSchema(text: string): ParameterSchema | undefined {
  const end = text.lastIndexOf("}");
  return toParameterSchema(parseJson(text.slice(text.indexOf("{"), end + 1)));
}

/** What of a JSON schema can be filled in; undefined when it is no object. */
export function toParameterSchema(schema: unknown): ParameterSchema | undefined {
  if (!isRecord(schema)) return undefined;
  const given = isRecord(schema["properties"]) ? schema["properties"] : {};
  const properties: Record<string, PropertySchema> = {};
  for (const [key, value] of Object.entries(given)) {
    if (!isRecord(value)) continue;
    const options = [value["enum"], value["enumValues"]].find(Array.isArray) ?? [];
    properties[key] = {
      type: typeof value["type"] === "string" ? value["type"] : "string",
      description: typeof value["description"] === "string" ? value["description"] : "",
      options: options.filter((option: unknown) => typeof option === "string"),
      hasDefault: value["default"] !== undefined,
    };
  }
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  return { properties, required: required.filter((key: unknown) => typeof key === "string") };
}

/** The value of a JSON text; undefined when it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** True for a JSON object. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
