/**
 * Refusals of a child's egress proxy, in sentences for its administrators: which hosts, why, and the command or setting that
 * lets it reach them. A few hosts are named, the others counted. Callers never read it: it says what is in the gateway's network.
 */
import { isIP } from 'node:net'
import { isByRule, type EgressReason, type RefusedHost } from '../http/egress/egress-refused.ts'
import type { ChildNetwork } from './sandbox/driver.ts'

interface Whose {
  /** Of the connection. */
  readonly alias: string
  readonly network: ChildNetwork
}

/** Hosts that one sentence names. */
const MOST = 3
const REGISTRIES = [
  {
    setting: 'TOOLWAY_NPM_REGISTRY',
    hosts: new Set(['registry.npmjs.org', 'registry.yarnpkg.com']),
    usual: 'https://registry.npmjs.org/',
  },
  {
    setting: 'TOOLWAY_PYTHON_INDEX',
    hosts: new Set(['pypi.org', 'files.pythonhosted.org']),
    usual: 'https://pypi.org/simple',
  },
] as const

const hostOf = (target: string): string => target.replace(/:\d+$/, '').replace(/^\[|\]$/g, '')

/** The sentences in the order in which they explain a start that failed: package registries first. */
export function refusedHostWords(refused: readonly RefusedHost[], { alias, network }: Whose): string[] {
  const byRule = refused.filter(({ reason }) => isByRule(reason))
  const hostsOf = (isMeant: (host: string, reason: EgressReason) => boolean) => [
    ...new Set(byRule.flatMap(({ reason, target }) => (isMeant(hostOf(target), reason) ? [hostOf(target)] : []))),
  ]
  const allow = `toolway connection allow ${alias}`
  const isRegistry = (host: string) => REGISTRIES.some(({ hosts }) => (hosts as ReadonlySet<string>).has(host))
  const unlisted = hostsOf((host, reason) => reason === 'unlisted' && isIP(host) === 0)
  return [
    ...REGISTRIES.map(({ setting, usual, hosts }) =>
      sentence(
        hostsOf((host, reason) => reason === 'address' && (hosts as ReadonlySet<string>).has(host)),
        'no address outside of private networks',
        `set ${setting} to the address of your package registry (${usual} permits this host in a private network), or use ${allow} --network host`,
      ),
    ),
    sentence(
      unlisted,
      'not among its allowed hosts',
      `${allow} ${unlisted
        .slice(0, MOST)
        .map((host) => `--allow-host ${host}`)
        .join(' ')}`,
    ),
    sentence(
      hostsOf((host, reason) => reason === 'address' && !isRegistry(host)),
      'no address that this server may reach',
      `check the name, or use ${allow} --network host`,
    ),
    sentence(
      hostsOf((host, reason) => reason === 'plain' || reason === 'name' || (reason === 'unlisted' && isIP(host) !== 0)),
      'no connection by name over TLS, as the network "listed" requires',
      `${allow} --network ${network === 'listed' ? 'public' : 'host'}`,
    ),
  ].flatMap((words) => words ?? [])
}

function sentence(hosts: readonly string[], why: string, mend: string): string | undefined {
  if (hosts.length === 0) return undefined
  const named = hosts.slice(0, MOST).join(', ')
  const more = hosts.length > MOST ? ` and ${hosts.length - MOST} more` : ''
  return `The sandbox did not let it connect to ${named}${more} (${why}): ${mend}.`
}
