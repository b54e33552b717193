/** Elements whose content is never read. */
export const droppedElements: ReadonlySet<string> = new Set(
  "script style noscript template svg iframe object embed canvas audio video map select datalist head applet frameset".split(
    " ",
  ),
);

/** Elements around the text of a page, not part of it; outside its main part. */
export const surroundings: ReadonlySet<string> = new Set("nav aside footer menu".split(" "));

/** Elements that stand on lines of their own. */
export const blockElements: ReadonlySet<string> = new Set(
  "address article aside blockquote body center dd details dialog dir div dl dt fieldset figcaption figure footer form header hgroup hr html legend main menu nav option p search section summary caption tbody thead tfoot title".split(
    " ",
  ),
);

/** Roles of the elements around the text of a page. */
const surroundingRoles: ReadonlySet<string> = new Set(["navigation", "contentinfo", "search", "complementary"]);

/** True when the element's attributes keep it from being seen, or say that it is only around the text. */
export function isHidden(attributes: Readonly<Record<string, string>>, isMain: boolean): boolean {
  const role = attributes["role"];
  return (
    attributes["hidden"] !== undefined ||
    attributes["aria-hidden"] === "true" ||
    /(?:display\s*:\s*none|visibility\s*:\s*hidden)/iu.test(attributes["style"] ?? "") ||
    (!isMain && role !== undefined && surroundingRoles.has(role))
  );
}

/** Where a link leads, when it leads out of the page and is short enough to read. */
export function usefulLink(href: string | undefined): string | undefined {
  const url = href?.trim();
  if (url === undefined || url === "" || url.length > 1_000 || /[\s()]/u.test(url)) return undefined;
  return /^(?:#|javascript:|data:|vbscript:|blob:)/iu.test(url) ? undefined : url;
}
