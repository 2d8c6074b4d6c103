/** The operations on connections that are made of OpenAPI documents: look before anything is kept, connect, and see what a newer one changes. */
import {
  Fault,
  isOpenApi,
  OperationSelection,
  type ConnectionId,
  type ConnectionSecrets,
  type OpenApiSettings,
} from '@toolway/contract'
import * as shapes from '@toolway/contract/admin'
import { readWith } from '../../call/openapi/documents.ts'
import { lockConnection, type ConnectionRow } from '../../connections/connections.ts'
import { findDocument, packDocument, unpackDocument } from '../../connections/openapi-documents.ts'
import { createExceptions } from '../../upstreams/http/exceptions.ts'
import type { ReadFor } from '../../upstreams/openapi/document/read-apart.ts'
import { lettingInOf } from '../../upstreams/openapi/document/security.ts'
import {
  permittedParts,
  proposedAlias,
  secretsOf,
  shownConnection,
  createConnection,
  type CreatedConnection,
  type ShownConnectionParts,
} from '../connections/index.ts'
import { refuseDeclared } from '../../lib/origin.ts'
import { findConnectionOf } from '../../operations/find-connection.ts'
import { PendingChange, operationServers } from '../../operations/serve.ts'
import type * as operations from '../../operations/serve.ts'
import { previewOf, titleOf } from './preview-of.ts'
import { providerOf } from './provider-of.ts'
import { compare, keepDocument, renewal } from './renew.ts'
import { baseOf, refuseEmpty, textFrom, type Reaching, type Source } from './document-sources.ts'
import { documentOrigins, isAsShown, settingsInFull, shownAddress } from '../../kinds/addresses.ts'
import { apiServerOf, type OpenApiWire } from '../../kinds/openapi/openapi.ts'
import { namesPrivate } from '../../kinds/remote.ts'
import { refuseMask } from '../../kinds/settings.ts'
import { privateOriginOf } from '../../upstreams/http/permits.ts'

/** A connection that was made of a document is shown like every other. */
export type OpenApiParts = ShownConnectionParts

type Served = operations.Served<OpenApiParts>
type OrganizationRequest<Op extends shapes.Operation> = operations.OrganizationRequest<Op, OpenApiParts>
const { serveOrganization } = operationServers<OpenApiParts>()

const DEFAULT_TIMEOUT = 60

type AnyAsked = Pick<OrganizationRequest<typeof shapes.previewOpenApi>, 'role' | 'organization' | 'signal'>

/** Only the platform lets a document be fetched from a private network. */
function reachingOf(
  { role, organization, signal }: AnyAsked,
  { private: requested, document_url: address }: { readonly private?: boolean | undefined } & Source,
): Reaching {
  const allowPrivate = requested === true
  if (allowPrivate && role !== 'platform_admin') throw new Fault('private.forbidden')
  const privateOrigins = privateOriginOf(allowPrivate, address)
  const { id, egress } = organization
  return { alias: 'the document', share: id, privateOrigins, exceptions: createExceptions(egress), signal }
}

interface Told extends Source {
  readonly url?: string | undefined
  readonly select?: OperationSelection | undefined
  readonly effects?: Record<string, 'read' | 'write' | 'destructive'> | undefined
}

const lookOf = ({ share, signal }: Reaching): ReadFor => ({ share, lane: 'look', signal })

async function readOf(body: Told, reaching: Reaching) {
  const { url, select = OperationSelection.parse({}), effects = {}, document_url: document } = body
  const text = await textFrom(body, reaching)
  const reading = await readWith(text, { select, effects, url, document }, lookOf(reaching))
  return { text, reading, select, effects, document, base: baseOf(reading, url) }
}

const preview = serveOrganization(shapes.previewOpenApi, async (request) => {
  const { reading, base } = await readOf(request.body, reachingOf(request, request.body))
  return previewOf(reading, base)
})

type AddAsked = OrganizationRequest<typeof shapes.addOpenApi>

interface NewApi {
  readonly wire: OpenApiWire
  readonly title: string
  /** Of a document that is given or was fetched; undefined: it is fetched when the connection is opened. */
  readonly text: string | undefined
}

async function store(request: AddAsked, { wire, title, text }: NewApi): Promise<CreatedConnection> {
  const { parts, organization, role, body } = request
  const { revision = 'auto', checks, timeout = DEFAULT_TIMEOUT } = body
  const { settings, secrets } = permittedParts(
    { role, organization, roots: parts.runtime.roots },
    { words: { revision, checks, timeout, wire }, moved: false, keeps: false },
    { wanted: body.private },
  )
  const alias = body.alias ?? (await proposedAlias(request, title, settings))
  const document = text === undefined ? undefined : await packDocument(text)
  return request.change(
    (created: CreatedConnection) => created.change,
    (sql) =>
      createConnection(
        sql,
        { organizationId: organization.id, vault: parts.vault },
        {
          ...{ alias, title, settings, secrets, document, origin: request.origin },
          description: body.description ?? null,
          enabled: body.enabled ?? true,
        },
      ),
  )
}

const add = serveOrganization(shapes.addOpenApi, async (request) => {
  const { body } = request
  const { text, reading, select, effects, document, base } = await readOf(body, reachingOf(request, body))
  if (base === undefined) throw new Fault('openapi.address', { problem: 'is missing in the document' })
  refuseEmpty(reading)
  const letting = lettingInOf(reading.schemes, providerOf(reading, base))
  const api = { document, select, effects, key: body.key ?? (body.auth === undefined ? letting.key : undefined) }
  const wire = apiServerOf({ url: base, headers: body.headers ?? {}, auth: body.auth ?? letting.auth, api })
  const { id } = await store(request, { wire, title: body.title ?? titleOf(reading), text })
  return new PendingChange(() => shownConnection(request, id))
})

/** For a start, which waits for no server: the document is read when the connection is opened, and its faults are shown there. */
const addUnread = serveOrganization(shapes.addOpenApi, async (request) => {
  const { url, select = OperationSelection.parse({}), effects = {}, key, ...body } = request.body
  if (url === undefined) throw new Fault('openapi.address', { problem: 'is missing in the document' })
  const api = { document: body.document_url, select, effects, key }
  const wire = apiServerOf({ url, headers: body.headers ?? {}, auth: body.auth ?? {}, api })
  const { id } = await store(request, { wire, title: body.title ?? url, text: body.document })
  return new PendingChange(() => shownConnection(request, id))
})

const isGiven = (source: Source): boolean =>
  [source.document, source.document_gzip, source.document_zip, source.document_url].some((item) => item !== undefined)

type RefreshAsked = OrganizationRequest<typeof shapes.refreshOpenApi>

/** `settings`: with the address of the document in full. */
interface RenewedConnection extends Pick<ConnectionRow, 'alias'> {
  readonly settings: OpenApiSettings
  readonly secrets: ConnectionSecrets
}

/** Where the newer document is; an address that comes back as it was shown is the one that is kept. Throws `body.shape`. */
function sourceOf(body: Source, { document: stored }: OpenApiSettings): Source {
  if (!isGiven(body)) return { document_url: stored }
  const { document_url: address } = body
  if (address === undefined) return body
  if (stored !== undefined && isAsShown(address, stored)) return { ...body, document_url: stored }
  refuseMask('/document_url', address)
  return body
}

/** Another address is fetched from a private network only for the platform, which names one in so many words. */
function renewingOf(
  { role, organization, signal }: RefreshAsked,
  address: string | undefined,
  { alias, settings, secrets }: RenewedConnection,
): Reaching {
  const known = address === undefined || address === settings.document
  const privateOrigins = known
    ? documentOrigins({ settings, secrets })
    : privateOriginOf(role === 'platform_admin' && namesPrivate(address ?? ''), address)
  const { id, egress } = organization
  return { alias, share: id, privateOrigins, exceptions: createExceptions(egress), signal }
}

const refresh = serveOrganization(shapes.refreshOpenApi, async (request) => {
  const { parts, organization, body, params, read } = request
  const connection = findConnectionOf(parts, organization.id, params['connection'] ?? '')
  const { id, alias, tool_lock: mode, origin } = connection
  if (!isOpenApi(connection.settings)) throw new Fault('thing.unknown', { thing: 'document of this connection' })
  const secrets = secretsOf(parts, connection)
  const settings = settingsInFull({ settings: connection.settings, secrets })
  if (body.apply && settings.document === undefined)
    refuseDeclared({ thing: 'connection', name: alias, origin }, request.origin)
  const source = sourceOf(body, settings)
  const reaching = renewingOf(request, source.document_url, { alias, settings, secrets })
  const text = await textFrom(source, reaching)
  const stored = await read((sql) => findDocument(sql, id))
  const compared = await compare({ text, kept: stored, settings, mode, whose: lookOf(reaching) })
  const { after, before, same, drift, packed } = compared
  const applied = body.apply && !same
  if (applied) {
    refuseEmpty(after)
    await request.change(
      () => renewal(id, compared),
      async (sql) => {
        if ((await lockConnection(sql, id)) === undefined) throw new Fault('thing.unknown', { thing: 'connection' })
        await keepDocument(sql, { organizationId: organization.id, connectionId: id }, packed)
      },
    )
    await parts.snapshots.refresh(organization.id)
  }
  return {
    applied,
    same,
    version: { before: before?.version ?? null, after: after.version },
    drift,
    preview: previewOf({ ...after, servers: after.servers.map(shownAddress) }, shownAddress(settings.url)),
  }
})

const document = serveOrganization(shapes.getOpenApiDocument, async ({ parts, organization, params, read }) => {
  const { id } = findConnectionOf(parts, organization.id, params['connection'] ?? '')
  const stored = await read((sql) => findDocument(sql, id))
  if (stored === undefined) throw new Fault('thing.unknown', { thing: 'document of this connection' })
  return { document: await unpackDocument(stored.packed) }
})

/** As `addUnread`. */
const refreshUnread = serveOrganization(shapes.refreshOpenApi, async (request) => {
  const { organization, params, body, origin } = request
  const packed = await packDocument(body.document ?? '')
  await request.change(
    (id: ConnectionId) => ({
      ...{ action: 'connection.change', resource: 'connection', id },
      detail: { fields: ['document'], document: packed.digest },
    }),
    async (sql) => {
      const connection = await lockConnection(sql, params['connection'] ?? '')
      if (connection === undefined) throw new Fault('thing.unknown', { thing: 'connection' })
      const { id, alias } = connection
      refuseDeclared({ thing: 'connection', name: alias, origin: connection.origin }, origin)
      await keepDocument(sql, { organizationId: organization.id, connectionId: id }, packed)
      return id
    },
  )
  // A batch makes no answer.
  return new PendingChange(() => Promise.reject(new Error('unanswered')))
})

/** Those of `openApiOperations` that a start carries out in its own way: with documents that nobody has read. */
export const unreadOpenApiOperations: readonly Served[] = [addUnread, refreshUnread]

export const openApiOperations: readonly Served[] = [preview, add, refresh, document]
