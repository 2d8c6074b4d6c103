/** The events of an organization that the gateway sends by itself, over the admin interface (ledger S2-NOT-01). */
import { z } from 'zod'
import { Alert } from '../alerts/alerts.ts'
import { inOrganization, inOwnOrganization, operation } from '../../admin/operation.ts'

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
