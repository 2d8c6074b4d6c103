/** What the gateway tells of an organization by itself, over the admin interface (ledger S2-NOT-01), and the alerts that it keeps. */
import { z } from 'zod'
import { inOrganization, inOwnOrganization, operation, pageOf, Paging } from './operation.ts'
import { TENANT } from './organizations.ts'

/** `synced`: what it offers, or how it is, was found to be another. `changed`: more than can be told; look at all of them. */
export const INTEGRATION_ACTIONS = [
  'created',
  'updated',
  'deleted',
  'tested',
  'connected',
  'disconnected',
  'synced',
  'changed',
] as const

export const Alert = z.strictObject({
  id: z.string(),
  kind: z.string(),
  connection_id: z.string().nullable(),
  /** Whom it concerns; null: whoever administers the organization. */
  user_id: z.string().nullable(),
  detail: z.record(z.string(), z.unknown()),
  created_at: z.iso.datetime(),
})
export type Alert = z.output<typeof Alert>

/** A message of the WebSocket `/api/v1/ws`, and the value of an event of the stream. */
export const GatewayEvent = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('integrations_changed'),
    /** Of the connection; null: of several. */
    id: z.string().nullable(),
    action: z.enum(INTEGRATION_ACTIONS),
    /** How often what the organization offers was changed, by now; the same in every gateway. */
    version: z.number().int(),
  }),
  z.strictObject({ type: z.literal('alert'), alert: Alert }),
  /** Questions whether calls may be made are others than they were: look at the list. */
  z.strictObject({ type: z.literal('approvals_changed') }),
])
export type GatewayEvent = z.output<typeof GatewayEvent>

export const followEvents = operation({
  id: 'followEvents',
  at: 'GET /api/v1/events',
  summary:
    'What changes in your organization as it happens: events `integrations_changed`, `alert` and `approvals_changed`. What is missed is not sent again. The same as JSON over the WebSocket `/api/v1/ws`.',
  needs: inOwnOrganization('connector_read'),
  answer: GatewayEvent,
  media: 'text/event-stream',
})

export const listAlerts = operation({
  id: 'listAlerts',
  at: `GET ${TENANT}/alerts`,
  summary:
    'Alerts of the last 90 days, the newest first: all of them for who administers the organization, else your own.',
  needs: inOrganization('connector_read'),
  query: Paging.extend({ kind: z.string().max(50).optional(), connection_id: z.string().max(100).optional() }),
  answer: pageOf(Alert),
})
