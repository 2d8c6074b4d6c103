/**
 * Private addresses that an organization allows, checked when a connection is made. Addresses of the class `never` (`contract/address-kind.ts`)
 * are not covered: they are refused before this check.
 */
import type { EgressExceptions } from '@toolway/contract'
import ipaddr from 'ipaddr.js'

export interface Exceptions {
  /** `host`: what was asked for, a name or an address. */
  cover(address: string, host: string): boolean
}

export const NO_EXCEPTIONS: Exceptions = { cover: () => false }

export function createExceptions({ networks, hosts }: EgressExceptions): Exceptions {
  if (networks.length + hosts.length === 0) return NO_EXCEPTIONS
  const ranges = networks.map((text) => ipaddr.parseCIDR(text))
  const isNamed = createHostPatterns(hosts)
  return {
    cover(address, host) {
      const parsed = ipaddr.process(address)
      if (ranges.some(([network, bits]) => network.kind() === parsed.kind() && parsed.match(network, bits))) return true
      return isNamed(host)
    },
  }
}

/** Whether a name is among patterns: the name itself, or `*.` and what it ends with. */
export function createHostPatterns(hosts: readonly string[]): (host: string) => boolean {
  const names = new Set(hosts.filter((host) => !host.startsWith('*.')))
  const endings = hosts.filter((host) => host.startsWith('*.')).map((host) => host.slice(1))
  return (host) => {
    const name = nameOf(host)
    return names.has(name) || endings.some((ending) => name.endsWith(ending))
  }
}

/** A name with the dot of the root is the same name. */
export const nameOf = (host: string): string => host.toLowerCase().replace(/\.$/, '')
