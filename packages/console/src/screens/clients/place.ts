/** The endpoint of an organization that a client is to use: its address, and a name for it that no other endpoint has. */
export type McpEndpoint =
  | { readonly kind: 'all' }
  | { readonly kind: 'toolset'; readonly toolset: string }
  | { readonly kind: 'connection'; readonly connection: string }

/**
 * The path of the endpoint. `alone`: whoever asks is in this organization and no other, so that the short address is meant; else the
 * organization is said, and nobody is asked which.
 */
export function pathOf(organization: string, place: McpEndpoint, alone: boolean): string {
  if (place.kind === 'toolset') return `/o/${organization}/t/${place.toolset}/mcp`
  if (place.kind === 'connection') return `/api/v1/${organization}/connectors/${place.connection}/mcp`
  return alone ? '/mcp' : `/o/${organization}/t/default/mcp`
}

/** Clients refuse long names of tools, of which this is a part. */
const LONGEST = 40

/** The name that an endpoint has in clients, where two of one name would take each other's place. */
export function nameOf(organization: string, place: McpEndpoint): string {
  const inner =
    place.kind === 'all' ? '' : place.kind === 'toolset' ? `--${place.toolset}` : `--only-${place.connection}`
  const whole = `toolway-${organization}${inner}`
  return whole.length <= LONGEST ? whole : `${whole.slice(0, LONGEST - 7)}-${digestOf(whole)}`
}

/** Six characters that tell long names apart (FNV-1a). */
function digestOf(text: string): string {
  let hash = 0x811c9dc5
  for (const character of text) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0
  return hash.toString(36).padStart(6, '0').slice(-6)
}

/** Whether only this machine, or its own network, reaches that address. */
export function isNear(address: string): boolean {
  const { hostname } = new URL(address)
  return (
    /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname) ||
    /^(10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|169\.254\.|\[f[cd])/.test(hostname) ||
    /\.(local|internal|localhost|lan)$/.test(hostname) ||
    !/[.:]/.test(hostname)
  )
}
