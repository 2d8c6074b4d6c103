/**
 * Clients identified by the address of a metadata document (client id metadata documents,
 * draft-ietf-oauth-client-id-metadata-document-00; MCP 2026-07-28, authorization).
 *
 * The address is untrusted, so it is fetched through the guarded agent only: https, public networks only, no redirect, 64 KiB and
 * five seconds at most, a few at a time. The result, a failure included, is cached for as long as its server says, within bounds.
 */
import { LRUCache } from 'lru-cache'
import { createSingleFlight } from '../lib/single-flight.ts'
import { createPool } from '../upstreams/http/agent.ts'
import { ClientProblem, shapeClient, type ShapedClient } from './client-shape.ts'

export interface ClientDocumentsParts {
  /** Whether documents may lie on this machine, over plain http: for tests of clients. */
  readonly loopback: boolean
  /** Milliseconds that all of a document may take. */
  readonly patience?: number
}

export interface ClientDocuments {
  /** Whether an id is the address of a document. */
  isDocumentId(id: string): boolean
  /** Throws `ClientProblem`, in words for who operates the client. */
  find(id: string): Promise<ShapedClient>
}

const MOST_BYTES = 64 * 1024
const PATIENCE = 5_000
/** Milliseconds. */
const KEPT = { least: 60_000, usual: 10 * 60_000, most: 24 * 60 * 60_000, failed: 30_000 }
const MOST_FETCHES = 8

type Found = { readonly client: ShapedClient } | { readonly problem: ClientProblem }

const problem = (text: string) => new ClientProblem('invalid_client_metadata', text)

export function createClientDocuments({ loopback, patience = PATIENCE }: ClientDocumentsParts): ClientDocuments {
  const known = new LRUCache<string, Found>({ max: 500 })
  const flight = createSingleFlight<string, Found>()
  let fetching = 0

  async function lookUp(id: string): Promise<Found> {
    if (fetching >= MOST_FETCHES) throw problem('too many client documents are being fetched: try again in a moment')
    fetching++
    try {
      const { text, ttl } = await fetchDocument(id, loopback, patience)
      const found = { client: read(id, text) }
      known.set(id, found, { ttl })
      return found
    } catch (thrown) {
      // Why an address cannot be reached tells about the network that the gateway stands in: it is not passed on.
      const found = { problem: thrown instanceof ClientProblem ? thrown : problem('its document cannot be fetched') }
      known.set(id, found, { ttl: KEPT.failed })
      return found
    } finally {
      fetching--
    }
  }

  return {
    isDocumentId: (id) => isDocumentAddress(id, loopback),
    async find(id) {
      if (!isDocumentAddress(id, loopback)) throw problem('it is not the URL of a document')
      const found = known.get(id) ?? (await flight(id, () => lookUp(id)))
      if ('problem' in found) throw found.problem
      return found.client
    },
  }
}

/** Draft, section 3: https, a path, no dot segments, no fragment, no user name, in the one spelling that it has. */
export function isDocumentAddress(id: string, loopback: boolean): boolean {
  const address = id.length > 1_000 ? null : URL.parse(id)
  if (address === null || address.href !== id) return false
  if (address.hash !== '' || id.includes('#') || address.username !== '' || address.password !== '') return false
  if (address.pathname === '/') return false
  return address.protocol === 'https:' || (loopback && address.protocol === 'http:')
}

async function fetchDocument(id: string, loopback: boolean, patience: number): Promise<{ text: string; ttl: number }> {
  const { origin, pathname, search } = new URL(id)
  const pool = createPool(origin, {
    alias: 'client document',
    allowPrivate: loopback,
    headersTimeout: patience,
    connections: 1,
  })
  try {
    const { statusCode, headers, body } = await pool.request({
      method: 'GET',
      path: `${pathname}${search}`,
      headers: { accept: 'application/json' },
      signal: AbortSignal.timeout(patience),
    })
    // A redirect is none either: the document lies where the client says that it does.
    if (statusCode !== 200) throw problem(`its document responds with HTTP ${statusCode}`)
    const type = String(headers['content-type'] ?? '')
    if (!/^application\/([\w.-]+\+)?json\s*(;|$)/i.test(type)) throw problem('its document is not application/json')
    const chunks: Buffer[] = []
    let size = 0
    for await (const chunk of body as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > MOST_BYTES) throw problem(`its document is larger than ${MOST_BYTES} bytes`)
      chunks.push(chunk)
    }
    return { text: Buffer.concat(chunks).toString('utf8'), ttl: ttlOf(headers['cache-control']) }
  } finally {
    await pool.destroy()
  }
}

function ttlOf(control: string | string[] | undefined): number {
  const maxAge = /(?:^|[,\s])max-age\s*=\s*(\d{1,9})/i.exec(String(control ?? ''))?.[1]
  if (/no-store|no-cache/i.test(String(control ?? ''))) return KEPT.least
  const wishedTtl = maxAge === undefined ? KEPT.usual : Number(maxAge) * 1000
  return Math.min(Math.max(wishedTtl, KEPT.least), KEPT.most)
}

function read(id: string, text: string): ShapedClient {
  let document: unknown
  try {
    document = JSON.parse(text)
  } catch {
    throw problem('its document is not JSON')
  }
  if (typeof document !== 'object' || document === null) throw problem('its document is not a JSON object')
  if ((document as { client_id?: unknown }).client_id !== id)
    throw problem('its document contains a different client_id')
  if ('client_secret' in document) throw problem('its document contains a secret')
  // A secret named in a public document would be known to all its readers, so such a client can only be a public one.
  const shaped = shapeClient({ token_endpoint_auth_method: 'none', ...document })
  if (shaped.metadata.token_endpoint_auth_method !== 'none')
    throw problem('token_endpoint_auth_method: a client document can describe a public client only (none)')
  return shaped
}
