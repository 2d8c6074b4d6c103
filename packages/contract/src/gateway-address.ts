/**
 * What a person gives as the address of a gateway (`TOOLWAY_URL`, `--url`): its base address, or one of its MCP endpoints.
 *
 * An address that ends in `/mcp` or `/sse` is an endpoint and stays; any other is a base address, whose endpoint is `/mcp` below it.
 */
const ENDPOINT = /\/(?:mcp|sse)$/
/** Endpoints of toolsets, organizations and connections stand below the base address. */
const BELOW = /(?:\/api\/v1\/[^/]+\/connectors\/[^/]+|\/o\/[^/]+(?:\/t\/[^/]+)?|\/mcp\/[^/]+)?\/(?:mcp|sse)$/

const webUrlOf = (text: string): URL | undefined => {
  const url = URL.parse(text.trim())
  return url !== null && /^https?:$/.test(url.protocol) && url.hostname !== '' ? url : undefined
}

const pathOf = ({ pathname }: URL) => pathname.replace(/\/+$/, '')

/** The MCP endpoint that an address is for; undefined for what is no address. A query stays. */
export function endpointOf(text: string): string | undefined {
  const url = webUrlOf(text)
  if (url === undefined) return undefined
  const path = pathOf(url)
  return `${url.origin}${ENDPOINT.test(path) ? path : `${path}/mcp`}${url.search}`
}

/** The base address of the gateway, without a slash at its end; undefined for what is no address. */
export function gatewayBaseOf(text: string): string | undefined {
  const url = webUrlOf(text)
  return url === undefined ? undefined : `${url.origin}${pathOf(url).replace(BELOW, '')}`
}
