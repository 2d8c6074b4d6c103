/** Reads the head of a request: its media types and single headers. It never reads a body. */
import type { IncomingMessage } from 'node:http'
import { Fault } from '@toolway/contract'
import { isLegacyRevision, type HeaderReader } from '@toolway/protocol'
import type { From } from '../call/audit-facts.ts'
import type { Clients } from './client-address.ts'

export const headerOf =
  (request: IncomingMessage): HeaderReader =>
  (name) => {
    const value = request.headers[name]
    return Array.isArray(value) ? value[0] : value
  }

export const isJsonType = (type: string | undefined): boolean =>
  type !== undefined && /^application\/json\s*(;|$)/i.test(type)

export const SESSION_HEADER = 'mcp-session-id'

/**
 * Whether the name of a session, where one is given, can be one: visible ASCII (MCP 2025-11-25, session management). Revisions without
 * sessions ignore the header.
 */
export function hasSessionForm(header: HeaderReader): boolean {
  const [id, revision] = [header(SESSION_HEADER), header('mcp-protocol-version')]
  const isRead = revision === undefined || isLegacyRevision(revision)
  return id === undefined || !isRead || /^[\x21-\x7e]{1,256}$/.test(id)
}

/** Throws `request.media-type`. */
export function checkJsonType({ method, headers }: Pick<IncomingMessage, 'method' | 'headers'>): void {
  if (method === 'POST' && !isJsonType(headers['content-type'])) throw new Fault('request.media-type')
}

/** An absent Accept header accepts everything (RFC 9110, section 12.5.1). */
export function accepts(accept: string | undefined, type: string): boolean {
  if (accept === undefined) return true
  return accept.includes(type) || accept.includes('*/*') || accept.includes(`${type.split('/')[0]}/*`)
}

/** Whether a client asks for its answer as an event stream: it does not accept JSON, or ranks it lower (RFC 9110, section 12.4.2). */
export function prefersStream(accept: string | undefined): boolean {
  // Most clients accept both alike, and then an answer that is one message is JSON.
  if (accept === undefined || (!accept.includes('q=') && accepts(accept, 'application/json'))) return false
  const ranges = accept.split(',').map((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
    const weight = parameters.find((parameter) => parameter.startsWith('q='))
    return { type, quality: weight === undefined ? 1 : Number(weight.slice(2)) || 0 }
  })
  const qualityOf = (type: string) =>
    [type, `${type.split('/')[0]}/*`, '*/*'].flatMap((value) => ranges.find((range) => range.type === value) ?? [])[0]
      ?.quality ?? 0
  return qualityOf('text/event-stream') > qualityOf('application/json')
}

/** Where a request comes from, and what it says it is made by. */
export const clientOriginOf = (request: IncomingMessage, clients: Clients): From => ({
  address: clients.of(request).address,
  userAgent: request.headers['user-agent'],
})

const CORRELATION_FORM = /^[\w.:-]{1,128}$/

/** An id of the caller's own choosing, for its log and ours, where it is harmless. */
export function correlationOf(request: IncomingMessage): string | undefined {
  const header = request.headers['x-correlation-id']
  return typeof header === 'string' && CORRELATION_FORM.test(header) ? header : undefined
}

/** A token of a server's own kind, for this request alone. */
export const PASS_THROUGH_HEADER = 'x-user-oauth-token'

/**
 * Returns the user on whose behalf a request is made, by either name of the header; two that differ give an empty string, which
 * names no user.
 */
export function onBehalfIn({ headers }: IncomingMessage): string | undefined {
  const [ours, theirs] = [headers['x-on-behalf-of'], headers['x-openwebui-user-email']]
  if (ours === undefined && theirs === undefined) return undefined
  return ours === undefined || theirs === undefined || ours === theirs ? String(ours ?? theirs) : ''
}
