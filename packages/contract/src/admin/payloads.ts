/** The arguments and results of calls, stored where an administrator of the connection has enabled it (ADR 0046). */
import { z } from 'zod'
import { CONNECTION } from './connections.ts'
import { inOrganization, operation } from './operation.ts'
import { TENANT } from './organizations.ts'

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
  summary: 'Whether arguments and results of the calls of a connection are kept with their records, and for how long.',
  needs: inOrganization('connector_read'),
  answer: PayloadSetting,
})

export const setPayloadSetting = operation({
  id: 'setPayloadSetting',
  at: `PUT ${AT}`,
  summary:
    'Keep arguments and results of the calls of a connection with their records, or keep none. Switching it off removes what was kept.',
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
  summary:
    'Arguments and result of one call, where they were kept and are still there. That they were looked at is on record.',
  needs: inOrganization('audit_view_own'),
  answer: RecordPayload,
})
