/** Alerts: what people of an organization have to know, for 90 days (ADR 0027). */
import { z } from 'zod'
import { inOrganization, operation, pageOf, Paging } from '../../admin/operation.ts'
import { TENANT } from '../organizations/organizations.ts'

/** `connection.up`, `credential.back`, `tool.settled`, `records.stored` and what is said of an approval after `requested` say that an earlier one is over. */
export const ALERT_KINDS = [
  'connection.down',
  'connection.up',
  'credential.expiring',
  'credential.lost',
  'credential.back',
  'tool.held',
  'tool.settled',
  'rule.unreadable',
  'effect.unproven',
  'webhook.off',
  'approval.requested',
  'approval.granted',
  'approval.denied',
  'approval.expired',
  'records.waiting',
  'records.stored',
  'stream.behind',
  'stream.current',
  'stream.gap',
  'password.emergency',
  'factor.reset',
] as const
export type AlertKind = (typeof ALERT_KINDS)[number]

export const Alert = z.strictObject({
  id: z.string(),
  kind: z.string(),
  connection_id: z.string().nullable(),
  /** The user concerned; null: the administrators of the organization. */
  user_id: z.string().nullable(),
  detail: z.record(z.string(), z.unknown()),
  created_at: z.iso.datetime(),
})
export type Alert = z.output<typeof Alert>

export const listAlerts = operation({
  id: 'listAlerts',
  at: `GET ${TENANT}/alerts`,
  summary:
    'List the alerts from the last 90 days, newest first: all of them if you administer the organization, otherwise your own.',
  needs: inOrganization('connector_read'),
  query: Paging.extend({ kind: z.string().max(50).optional(), connection_id: z.string().max(100).optional() }),
  answer: pageOf(Alert),
})
