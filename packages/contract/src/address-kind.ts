/**
 * Classifies an address: public, private, carriers' shared space, or one that must never be reached.
 *
 * It only classifies; whatever opens connections (the gateway’s `upstreams/http/agent.ts`, the toolkit’s `crawl/connector.ts`) decides which class may be reached. Only ranges known to be public are public; every other
 * range, also one that is assigned later, is refused until it is listed here.
 */
import ipaddr from 'ipaddr.js'

/** `never`: clouds' credentials, other networks in disguise, and what is no address of a server at all. */
export type AddressKind = 'public' | 'private' | 'shared' | 'never'

type Network = [ipaddr.IPv4 | ipaddr.IPv6, number]
const networks = (...texts: readonly string[]): Network[] => texts.map((text) => ipaddr.parseCIDR(text))

const PRIVATE = networks('10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '127.0.0.0/8', 'fc00::/7', '::1/128')
/** RFC 6598: between a carrier and its customers; networks laid over others use it, too. */
const SHARED = networks('100.64.0.0/10')
/** Where clouds hand out credentials outside of link-local: AWS, Google, Alibaba, Oracle, Azure. */
const METADATA = networks('fd00:ec2::/32', 'fd20:ce::/32', '100.100.100.200/32', '192.0.0.192/32', '168.63.129.16/32')
/** Given out to be reached (IANA), of which `ipaddr.js` knows most of what is set aside again. */
const GLOBAL = networks('2000::/3')
const SET_ASIDE = networks('3fff::/20')
/** Prefix of an ISATAP interface identifier (RFC 5214, section 6.1), apart from its u and g bits. */
const ISATAP = 0x5efe
const ISATAP_BITS = 0x0300

const isIn = (address: ipaddr.IPv4 | ipaddr.IPv6, among: readonly Network[]): boolean =>
  among.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits))

/** A text that is no address is `never`. IPv4 in IPv6 clothes (RFC 4291, section 2.5.5.2) is judged as IPv4. */
export function kindOf(text: string): AddressKind {
  if (!ipaddr.isValid(text)) return 'never'
  const address = ipaddr.process(text)
  if (isIn(address, METADATA)) return 'never'
  if (isIn(address, PRIVATE)) return 'private'
  if (isIn(address, SHARED)) return 'shared'
  if (address.range() !== 'unicast') return 'never'
  return address.kind() === 'ipv6' && !isGlobal(address as ipaddr.IPv6) ? 'never' : 'public'
}

function isGlobal(address: ipaddr.IPv6): boolean {
  const [, , , , fifth = 0, sixth] = address.parts
  if (sixth === ISATAP && (fifth & ~ISATAP_BITS) === 0) return false
  return isIn(address, GLOBAL) && !isIn(address, SET_ASIDE)
}

/** Whether all of a network is private or shared, so that it can be an exception. */
export function isPrivateNetwork(text: string): boolean {
  const [network, bits] = ipaddr.parseCIDR(text)
  return [...PRIVATE, ...SHARED].some(
    ([known, knownBits]) => known.kind() === network.kind() && bits >= knownBits && network.match(known, knownBits),
  )
}
