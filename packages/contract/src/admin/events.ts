/**
 * The events of an organization that the gateway sends by itself, over the admin interface (ledger S2-NOT-01), and the alerts
 * that it stores.
 */
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

export const CLIENT_STEPS = ['initialize', 'list', 'call'] as const

export const ClientSeen = z.strictObject({
  type: z.literal('client_seen'),
  /** `initialize`: it said who it is (a client of 2026-07-28 with its first request); `list`: it asked for tools; `call`: it called one. */
  step: z.enum(CLIENT_STEPS),
  /** Of the key that it came with; null: it came with a token. */
  key_id: z.string().nullable(),
  user_id: z.string().nullable(),
  /** The name and version that the client reports. */
  client: z.strictObject({ name: z.string(), version: z.string() }).nullable(),
  revision: z.string(),
  at: z.iso.datetime(),
})
export type ClientSeen = z.output<typeof ClientSeen>

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
  /** There are new records; told no more than about once in a second. */
  z.strictObject({ type: z.literal('records_changed') }),
  /** A client did something for the first time since it was last quiet for long: told to whose it is and to administrators. */
  ClientSeen,
])
export type GatewayEvent = z.output<typeof GatewayEvent>

export const followEvents = operation({
  id: 'followEvents',
  at: 'GET /api/v1/events',
  summary:
    'Stream changes in your organization: the events `integrations_changed`, `alert`, `approvals_changed`, `records_changed` and `client_seen`. Missed events are not sent again. The WebSocket `/api/v1/ws` sends the same events as JSON.',
  needs: inOwnOrganization('connector_read'),
  answer: GatewayEvent,
  media: 'text/event-stream',
})

export const followOrganizationEvents = operation({
  id: 'followOrganizationEvents',
  at: 'GET /api/v1/organizations/{organization}/events',
  summary: 'Stream changes in the specified organization.',
  needs: inOrganization('connector_read'),
  answer: GatewayEvent,
  media: 'text/event-stream',
})

export const listAlerts = operation({
  id: 'listAlerts',
  at: `GET ${TENANT}/alerts`,
  summary:
    'List the alerts from the last 90 days, newest first: all of them if you administer the organization, otherwise your own.',
  needs: inOrganization('connector_read'),
  query: Paging.extend({ kind: z.string().max(50).optional(), connection_id: z.string().max(100).optional() }),
  answer: pageOf(Alert),
})
