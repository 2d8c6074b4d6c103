/**
 * Items of a stream: one flat shape for records and alerts, so that a table, an index or a search has the same columns for both.
 * `id` is unique for good: a receiver that drops ids it has seen gets each item once.
 */
import { z } from 'zod'

const text = z.string()
const maybe = z.string().nullable()

export const StreamItem = z.object({
  id: text,
  organization_id: text,
  /** The number in the organization's chain; null: an alert. */
  seq: z.number().nullable(),
  /** Microseconds, UTC. */
  at: text,
  /** `call`, `change`, `sign_in`, `alert` or `test`. */
  kind: text,
  method: text,
  outcome: text,
  code: maybe,
  decision: text,
  principal: maybe,
  actor_type: text,
  key_id: maybe,
  toolset: maybe,
  connection: maybe,
  target: maybe,
  resource_type: maybe,
  resource_id: maybe,
  client: maybe,
  ip_address: maybe,
  user_agent: maybe,
  correlation_id: text,
  bytes_in: z.number(),
  bytes_out: z.number(),
  duration_us: z.number(),
  /** JSON. */
  detail: maybe,
  /** Of the chain, hexadecimal; null: an alert. */
  hash: maybe,
})
export type StreamItem = z.output<typeof StreamItem>

export const ITEM_FIELDS = Object.keys(StreamItem.shape) as (keyof StreamItem)[]

/** What one delivery has; a repeated one has the same id and the same items. */
export interface StreamBatch {
  readonly id: string
  readonly streamId: string
  readonly organizationId: string
  readonly items: readonly StreamItem[]
}

export function testItem(organizationId: string, id: string, at: Date): StreamItem {
  const nothing = { code: null, principal: null, key_id: null, toolset: null, connection: null, target: null }
  const more = { resource_type: null, resource_id: null, client: null, ip_address: null, user_agent: null, hash: null }
  return {
    ...{ id, organization_id: organizationId, seq: null, at: at.toISOString().replace('Z', '000Z'), kind: 'test' },
    ...{ method: 'stream.test', outcome: 'ok', decision: 'allow', actor_type: 'system', correlation_id: id },
    ...{ bytes_in: 0, bytes_out: 0, duration_us: 0, detail: '{}' },
    ...nothing,
    ...more,
  }
}
