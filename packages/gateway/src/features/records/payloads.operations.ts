/** The operations on what is kept of calls besides their records: whether it is, and what it is. Both leave a record. */
import { Fault, type ConnectionId } from '@toolway/contract'
import * as shapes from '@toolway/contract/admin'
import { openedPayload } from '../../call/payload.ts'
import { lockConnection, setKeepPayloads } from '../../connections/connections.ts'
import { findPayload, removePayloadsOf } from '../../records/payloads.ts'
import { findConnectionOf } from '../../operations/find-connection.ts'
import { operationServers, type OperationBase, type Served } from '../../operations/serve.ts'

/** The parts that operations on payloads work with. */
export interface PayloadParts extends OperationBase {
  /** Payloads of calls that are stored besides their records, and for how many days; 0: none are stored. */
  readonly payloads: { readonly days: number; open(sealed: Buffer, id: string): string }
}

const { serveOrganization } = operationServers<PayloadParts>()

const getSetting = serveOrganization(shapes.getPayloadSetting, async ({ parts, organization, params }) => {
  const { keep_payloads: keep } = findConnectionOf(parts, organization.id, params['connection'] ?? '')
  return { keep, days: parts.payloads.days }
})

interface Set {
  readonly id: ConnectionId
  readonly alias: string
  readonly removed: number
}

const setSetting = serveOrganization(shapes.setPayloadSetting, async (request) => {
  const { parts, organization, params, body } = request
  const { keep } = body
  await request.change(
    ({ id, alias, removed }: Set) => ({
      action: keep ? 'connection.keep_payloads' : 'connection.drop_payloads',
      resource: 'connection',
      id,
      detail: { alias, keep, ...(keep ? { days: parts.payloads.days } : { removed }) },
    }),
    async (sql): Promise<Set> => {
      const connection = await lockConnection(sql, params['connection'] ?? '')
      if (connection === undefined) throw new Fault('thing.unknown', { thing: 'connection' })
      const { id, alias } = connection
      await setKeepPayloads(sql, id, keep)
      return { id, alias, removed: keep ? 0 : await removePayloadsOf(sql, alias) }
    },
  )
  await parts.snapshots.refresh(organization.id)
  return { keep, days: parts.payloads.days }
})

const show = serveOrganization(shapes.showRecordPayload, async ({ parts, params, read, change }) => {
  const id = params['record'] ?? ''
  const { days, open } = parts.payloads
  const found = await read((sql) => findPayload(sql, id, days))
  if (found === undefined) throw new Fault('thing.unknown', { thing: 'payload of a record' })
  const opened = openedPayload(open(found.sealed, id), found.hash)
  await change(
    () => ({ action: 'record.payload', resource: 'record', id }),
    async () => {},
  )
  return { id, ...opened }
})

export const payloadOperations: readonly Served<PayloadParts>[] = [getSetting, setSetting, show]
