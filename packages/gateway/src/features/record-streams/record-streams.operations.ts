/** The operations on record streams, of one organization and of the installation. Secrets go in and never come out. */
import { Fault, newId, type Role } from '@toolway/contract'
import * as shapes from '@toolway/contract/admin'
import type { Change } from '../../records/change.ts'
import type { OrgSql, SystemSql } from '../../db/db.ts'
import { namesPrivate } from '../../kinds/remote.ts'
import { INSTALLATION } from '../../snapshot/installation.ts'
import {
  addStream,
  changeStream,
  destinationOf,
  listStreams,
  removeStream,
  type StreamRow,
} from './record-streams.rows.ts'
import type { SendBatch } from './send-batch.ts'
import { testItem } from './stream-items.rows.ts'
import { recordStreamSealContext } from '../../vault/sealed-columns.ts'
import { newWebhookSecret } from '../webhooks/index.ts'
import { addressIn } from '../../lib/http-address.ts'
import { operationServers, type OperationBase, type Served } from '../../operations/serve.ts'
import { eachOf } from '../../lib/unreadable-rows.ts'

/** The parts that these operations work with. */
export interface RecordStreamParts extends OperationBase {
  readonly sendBatch: SendBatch
}

const MOST = 10

const iso = (at: Date | null): string | null => at?.toISOString() ?? null

const toStream = (row: StreamRow): shapes.RecordStream => ({
  ...{ id: row.id, name: row.name, destination: destinationOf(row), private: row.private, alerts: row.alerts },
  ...{ enabled: row.enabled, waiting: row.waiting, last_problem: row.last_problem },
  ...{ delivered_at: iso(row.delivered_at), failed_at: iso(row.failed_at), behind_since: iso(row.behind_since) },
  ...{ created_at: row.created_at.toISOString(), updated_at: row.updated_at.toISOString() },
})

/** The address that its secrets are bound to, and that is judged. Throws `url.malformed`. */
const addressOf = (destination: shapes.StreamDestination): string =>
  addressIn(shapes.destinationKind(destination.kind).urlOf(destination))

/**
 * Where records may go: by TLS, and to private networks only where a platform administrator says so, as with webhooks. Throws
 * `url.malformed` and `private.forbidden`.
 */
function reachOf(role: Role, destination: shapes.StreamDestination, requested: boolean | undefined, before = false) {
  const url = addressOf(destination)
  const named = namesPrivate(url)
  const reach = requested ?? (before || named)
  if (reach && !before && role !== 'platform_admin') throw new Fault('private.forbidden')
  if (named && !reach) throw new Fault('private.forbidden')
  if (!reach && !url.startsWith('https://'))
    throw new Fault('url.malformed', { problem: 'does not start with https://' })
  return reach
}

/** A request about the streams of one owner: an organization, or the installation. */
interface StreamRequest {
  readonly parts: RecordStreamParts
  readonly role: Role
  readonly owner: string
  readonly params: Readonly<Record<string, string>>
  readonly signal: AbortSignal
  read<T>(work: (sql: OrgSql | SystemSql) => Promise<T>): Promise<T>
  change<T>(say: (result: T) => Change, work: (sql: OrgSql | SystemSql) => Promise<T>): Promise<T>
}

/** Throws `thing.unknown`. */
async function find(sql: OrgSql | SystemSql, owner: string, id: string | undefined): Promise<StreamRow> {
  const row = (await listStreams(sql, owner)).find((stream) => stream.id === id)
  if (row === undefined) throw new Fault('thing.unknown', { thing: 'record stream' })
  return row
}

const RESOURCE = 'record stream'
const changeRecord = (action: 'add' | 'change' | 'remove' | 'test', detail?: object) => (id: string) => ({
  action: `record-stream.${action}` as const,
  resource: RESOURCE,
  id,
  ...(detail === undefined ? {} : { detail: { ...detail } }),
})

async function list({ read, owner }: StreamRequest) {
  return { items: eachOf(await read((sql) => listStreams(sql, owner)), toStream) }
}

async function add({ parts, role, owner, change, read }: StreamRequest, body: typeof shapes.NewRecordStream._output) {
  const { name, destination, secrets, alerts, from } = body
  const secret = shapes.destinationKind(destination.kind).signed ? newWebhookSecret() : null
  const words = { name, destination, alerts, enabled: true, private: reachOf(role, destination, body.private) }
  const sealed = JSON.stringify({ ...secrets, ...(secret === null ? {} : { webhook: secret }) })
  const id = await change(changeRecord('add', { kind: destination.kind }), async (sql) => {
    if ((await listStreams(sql, owner)).length >= MOST) throw new Fault('stream.limit', { limit: MOST })
    const seal = (stream: StreamRow['id']) => parts.vault.seal(sealed, recordStreamSealContext(stream))
    return addStream(sql, owner, { words, fromNow: from === 'now', seal })
  })
  return { ...toStream(await read((sql) => find(sql, owner, id))), secret }
}

type StreamChange = typeof shapes.RecordStreamChange._output

async function change(request: StreamRequest, body: StreamChange) {
  const { owner, params, read } = request
  const id = await request.change(changeRecord('change', { fields: Object.keys(body) }), async (sql) => {
    const row = await find(sql, owner, params['stream'])
    await rewrite(sql, row, request, body)
    return row.id
  })
  return toStream(await read((sql) => find(sql, owner, id)))
}

/** Another address gets none of the secrets that were meant for the one before; the secret that signs is the gateway's own. */
async function rewrite(sql: OrgSql | SystemSql, row: StreamRow, { parts, role }: StreamRequest, body: StreamChange) {
  const before = destinationOf(row)
  const destination = body.destination ?? before
  // Compared as they are stored: a stream whose address cannot be read any more can be paused and given another one.
  const urlOf = (of: shapes.StreamDestination) => shapes.destinationKind(of.kind).urlOf(of)
  const hasSameAddress = urlOf(destination) === urlOf(before)
  const isJudged = body.destination !== undefined || body.private !== undefined
  const opened = JSON.parse(parts.vault.open(row.sealed_secrets, recordStreamSealContext(row.id))) as Record<
    string,
    unknown
  >
  const { signed } = shapes.destinationKind(destination.kind)
  if (signed && !shapes.destinationKind(before.kind).signed)
    throw new Fault('body.shape', { place: 'destination', problem: `create another stream for a ${destination.kind}` })
  const own = signed ? { webhook: opened['webhook'] } : {}
  const secrets = destination.kind === before.kind && hasSameAddress ? opened : own
  await changeStream(sql, row, {
    name: body.name ?? row.name,
    destination,
    alerts: body.alerts ?? row.alerts,
    enabled: body.enabled ?? row.enabled,
    private: isJudged ? reachOf(role, destination, body.private, row.private && hasSameAddress) : row.private,
    sealed: parts.vault.seal(JSON.stringify({ ...secrets, ...body.secrets }), recordStreamSealContext(row.id)),
  })
}

async function remove({ owner, params, change: changing }: StreamRequest) {
  await changing(changeRecord('remove'), async (sql) => {
    const { id } = await find(sql, owner, params['stream'])
    await removeStream(sql, owner, id)
    return id
  })
  return undefined
}

async function sendTest({ parts, owner, params, read, change: changing, signal }: StreamRequest) {
  const row = await read((sql) => find(sql, owner, params['stream']))
  const id = newId('msg')
  const items = [testItem(owner, id, new Date())]
  const failed = await parts.sendBatch(row, { id, streamId: row.id, organizationId: owner, items }, signal)
  const outcome = failed === undefined ? ('ok' as const) : ('failed' as const)
  await changing(
    () => ({ ...changeRecord('test')(row.id), outcome }),
    () => Promise.resolve(),
  )
  return { delivered: failed === undefined, problem: failed?.problem ?? null }
}

const { serveOrganization, servePlatform } = operationServers<RecordStreamParts>()

const ofOrganization = <Request extends { readonly organization: { readonly id: string } }>(request: Request) => ({
  ...request,
  owner: request.organization.id,
})
const ofInstallation = <Request>(request: Request) => ({ ...request, owner: INSTALLATION })

export const recordStreamOperations: readonly Served<RecordStreamParts>[] = [
  serveOrganization(shapes.listRecordStreams, (request) => list(ofOrganization(request))),
  serveOrganization(shapes.addRecordStream, (request) => add(ofOrganization(request), request.body)),
  serveOrganization(shapes.changeRecordStream, (request) => change(ofOrganization(request), request.body)),
  serveOrganization(shapes.removeRecordStream, (request) => remove(ofOrganization(request))),
  serveOrganization(shapes.testRecordStream, (request) => sendTest(ofOrganization(request))),
  servePlatform(shapes.listAllRecordStreams, (request) => list(ofInstallation(request))),
  servePlatform(shapes.addInstallationRecordStream, (request) => add(ofInstallation(request), request.body)),
  servePlatform(shapes.changeInstallationRecordStream, (request) => change(ofInstallation(request), request.body)),
  servePlatform(shapes.testInstallationRecordStream, (request) => sendTest(ofInstallation(request))),
  servePlatform(shapes.removeInstallationRecordStream, (request) => remove(ofInstallation(request))),
]
