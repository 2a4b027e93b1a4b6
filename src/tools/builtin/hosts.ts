/**
 * Which hosts http_fetch may reach. An entry is a host (`example.com`), its subdomains (`*.example.com`), either with a port
 * (`localhost:8080`), an address or a range of them (`10.0.0.0/8`), or `*` for every public host. A private address can be
 * reached only if the address itself (or `localhost`) is listed, whatever name resolves to it.
 */
import { BlockList, isIP } from 'node:net'
import { ThinkonError } from '../../protocol/index.ts'

export type AllowedHosts = ReturnType<typeof allowedHosts>

export function allowedHosts(entries: readonly string[]) {
  const names: { host: string; port: string | null }[] = []
  const ranges = new BlockList()
  for (const entry of entries) {
    if (/^[0-9a-f.:]+\/\d+$/i.test(entry)) addRange(ranges, entry)
    else names.push(readEntry(entry))
  }
  for (const { host } of names) if (isIP(host)) ranges.addAddress(host, family(host))

  const inRanges = (address: string) => isIP(address) !== 0 && ranges.check(address, family(address))
  const listed = (host: string, port: string) =>
    names.some((name) => (name.port === null || name.port === port) && nameFits(name.host, host))
  return {
    entries,
    /** By name and port; an address also by range. */
    allowsUrl(url: URL): boolean {
      const host = hostOf(url)
      const isListedByPort = names.some((name) => name.host === host && name.port !== null)
      return listed(host, portOf(url)) || (!isListedByPort && inRanges(host))
    },
    /** Whether a request to this host may connect to the address. */
    allowsAddress(host: string, address: string): boolean {
      if (!isPrivate(address) || inRanges(address)) return true
      return host === 'localhost' && names.some((name) => name.host === 'localhost') && isLoopback(address)
    },
  }
}

/** Without the brackets of an IPv6 address and the final dot of a fully qualified name. */
export function hostOf(url: URL): string {
  return url.hostname
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
    .toLowerCase()
}

/** Not on the public internet: this machine, the local network, reserved ranges, and ranges that can map to these. */
export function isPrivate(address: string): boolean {
  return PRIVATE.check(address, family(address))
}

function isLoopback(address: string): boolean {
  return address === '::1' || address.replace(/^::ffff:/i, '').startsWith('127.')
}

const PRIVATE_IPV4 =
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.88.99.0/24 ' +
  '192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4'
const PRIVATE_IPV6 = [
  '::/96', // none, this machine, and IPv4 in the old notation
  '64:ff9b::/32', // IPv4 behind a translator
  '2001::/23', // Teredo and the like
  '2002::/16', // IPv4 in 6to4
  ...['100::/64', '2001:db8::/32', 'fc00::/7', 'fe80::/10', 'fec0::/10', 'ff00::/8'],
]
const PRIVATE = new BlockList()
for (const range of PRIVATE_IPV6) addRange(PRIVATE, range)
for (const range of PRIVATE_IPV4.split(' ')) {
  const [network, prefix] = range.split('/')
  addRange(PRIVATE, range)
  addRange(PRIVATE, `::ffff:${network}/${96 + Number(prefix)}`)
}

function family(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4'
}

function nameFits(listed: string, host: string): boolean {
  if (listed === '*') return !isIP(host) || !isPrivate(host)
  if (listed.startsWith('*.')) return host.endsWith(listed.slice(1)) && host.length > listed.length - 1
  return listed === host
}

function portOf(url: URL): string {
  return url.port || (url.protocol === 'https:' ? '443' : '80')
}

function readEntry(entry: string): { host: string; port: string | null } {
  const match = /^(\*|(?:\*\.)?[^\s/@:*[\]]+|\[[0-9a-f:.]+\]|[0-9a-f]*:[0-9a-f:.]+)(?::(\d{1,5}))?$/i.exec(
    entry.trim(),
  )
  const [, host = '', port = null] = match ?? []
  if (match === null) throw badEntry(entry)
  if (host === '*') return { host, port }
  if (isIP(host) === 6) return { host: hostOf(new URL(`http://[${host}]`)), port: null }
  const isWild = host.startsWith('*.')
  const bare = isWild ? host.slice(2) : host
  if (!URL.canParse(`http://${bare}`)) throw badEntry(entry)
  return { host: `${isWild ? '*.' : ''}${hostOf(new URL(`http://${bare}`))}`, port }
}

function addRange(ranges: BlockList, range: string): void {
  const [network = '', prefix] = range.split('/')
  if (isIP(network) === 0 || Number(prefix) > (isIP(network) === 4 ? 32 : 128)) throw badEntry(range)
  ranges.addSubnet(network, Number(prefix), family(network))
}

function badEntry(entry: string): ThinkonError {
  return new ThinkonError(
    'BAD_INPUT',
    `"${entry}" is not a host: write example.com, *.example.com, localhost:8080, 10.0.0.0/8 or *`,
  )
}
