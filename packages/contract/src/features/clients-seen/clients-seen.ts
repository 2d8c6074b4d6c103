/**
 * The clients that connected, the steps that each completed, and where it connected: the data of a live check and of a list of
 * keys.
 */
import { z } from 'zod'
import { inOrganization, operation } from '../../admin/operation.ts'

export const SeenClient = z.strictObject({
  /** The name and version that the client reports; null: none. */
  client: z.strictObject({ name: z.string(), version: z.string() }).nullable(),
  revision: z.string(),
  /** Of the key that it came with; null: it came with a token. */
  key_id: z.string().nullable(),
  /** Null: it came with a token, or its key is gone or none of this organization's. */
  key_name: z.string().nullable(),
  /** The user that it belongs to; null: none. */
  user_id: z.string().nullable(),
  /** When it last did each step, up to a minute old; null: it did not. */
  initialize_at: z.iso.datetime().nullable(),
  list_at: z.iso.datetime().nullable(),
  call_at: z.iso.datetime().nullable(),
  seen_at: z.iso.datetime(),
})
export type SeenClient = z.output<typeof SeenClient>

export const listClientsSeen = operation({
  id: 'listClientsSeen',
  at: 'GET /api/v1/organizations/{organization}/clients/seen',
  summary:
    'List the clients seen in the last 90 days and how far each got, newest first: all of them if you manage keys, otherwise your own.',
  needs: inOrganization('connector_read'),
  answer: z.strictObject({
    items: z.array(SeenClient),
    /** Where clients reach this gateway, without a slash at its end. */
    address: z.string(),
    /** How a client on this very machine starts the stdio bridge; null where clients may be elsewhere. */
    bridge: z.strictObject({ command: z.string(), file: z.string() }).nullable(),
  }),
})
