/** Texts without the address of a backend, which is nobody's outside the gateway (ledger S1-SEC-02). */

const MASK = '[backend]'

/** A name of one word is a word like others: it is taken out where it stands as an address, with its port or its scheme. */
export function createAddressMask({ origin, host, hostname }: URL): (text: string) => string {
  const bare = hostname.replace(/^\[|\]$/g, '')
  // A name of several, or an address of either kind.
  const telling = /[.:]/.test(bare)
  const spelt = [origin, origin.replaceAll('/', String.raw`\/`), host, ...(telling ? [hostname, bare] : [])]
  const named = spelt.filter((value) => value.includes(':') || telling)
  const parts = [...new Set(named)].sort((first, other) => other.length - first.length).map(escapePattern)
  const pattern = new RegExp(parts.join('|'), 'gi')
  return (text) => text.replace(pattern, MASK)
}

const escapePattern = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`)
