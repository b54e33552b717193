import { randomText } from "./random-text.ts";

/** A file that was sent once. */
export type StoredFile = {
  readonly fileId: string;
  readonly uniqueId: string;
  readonly bytes: Uint8Array;
  readonly name: string;
  readonly mediaType: string;
  /** The Bot API's folder for its kind: photos, documents, voice … */
  readonly folder: string;
  readonly path: string;
};

/** All files, by id and by the path they are downloaded from. */
export type FileStore = {
  add(file: {
    readonly bytes: Uint8Array;
    readonly name: string;
    readonly mediaType: string;
    readonly folder: string;
  }): StoredFile;
  byId(fileId: string): StoredFile | null;
  byPath(path: string): StoredFile | null;
};

/** Makes an empty store. */
export function createFileStore(random: () => number): FileStore {
  const byId = new Map<string, StoredFile>();
  const byPath = new Map<string, StoredFile>();
  return {
    add({ bytes, name, mediaType, folder }) {
      const [extension = ""] = /\.[a-z0-9]{1,8}$/i.exec(name) ?? [];
      const file: StoredFile = {
        fileId: `AgAC${randomText(random, 68)}`,
        uniqueId: `AQAD${randomText(random, 12)}`,
        bytes,
        name,
        mediaType,
        folder,
        path: `${folder}/file_${byId.size}${extension}`,
      };
      byId.set(file.fileId, file);
      byPath.set(file.path, file);
      return file;
    },
    byId: (fileId) => byId.get(fileId.replace(/@\d+$/, "")) ?? null,
    byPath: (path) => byPath.get(path) ?? null,
  };
}
