/**
 * Parses a path into an endpoint and its transport: Streamable HTTP and WebSocket (`…/mcp`), or HTTP+SSE of 2024-11-05 (`…/sse`
 * and `…/messages`). It checks the syntax only; the admission decides whether the endpoint exists.
 */
import type { EndpointPath } from '../snapshot/ports/endpoint.ts'

export type Way = 'mcp' | 'sse' | 'messages'

export interface Address {
  readonly way: Way
  readonly place: EndpointPath
}

const FORMS: readonly { form: RegExp; place(found: RegExpExecArray): EndpointPath }[] = [
  { form: /^\/(mcp|sse|messages)\/?$/, place: () => ({}) },
  {
    form: /^\/o\/([\w-]+)\/t\/([\w-]+)\/(mcp|sse|messages)\/?$/,
    place: ([, organization = '', toolset = '']) => ({ organization, toolset }),
  },
  {
    // The source system had the older pair below its endpoint.
    form: /^\/api\/v1\/([\w-]+)\/connectors\/([\w-]+)\/(?:mcp\/(?=sse|messages))?(mcp|sse|messages)\/?$/,
    place: ([, organization = '', connection = '']) => ({ organization, connection }),
  },
]

/** The endpoint that a path names, if it names one. */
export function addressOf(path: string): Address | undefined {
  for (const { form, place } of FORMS) {
    const found = form.exec(path)
    if (found !== null) return { way: found.at(-1) as Way, place: place(found) }
  }
  return undefined
}

/** Where the messages of a stream that was opened at `path` are sent to. */
export const messagesPathOf = (path: string): string => path.replace(/sse\/?$/, 'messages')

/** The form of an address of an endpoint, by which requests are counted; `end` is what comes after it. */
export function endpointTemplate({ organization, toolset, connection }: EndpointPath, end: string): string {
  if (connection !== undefined) return `/api/v1/{organization}/connectors/{connection}/${end}`
  if (toolset !== undefined) return `/o/{organization}/t/{toolset}/${end}`
  return organization === undefined ? `/${end}` : `/o/{organization}/${end}`
}
