/**
 * The addresses of MCP endpoints as OAuth names them: resources (RFC 9728) and audiences (RFC 8707), one for each endpoint.
 *
 * It knows forms only. Whether an endpoint exists is for whoever is admitted there to find out, so nothing here tells a stranger
 * which organizations and toolsets there are.
 */
import type { EndpointPath } from '../snapshot/ports/endpoint.ts'
import { isLoopback } from './client-shape.ts'

export interface EndpointsParts {
  /** The address under which clients reach the gateway, without a slash at its end. It is the issuer, too. */
  base(): string
  /** Whether that address was set by the operator. If it was not, every name of this machine is as good as another. */
  readonly settled: boolean
  /** Returns the endpoint that a path names; undefined if it names none. */
  placeOf(path: string): EndpointPath | undefined
}

export interface Endpoints {
  base(): string
  /** The same, as a client that came by `host` knows it. */
  rootFor(host: string | undefined): string
  /** The resource at a path of ours, as a client that came by `host` knows it; undefined where there is no MCP endpoint. */
  resourceAt(path: string, host: string | undefined): string | undefined
  /** Returns the endpoint of a resource; undefined for a resource that is not one of ours. */
  find(resource: string): EndpointPath | undefined
  /** The one name that an endpoint has in tokens. */
  audienceOf(endpoint: EndpointPath): string
}

export function createEndpoints({ base, settled, placeOf }: EndpointsParts): Endpoints {
  /** The path behind the base, if the address is below it. */
  function pathBelow(address: URL): string | undefined {
    const own = new URL(base())
    const alike = !settled && isLoopback(address) && address.port === own.port
    if (address.origin !== own.origin && !alike) return undefined
    const prefix = own.pathname.replace(/\/$/, '')
    return address.pathname.startsWith(`${prefix}/`) ? address.pathname.slice(prefix.length) : undefined
  }

  const rootFor = (host: string | undefined) => (settled || host === undefined ? base() : `http://${host}`)

  return {
    base,
    rootFor,
    resourceAt: (path, host) =>
      placeOf(path) === undefined ? undefined : `${rootFor(host)}${path.replace(/\/$/, '')}`,
    find(resource) {
      const address = URL.parse(resource)
      if (address === null || address.search !== '' || address.hash !== '' || address.username !== '') return undefined
      const path = pathBelow(address)
      return path === undefined ? undefined : placeOf(path)
    },
    audienceOf: (endpoint) => `${base()}${pathOf(endpoint)}`,
  }
}

function pathOf({ organization, toolset, connection }: EndpointPath): string {
  if (organization === undefined) return '/mcp'
  if (connection !== undefined) return `/api/v1/${organization}/connectors/${connection}/mcp`
  return `/o/${organization}/t/${toolset ?? 'default'}/mcp`
}
