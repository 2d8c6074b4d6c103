/** A REST server whose operations are described by an OpenAPI document. The text of the document is kept apart. */
import { OperationSelection, type ConnectionAuthChange, type KeyPlace, type OpenApiSettings } from '@toolway/contract'
import { createGuardedFetch } from '../../upstreams/http/guarded-fetch.ts'
import { readApart } from '../../upstreams/openapi/document/read-apart.ts'
import { UNTITLED } from '../../upstreams/openapi/document/read-document.ts'
import { createOpenApiUpstream } from '../../upstreams/openapi/openapi-upstream.ts'
import type { Kind, Probing, ConnectionRequest } from '../kind.ts'
import { describeRemote, remoteParts, remoteReach, remoteView, shownUrl, type RemoteWire } from '../remote.ts'
import { checkSettings } from '../settings.ts'

/** Settings of an OpenAPI document, besides its text. */
export interface ApiWords extends Pick<OpenApiSettings, 'select' | 'effects'> {
  readonly document: string | undefined
  readonly key: KeyPlace | undefined
}

export interface OpenApiWire extends RemoteWire {
  readonly kind: 'openapi'
  readonly auth?: ConnectionAuthChange
  readonly api: ApiWords
}

/** A described server as it is described here. */
export const apiServerOf = (words: Omit<OpenApiWire, 'kind'>): OpenApiWire => ({ kind: 'openapi', ...words })

/** Bytes of a document that a probe reads; a larger one is read when it is connected. */
const MOST_BYTES = 4 * 1024 * 1024
const DOCUMENT = /^\s*(?:\{[^]{0,2000}?"(?:openapi|swagger)"\s*:|(?:#[^\n]*\n|---\s*\n)*(?:openapi|swagger):)/

export const openapi: Kind<OpenApiSettings, OpenApiWire> = {
  connector: 'openapi',
  wire: 'openapi',
  takes: ['url', 'headers', 'private', 'auth', 'openapi'],
  meantBy: [],
  addedElsewhere: 'is connected at …/connectors/openapi, with its document',
  describe(request, connection) {
    const { url, headers, ...turn } = describeRemote(request, connection)
    const auth = { ...connection?.settings.auth, ...request.auth }
    return { ...turn, wire: apiServerOf({ url, headers, auth, api: apiOf(connection?.settings, request) }) }
  },
  parts(common, wire, shown) {
    const { settings, secrets } = remoteParts(common, wire, shown)
    const { document, select, effects, key } = wire.api
    const own = {
      ...(common.checks === undefined ? {} : { checks: common.checks }),
      ...(document === undefined ? {} : { document }),
      ...(key === undefined ? {} : { key }),
    }
    const connector = 'openapi'
    const { auth } = wire
    return { settings: checkSettings({ ...settings, connector, ...own, auth, select, effects }), secrets }
  },
  shown: shownUrl,
  view(settings) {
    const { document = null, select, effects, key = null, auth } = settings
    return { ...remoteView(settings), auth, openapi: { document, select, effects, key } }
  },
  open(opening, context) {
    const { key, auth } = opening.settings
    const wire = {
      ...remoteReach(opening),
      key: key && { ...key, header: auth.header.toLowerCase(), prefix: auth.prefix },
      load: opening.document,
    }
    return createOpenApiUpstream({ ...context, reach: { ...opening.reach, wire } })
  },
  async probe(url, probing) {
    const text = await textAt(url, probing)
    return text === undefined ? undefined : { found: 'openapi', auth: null, names: await titleOf(text, url, probing) }
  },
}

/** Of a connection that is there: another one is added with its document. */
function apiOf(settings: OpenApiSettings | undefined, request: ConnectionRequest): ApiWords {
  const next = 'openapi' in request ? request.openapi : undefined
  return {
    document: next?.document === undefined ? settings?.document : (next.document ?? undefined),
    select: next?.select ?? settings?.select ?? OperationSelection.parse({}),
    effects: next?.effects ?? settings?.effects ?? {},
    key: next?.key === undefined ? settings?.key : (next.key ?? undefined),
  }
}

/** The text of the OpenAPI document there; undefined where there is none that can be read. */
async function textAt(url: string, { egress, patience, signal }: Probing): Promise<string | undefined> {
  const fetch = createGuardedFetch(egress, { redirects: 2, patience, mostBytes: MOST_BYTES })
  try {
    const answer = await fetch(url, { headers: { accept: 'application/json, application/yaml;q=0.9' }, signal })
    const text = answer.status === 200 ? await answer.text() : ''
    return DOCUMENT.test(text) ? text : undefined
  } catch {
    return undefined
  }
}

/** The title of a document, which is read in a thread of its own; none where that takes longer than a probe waits. */
async function titleOf(text: string, url: string, probing: Probing): Promise<readonly string[]> {
  const options = { select: OperationSelection.parse({}), effects: {}, base: undefined, from: url }
  const signal = AbortSignal.any([probing.signal, AbortSignal.timeout(probing.patience)])
  const reading = await readApart(text, options, { share: probing.share, lane: 'look', signal }).catch(() => undefined)
  return reading === undefined || reading.title === UNTITLED ? [] : [reading.title]
}
