/** The operations on record streams, of one organization and of the installation. Secrets go in and never come out. */
import { Fault, newId, type Role } from '@toolway/contract'
import * as shapes from '@toolway/contract/admin'
import type { OrgSql, SystemSql } from '../../db/db.ts'
import { namesPrivate } from '../../kinds/remote.ts'
import {
  addStream,
  changeStream,
  destinationOf,
  INSTALLATION,
  listStreams,
  removeStream,
  type StreamRow,
} from './record-streams.rows.ts'
import type { SendBatch } from './send-batch.ts'
import { testItem } from './stream-items.rows.ts'
import { recordStreamRow } from '../../vault/sealed-columns.ts'
import { newWebhookSecret } from '../../webhooks/signature.ts'
import { addressIn } from '../../admin/integrations/integration-words.ts'
import { serveOrganization, servePlatform, type AdminParts, type Served } from '../../admin/serve.ts'
import { eachOf } from '../../lib/unreadable.ts'

/** What these operations work with. */
export interface RecordStreamParts extends AdminParts {
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

const unknown = () => new Fault('thing.unknown', { thing: 'record stream' })

/** Where it goes, as a URL; syslog over TLS as one that is never fetched. */
function addressOf(destination: shapes.StreamDestination): string {
  if (destination.kind === 'syslog') {
    const { host, port } = destination
    return `https://${host.includes(':') ? `[${host}]` : host}:${port}/`
  }
  return addressIn(destination.kind === 's3' ? destination.endpoint : destination.url)
}

/**
 * Where records may go: by TLS, and to private networks only where a platform administrator says so, as with webhooks. Throws
 * `url.malformed` and `private.forbidden`.
 */
function reachOf(role: Role, destination: shapes.StreamDestination, wanted: boolean | undefined, before = false) {
  const url = addressOf(destination)
  const named = namesPrivate(url)
  const reach = wanted ?? (before || named)
  if (reach && !before && role !== 'platform_admin') throw new Fault('private.forbidden')
  if (named && !reach) throw new Fault('private.forbidden')
  if (!reach && !url.startsWith('https://'))
    throw new Fault('url.malformed', { problem: 'does not start with https://' })
  return reach
}

interface Adding {
  readonly parts: RecordStreamParts
  readonly role: Role
  readonly body: typeof shapes.NewRecordStream._output
}

/** The stored members of a new stream, and the secret that its maker is shown. */
function newStream({ parts, role, body }: Adding) {
  const { name, destination, secrets, alerts, from } = body
  const secret = destination.kind === 'webhook' ? newWebhookSecret() : null
  const words = { name, destination, alerts, enabled: true, private: reachOf(role, destination, body.private) }
  const sealed = JSON.stringify({ ...secrets, ...(secret === null ? {} : { webhook: secret }) })
  return {
    secret,
    async add(sql: OrgSql | SystemSql, owner: string) {
      if ((await listStreams(sql, owner)).length >= MOST) throw new Fault('stream.limit', { limit: MOST })
      const seal = (id: StreamRow['id']) => parts.vault.seal(sealed, recordStreamRow(id))
      return addStream(sql, owner, { words, fromNow: from === 'now', seal })
    },
  }
}

async function find(sql: OrgSql | SystemSql, owner: string, id: string | undefined): Promise<StreamRow> {
  const row = (await listStreams(sql, owner)).find((one) => one.id === id)
  if (row === undefined) throw unknown()
  return row
}

interface Changing extends Pick<Adding, 'parts' | 'role'> {
  readonly body: typeof shapes.RecordStreamChange._output
}

/** Another address gets none of the secrets that were meant for the one before; the secret of a webhook is the gateway's own. */
async function rewrite(sql: OrgSql | SystemSql, row: StreamRow, { parts, role, body }: Changing): Promise<void> {
  const before = destinationOf(row)
  const destination = body.destination ?? before
  const stays = row.private && addressOf(destination) === addressOf(before)
  const opened = JSON.parse(parts.vault.open(row.sealed_secrets, recordStreamRow(row.id))) as Record<string, unknown>
  const isSame = destination.kind === before.kind && addressOf(destination) === addressOf(before)
  if (destination.kind === 'webhook' && before.kind !== 'webhook')
    throw new Fault('body.shape', { place: 'destination', problem: 'create another stream for a webhook' })
  const own = destination.kind === 'webhook' ? { webhook: opened['webhook'] } : {}
  const secrets = { ...(isSame ? opened : own), ...body.secrets }
  await changeStream(sql, row, {
    name: body.name ?? row.name,
    destination,
    alerts: body.alerts ?? row.alerts,
    enabled: body.enabled ?? row.enabled,
    private: reachOf(role, destination, body.private, stays),
    sealed: parts.vault.seal(JSON.stringify(secrets), recordStreamRow(row.id)),
  })
}

const RESOURCE = 'record stream'
const said = (action: string, detail?: object) => (id: string) => ({
  action: `record-stream.${action}`,
  resource: RESOURCE,
  id,
  ...(detail === undefined ? {} : { detail: { ...detail } }),
})

/** Returns why the destination did not accept it. */
function sendTest({ sendBatch }: RecordStreamParts, row: StreamRow, owner: string, signal: AbortSignal) {
  const id = newId('msg')
  const items = [testItem(owner, id, new Date())]
  return sendBatch(row, { id, streamId: row.id, organizationId: owner, items }, signal)
}
const tested = (row: StreamRow, failed: object | undefined) => () => ({
  ...said('test')(row.id),
  outcome: failed === undefined ? ('ok' as const) : ('failed' as const),
})

const ofOrganization: readonly Served<RecordStreamParts>[] = [
  serveOrganization(shapes.listRecordStreams, async ({ look, organization }) => ({
    items: eachOf(await look((sql) => listStreams(sql, organization.id)), toStream),
  })),
  serveOrganization(shapes.addRecordStream, async (asked) => {
    const { change, look, organization, body } = asked
    const { secret, add } = newStream(asked)
    const id = await change(said('add', { kind: body.destination.kind }), (sql) => add(sql, organization.id))
    return { ...toStream(await look((sql) => find(sql, organization.id, id))), secret }
  }),
  serveOrganization(shapes.changeRecordStream, async (asked) => {
    const { change, look, organization, params, body } = asked
    const id = await change(said('change', { fields: Object.keys(body) }), async (sql) => {
      const row = await find(sql, organization.id, params['stream'])
      await rewrite(sql, row, asked)
      return row.id
    })
    return toStream(await look((sql) => find(sql, organization.id, id)))
  }),
  serveOrganization(shapes.removeRecordStream, async ({ change, organization, params }) => {
    await change(said('remove'), async (sql) => {
      const { id } = await find(sql, organization.id, params['stream'])
      await removeStream(sql, organization.id, id)
      return id
    })
    return undefined
  }),
  serveOrganization(shapes.testRecordStream, async ({ change, look, organization, params, parts, signal }) => {
    const row = await look((sql) => find(sql, organization.id, params['stream']))
    const failed = await sendTest(parts, row, organization.id, signal)
    await change(tested(row, failed), () => Promise.resolve())
    return { delivered: failed === undefined, problem: failed?.problem ?? null }
  }),
]

const ofInstallation: readonly Served<RecordStreamParts>[] = [
  servePlatform(shapes.listAllRecordStreams, async ({ look }) => ({
    items: eachOf(await look((sql) => listStreams(sql, INSTALLATION)), toStream),
  })),
  servePlatform(shapes.addInstallationRecordStream, async (asked) => {
    const { secret, add } = newStream(asked)
    const id = await asked.change(said('add', { kind: asked.body.destination.kind }), (sql) => add(sql, INSTALLATION))
    return { ...toStream(await asked.look((sql) => find(sql, INSTALLATION, id))), secret }
  }),
  servePlatform(shapes.changeInstallationRecordStream, async (asked) => {
    const id = await asked.change(said('change', { fields: Object.keys(asked.body) }), async (sql) => {
      const row = await find(sql, INSTALLATION, asked.params['stream'])
      await rewrite(sql, row, asked)
      return row.id
    })
    return toStream(await asked.look((sql) => find(sql, INSTALLATION, id)))
  }),
  servePlatform(shapes.testInstallationRecordStream, async ({ change, look, params, parts, signal }) => {
    const row = await look((sql) => find(sql, INSTALLATION, params['stream']))
    const failed = await sendTest(parts, row, INSTALLATION, signal)
    await change(tested(row, failed), () => Promise.resolve())
    return { delivered: failed === undefined, problem: failed?.problem ?? null }
  }),
  servePlatform(shapes.removeInstallationRecordStream, async ({ change, params }) => {
    await change(said('remove'), async (sql) => {
      const { id } = await find(sql, INSTALLATION, params['stream'])
      await removeStream(sql, INSTALLATION, id)
      return id
    })
    return undefined
  }),
]

export const recordStreamOperations: readonly Served<RecordStreamParts>[] = [...ofOrganization, ...ofInstallation]
