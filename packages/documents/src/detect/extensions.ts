import type { DocumentFormat } from "../document.ts";

/** A format and, of source code, the language. */
export type KnownFormat = { readonly format: DocumentFormat; readonly language?: string };

const formats: Readonly<Record<DocumentFormat, string>> = {
  text: "txt text log srt vtt rst org adoc asciidoc tex lst nfo me",
  markdown: "md markdown mdown mkd mdx",
  html: "html htm xhtml shtml",
  pdf: "pdf",
  docx: "docx docm",
  csv: "csv",
  tsv: "tsv tab",
  json: "json jsonl ndjson json5 geojson webmanifest",
  yaml: "yaml yml",
  source: "",
};

const languages: Readonly<Record<string, string>> = {
  typescript: "ts mts cts tsx",
  javascript: "js mjs cjs jsx",
  python: "py pyi pyw",
  rust: "rs",
  go: "go",
  java: "java",
  kotlin: "kt kts",
  swift: "swift",
  c: "c h",
  cpp: "cc cpp cxx hpp hh hxx ino",
  csharp: "cs",
  fsharp: "fs fsx",
  php: "php",
  ruby: "rb rake gemspec",
  perl: "pl pm",
  lua: "lua",
  r: "r",
  julia: "jl",
  scala: "scala sc",
  groovy: "groovy gradle",
  clojure: "clj cljs edn",
  elixir: "ex exs",
  erlang: "erl hrl",
  haskell: "hs lhs",
  ocaml: "ml mli",
  lisp: "lisp el scm rkt",
  dart: "dart",
  zig: "zig",
  nim: "nim",
  objectivec: "m mm",
  sql: "sql",
  shell: "sh bash zsh fish",
  powershell: "ps1 psm1",
  batch: "bat cmd",
  solidity: "sol",
  css: "css scss sass less",
  vue: "vue",
  svelte: "svelte",
  xml: "xml xsd xsl xslt rss atom plist svg",
  toml: "toml",
  ini: "ini cfg conf properties env editorconfig",
  hcl: "tf hcl",
  protobuf: "proto",
  graphql: "graphql gql",
  diff: "diff patch",
  assembly: "asm s",
};

const byName: Readonly<Record<string, string>> = {
  dockerfile: "dockerfile",
  containerfile: "dockerfile",
  makefile: "makefile",
  gnumakefile: "makefile",
  "cmakelists.txt": "cmake",
  justfile: "makefile",
  jenkinsfile: "groovy",
  gemfile: "ruby",
  rakefile: "ruby",
};

const byExtension: ReadonlyMap<string, KnownFormat> = new Map([
  ...Object.entries(formats).flatMap(([format, extensions]) =>
    extensions
      .split(" ")
      .filter((extension) => extension !== "")
      // Object.entries forgets that the keys are formats.
      .map((extension): [string, KnownFormat] => [extension, { format: format as DocumentFormat }]),
  ),
  ...Object.entries(languages).flatMap(([language, extensions]) =>
    extensions.split(" ").map((extension): [string, KnownFormat] => [extension, { format: "source", language }]),
  ),
]);

/** The part behind the last dot of a name's last segment, lower case; undefined without one. */
export function extensionOf(name: string): string | undefined {
  const base = name.split(/[\\/]/u).at(-1) ?? "";
  const dot = base.lastIndexOf(".");
  return dot < 0 || dot === base.length - 1 ? undefined : base.slice(dot + 1).toLowerCase();
}

/** What a file's name says it is: by extension, or by names such as `Makefile`. */
export function formatOfName(name: string): KnownFormat | undefined {
  const base = (name.split(/[\\/]/u).at(-1) ?? "").toLowerCase();
  const language = byName[base];
  if (language !== undefined) return { format: "source", language };
  const extension = extensionOf(name);
  return extension === undefined ? undefined : byExtension.get(extension);
}

const mediaTypes: Readonly<Record<string, KnownFormat>> = {
  "text/markdown": { format: "markdown" },
  "text/x-markdown": { format: "markdown" },
  "text/html": { format: "html" },
  "application/xhtml+xml": { format: "html" },
  "application/pdf": { format: "pdf" },
  "application/x-pdf": { format: "pdf" },
  "application/vnd.openxmlformats-officedocument.wordprocessingml.document": { format: "docx" },
  "application/vnd.ms-word.document.macroenabled.12": { format: "docx" },
  "text/csv": { format: "csv" },
  "application/csv": { format: "csv" },
  "text/tab-separated-values": { format: "tsv" },
  "application/json": { format: "json" },
  "text/json": { format: "json" },
  "application/x-ndjson": { format: "json" },
  "application/yaml": { format: "yaml" },
  "application/x-yaml": { format: "yaml" },
  "text/yaml": { format: "yaml" },
  "text/x-yaml": { format: "yaml" },
  "text/javascript": { format: "source", language: "javascript" },
  "application/javascript": { format: "source", language: "javascript" },
  "application/typescript": { format: "source", language: "typescript" },
  "text/css": { format: "source", language: "css" },
  "text/xml": { format: "source", language: "xml" },
  "application/xml": { format: "source", language: "xml" },
  "application/sql": { format: "source", language: "sql" },
  "application/toml": { format: "source", language: "toml" },
};

/** What a media type says; undefined for those that say nothing (`text/plain`, `application/octet-stream`) or are unknown. */
export function formatOfMediaType(mediaType: string): KnownFormat | undefined {
  const known = mediaTypes[mediaType];
  if (known !== undefined) return known;
  if (mediaType.endsWith("+json")) return { format: "json" };
  if (mediaType.endsWith("+xml") && !mediaType.startsWith("image/")) return { format: "source", language: "xml" };
  const language = /^text\/x-([a-z]+)(?:-source|src)?$/u.exec(mediaType)?.[1];
  return language === undefined ? undefined : { format: "source", language };
}

const canonical: Readonly<Record<DocumentFormat, string>> = {
  text: "text/plain",
  markdown: "text/markdown",
  html: "text/html",
  pdf: "application/pdf",
  docx: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  csv: "text/csv",
  tsv: "text/tab-separated-values",
  json: "application/json",
  yaml: "application/yaml",
  source: "text/plain",
};

/** The media type by which a format is usually called. */
export function mediaTypeOf(format: DocumentFormat): string {
  return canonical[format];
}

/** For messages: what can be read. */
export const readableFormats =
  "plain text, Markdown, HTML, PDF, DOCX, CSV, TSV, JSON, YAML and source code can be read";
