/** The arguments and results of calls, stored where an administrator of the connection has enabled it (ADR 0046). */
import { z } from 'zod'
import { CONNECTION } from '../connections/connections.ts'
import { inOrganization, operation } from '../../admin/operation.ts'
import { TENANT } from '../organizations/organizations.ts'

const AT = `${CONNECTION}/payloads`

export const PayloadSetting = z.strictObject({
  /** Whether arguments and results of its calls are kept with their records. */
  keep: z.boolean(),
  /** For so many days; 0: this installation keeps none. */
  days: z.int(),
})
export type PayloadSetting = z.output<typeof PayloadSetting>

export const getPayloadSetting = operation({
  id: 'getPayloadSetting',
  at: `GET ${AT}`,
  summary:
    'Show whether the arguments and results of a connection’s calls are stored with their records, and for how long.',
  needs: inOrganization('connector_read'),
  answer: PayloadSetting,
})

export const setPayloadSetting = operation({
  id: 'setPayloadSetting',
  at: `PUT ${AT}`,
  summary:
    'Turn the storage of arguments and results of a connection’s calls on or off. Turning it off deletes what was stored.',
  needs: inOrganization('connector_update'),
  body: z.strictObject({ keep: z.boolean() }),
  answer: PayloadSetting,
})

export const RecordPayload = z.strictObject({
  id: z.string(),
  /** As they were sent, secrets masked. */
  arguments: z.unknown(),
  /** Null where there was none. */
  result: z.unknown(),
  /** Whether something is missing, because there was too much of it. */
  cut: z.boolean(),
  /** Whether it is what the record says that it is. */
  intact: z.boolean(),
})
export type RecordPayload = z.output<typeof RecordPayload>

export const showRecordPayload = operation({
  id: 'showRecordPayload',
  at: `GET ${TENANT}/audit/{record}/payload`,
  summary: 'Get the stored arguments and result of one call. The access is recorded.',
  needs: inOrganization('audit_view_own'),
  answer: RecordPayload,
})
