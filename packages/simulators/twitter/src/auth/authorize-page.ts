import type { WireAnswer, WireRequest } from "@troupe/simulator-wire";
import { findByUsername, type World } from "../world/world.ts";
import { approve, deny, formOf, readWish, type TokenParts } from "./oauth2.ts";

/** The page on which a person lets an app in, and what its buttons do. */
export function answerAuthorize(parts: TokenParts & { readonly world: World }, request: WireRequest): WireAnswer {
  const wish = readWish(parts.registry, request.query);
  if (typeof wish === "string") return page(400, `<p>Something went wrong: ${escape(wish)}.</p>`);
  if (request.method === "GET") {
    const users = [...parts.world.users.values()].filter(({ standing }) => standing === "active");
    const buttons = users.map(
      ({ username }) => `<button name="username" value="${escape(username)}">@${escape(username)}</button>`,
    );
    const list = wish.scopes.map((scope) => `<li>${escape(scope)}</li>`).join("");
    return page(
      200,
      `<h1>${escape(wish.app.name)} wants to access your account</h1><ul>${list}</ul>` +
        `<form method="post"><p>Authorize as ${buttons.join(" ")}</p><button name="deny" value="yes">Cancel</button></form>`,
    );
  }
  const form = formOf(request);
  if (form.get("deny") !== undefined) return { status: 302, headers: { location: deny(wish) } };
  const user = findByUsername(parts.world, form.get("username") ?? "");
  if (user?.standing !== "active") return page(400, "<p>Something went wrong: there is no such account.</p>");
  return { status: 302, headers: { location: approve(parts, wish, user.id) } };
}

function page(status: number, body: string): WireAnswer {
  return {
    status,
    headers: { "content-type": "text/html; charset=utf-8" },
    body: `<!doctype html><meta charset="utf-8"><title>Authorize</title>${body}`,
  };
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
