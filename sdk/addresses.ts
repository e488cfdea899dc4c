// IP addresses: their reach, and the clients that they belong to. IPv6 has many ways to carry an IPv4 address, and each
// leads to that address, so both are judged alike.
import { BlockList, isIP } from 'node:net'

/**
 * `link_local`: only this link, where clouds publish the credentials of a machine; `private`: the machine itself, the
 * private network, or no host; `public`: the internet.
 */
export type AddressReach = 'link_local' | 'private' | 'public'

const PRIVATE = new BlockList()
for (const [network, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const)
  PRIVATE.addSubnet(network, bits, 'ipv4')
for (const [network, bits] of [
  ['::', 127],
  // NAT64 of the private network, RFC 8215.
  ['64:ff9b:1::', 48],
  ['fc00::', 7],
  ['fec0::', 10],
  ['ff00::', 8],
] as const)
  PRIVATE.addSubnet(network, bits, 'ipv6')

/**
 * The reach of an IP address; undefined for anything else, for example a name. Brackets and a zone make no difference.
 * An IPv6 address that carries an IPv4 address reaches no further than that.
 *
 * Mapped and compatible addresses: RFC 4291; translated: RFC 2765; NAT64: RFC 6052, RFC 8215; 6to4: RFC 3056; Teredo: RFC 4380;
 * ISATAP: RFC 5214.
 */
export function addressReach(address: string): AddressReach | undefined {
  const plain = withoutZone(address)
  const family = isIP(plain)
  if (family === 0) return undefined
  if (family === 4) return reachOf4(plain)
  const groups = groupsOf(plain)
  if (((groups[0] as number) & 0xffc0) === 0xfe80) return 'link_local'
  const found = carriedBy(groups).map(reachOf4)
  if (found.includes('link_local')) return 'link_local'
  return found.includes('private') || PRIVATE.check(plain, 'ipv6') ? 'private' : 'public'
}

/**
 * Names the client that an address belongs to, for limits that apply per client: one may control a whole IPv6 network
 * (/64). An IPv4 address, also mapped to IPv6, is returned as such; any other text unchanged.
 *
 * @example clientGroup('2001:db8:1:2:3:4:5:6') // '2001:db8:1:2::/64'
 */
export function clientGroup(address: string): string {
  const plain = withoutZone(address)
  if (isIP(plain) !== 6) return address
  const groups = groupsOf(plain)
  if (groups[5] === 0xffff && groups.slice(0, 5).every((group) => group === 0))
    return ipv4(groups[6] as number, groups[7] as number)
  const network = groups.slice(0, 4).map((group) => group.toString(16))
  return `${network.join(':')}::/64`
}

const withoutZone = (address: string) => address.replace(/^\[|\]$/g, '').replace(/%.*$/, '')

function reachOf4(address: string): AddressReach {
  if (address.startsWith('169.254.')) return 'link_local'
  return PRIVATE.check(address, 'ipv4') ? 'private' : 'public'
}

/** Every IPv4 address that the address may lead to. */
function carriedBy(groups: readonly number[]): readonly string[] {
  const at = (first: number) => ipv4(groups[first] as number, groups[first + 1] as number)
  const starts = (...prefix: readonly number[]) => prefix.every((group, index) => groups[index] === group)
  const last = at(6)
  if (starts(0, 0, 0, 0, 0, 0)) return (groups[6] as number) === 0 && (groups[7] as number) < 2 ? [] : [last]
  if (starts(0, 0, 0, 0, 0, 0xffff) || starts(0, 0, 0, 0, 0xffff, 0) || starts(0x64, 0xff9b, 0, 0, 0, 0)) return [last]
  if (starts(0x64, 0xff9b, 1)) return [last, ...split(groups)]
  if (starts(0x2002)) return [at(1)]
  if (starts(0x2001, 0)) return [at(2), ipv4((groups[6] as number) ^ 0xffff, (groups[7] as number) ^ 0xffff)]
  const isIsatap = ((groups[4] as number) & 0xfdff) === 0 && groups[5] === 0x5efe
  return isIsatap ? [last] : []
}

/** The IPv4 address after a prefix of 48, 56 or 64 bits, without bits 64 to 71. */
function split(groups: readonly number[]): readonly string[] {
  const bytes = groups.flatMap((group) => [group >> 8, group & 0xff])
  return [6, 7, 8].map((first) => {
    const after = bytes.filter((_, index) => index >= first && index !== 8)
    return after.slice(0, 4).join('.')
  })
}

function ipv4(high: number, low: number): string {
  return [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.')
}

function groupsOf(address: string): readonly number[] {
  // The URL parser accepts all spellings and writes one.
  const written = new URL(`http://[${address}]`).hostname.slice(1, -1)
  const [before = '', after] = written.split('::')
  const read = (text: string) => (text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16)))
  const [first, second] = [read(before), read(after ?? '')]
  return [...first, ...new Array<number>(8 - first.length - second.length).fill(0), ...second]
}
