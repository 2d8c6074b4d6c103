/**
 * The proxy variables that apply to an address. Node's own agents read them (24.5 and later, and 22.21 in its line); on an older
 * Node a warning is given. A proxy is never used for an address of this machine.
 */
import { isLoopback, type Variables } from './options.ts'

export interface Proxies {
  /** For the agents; undefined where none is to be used. */
  readonly proxies: Readonly<Record<string, string>> | undefined
  /** The warning about a variable that is set and has no effect. */
  readonly warning: string | undefined
}

const NONE: Proxies = { proxies: undefined, warning: undefined }
const NAMES = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy', 'NO_PROXY', 'no_proxy']

export function proxiesFor(url: URL, variables: Variables, node: string): Proxies {
  if (isLoopback(url)) return NONE
  const proxies = Object.fromEntries(NAMES.flatMap((name) => (variables[name] ? [[name, variables[name]]] : [])))
  const proxyVariable = url.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY'
  if (proxies[proxyVariable] === undefined && proxies[proxyVariable.toLowerCase()] === undefined) return NONE
  if (readsProxies(node)) return { proxies, warning: undefined }
  return {
    proxies: undefined,
    warning: `${proxyVariable} is set, but Node ${node} cannot use it: start the bridge with Node 24.5 or later.`,
  }
}

function readsProxies(node: string): boolean {
  const [major = 0, minor = 0] = node.split('.').map(Number)
  return major > 24 || (major === 24 && minor >= 5) || (major === 22 && minor >= 21)
}
