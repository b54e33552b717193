/** The two names of each action: its own, and the one a vendor takes. */
export type ToolNames = {
  /** The name for the vendor; one that was not given at the start is made fit, but is nobody's. */
  toTool(action: string): string;
  /** The action's own name; a tool that was never offered keeps the name the model gave it. */
  toAction(tool: string): string;
};

const limitNameLength = 64;

/**
 * Names that every vendor takes: 1..64 letters, digits, `_` and `-`, beginning with a letter or `_`, no two alike. The same
 * list gives the same names; a name that is fit already stays as it is.
 */
export function createToolNames(actions: readonly string[]): ToolNames {
  const tools = new Map<string, string>();
  const owners = new Map<string, string>();
  // Names that need no change come first, so that no other can take them.
  const inOrder = [...actions.filter(isToolName), ...actions.filter((name) => !isToolName(name))];
  for (const action of inOrder) {
    if (tools.has(action)) continue;
    const tool = freeName(toSafeName(action), owners);
    tools.set(action, tool);
    owners.set(tool, action);
  }
  return {
    toTool: (action) => tools.get(action) ?? toSafeName(action),
    toAction: (tool) => owners.get(tool) ?? tool,
  };
}

/** Whether every vendor takes this name. */
export function isToolName(name: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/.test(name);
}

function toSafeName(name: string): string {
  const safe = name.trim().replace(/[^A-Za-z0-9_-]/gu, "_");
  return (/^[A-Za-z_]/.test(safe) ? safe : `_${safe}`).slice(0, limitNameLength);
}

function freeName(name: string, taken: ReadonlyMap<string, string>): string {
  let free = name;
  for (let count = 2; taken.has(free); count++) {
    const suffix = `_${count}`;
    free = name.slice(0, limitNameLength - suffix.length) + suffix;
  }
  return free;
}
