import { crc32 } from "node:zlib";

/** Packs files into an archive without compressing them. Names in UTF-8; sizes below 4 GB. @see APPNOTE.TXT 4.3 */
export function writeZip(files: ReadonlyMap<string, Uint8Array>): Buffer {
  const local: Buffer[] = [];
  const central: Buffer[] = [];
  let offset = 0;
  for (const [name, content] of files) {
    const encoded = Buffer.from(name, "utf8");
    const common = commonHeader(content, encoded.length);
    const head = Buffer.concat([Buffer.from("PK\x03\x04", "latin1"), common, encoded]);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(offset, 10);
    central.push(Buffer.from("PK\x01\x02\x14\0", "latin1"), common, place, encoded);
    local.push(head, Buffer.from(content.buffer, content.byteOffset, content.byteLength));
    offset += head.length + content.length;
  }
  const directory = Buffer.concat(central);
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06", "latin1");
  end.writeUInt16LE(files.size, 8);
  end.writeUInt16LE(files.size, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...local, directory, end]);
}

/** What the local and the central header share: version, flags, method, time, checksum, sizes, lengths. */
function commonHeader(content: Uint8Array, nameLength: number): Buffer {
  const header = Buffer.alloc(26);
  header.writeUInt16LE(20, 0);
  header.writeUInt16LE(0x800, 2);
  header.writeUInt32LE(crc32(content), 10);
  header.writeUInt32LE(content.length, 14);
  header.writeUInt32LE(content.length, 18);
  header.writeUInt16LE(nameLength, 22);
  return header;
}
