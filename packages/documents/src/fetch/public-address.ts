import { isIP } from "node:net";

/** The first bits of IPv4 addresses that belong to somebody's own network or to nobody. @see https://www.iana.org/assignments/iana-ipv4-special-registry */
const ownNetworks: readonly (readonly [string, number])[] = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 3],
];

/** True for an address that anybody on the internet reaches; false for private, loopback, link-local, reserved and malformed ones. */
export function isPublicAddress(address: string): boolean {
  const version = isIP(address);
  if (version === 4) return isPublicV4(address);
  return version === 6 && isPublicV6(address);
}

function isPublicV4(address: string): boolean {
  const value = toNumber(address);
  return !ownNetworks.some(([network, bits]) => value >>> (32 - bits) === toNumber(network) >>> (32 - bits));
}

function toNumber(address: string): number {
  return address.split(".").reduce((value, part) => ((value << 8) | Number(part)) >>> 0, 0);
}

/**
 * Of IPv6 only global unicast (2000::/3) is public, without the parts that carry an IPv4 address or are for documentation:
 * 2001::/23 (Teredo and other protocols), 2001:db8::/32, 2002::/16 (6to4), 3fff::/20.
 * @see https://www.iana.org/assignments/iana-ipv6-special-registry
 */
function isPublicV6(address: string): boolean {
  const [first = 0, second = 0] = address.split(":", 2).map((group) => Number.parseInt(group || "0", 16));
  if (first < 0x2000 || first > 0x3fff) return false;
  if (first === 0x2001 && (second < 0x200 || second === 0xdb8)) return false;
  return first !== 0x2002 && !(first === 0x3fff && second < 0x1000);
}
