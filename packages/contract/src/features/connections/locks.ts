/**
 * The lock on the tools of a connection: what comes in by itself when its server's tools change, what is held, and the looks of
 * people at it. A definition is accepted under the hash that was looked at, so that nobody accepts what came meanwhile.
 */
import { z } from 'zod'
import { LOCK_MODES } from '../../tool-lock.ts'
import { CONNECTION } from './connections.ts'
import { TENANT } from '../organizations/organizations.ts'
import { inOrganization, operation, pageOf, Paging } from '../../admin/operation.ts'

const LOCK = `${CONNECTION}/lock`
const LOCKED = `${LOCK}/tools/{tool}`
const sees = inOrganization('tool_configure')
const decides = inOrganization('connector_update')

/** SHA-256 over the canonical JSON (RFC 8785) of a tool's whole definition. */
const ToolHash = z
  .string()
  .regex(/^[0-9a-f]{64}$/, { error: 'must be 64 hexadecimal digits, as shown in the list of locked tools' })
const When = z.iso.datetime().nullable()

export const ToolLock = z.strictObject({
  mode: z.enum(LOCK_MODES),
  /** Whether what its server says of its tools' effects is believed. */
  trusted: z.boolean(),
  accepted: z.int(),
  held: z.int(),
  gone: z.int(),
})
export type ToolLock = z.output<typeof ToolLock>

export const TOOL_STATES = ['accepted', 'held', 'rejected', 'gone'] as const

export const LockedTool = z.strictObject({
  /** The server's own name of it. */
  name: z.string(),
  /** `rejected` is held too: somebody looked, and said no. */
  state: z.enum(TOOL_STATES),
  /** Of what its server lists, or listed last. */
  hash: ToolHash,
  /** Of what was accepted; null where nothing ever was. */
  accepted_hash: ToolHash.nullable(),
  /** The reviewer; null where the lock accepted it automatically. */
  accepted_by: z.string().nullable(),
  accepted_at: When,
  held_at: When,
  rejected_by: z.string().nullable(),
  rejected_at: When,
  gone_at: When,
})
export type LockedTool = z.output<typeof LockedTool>

const Definition = z.record(z.string(), z.unknown())

export const ToolDifference = LockedTool.extend({
  /** As they were listed; null where there is none. */
  accepted: Definition.nullable(),
  held: Definition.nullable(),
  /** Line by line, with nothing hidden in it; empty where nothing is held. */
  difference: z.array(
    z.strictObject({
      kind: z.enum(['same', 'removed', 'added']),
      text: z.string(),
      /** From where to where of the text words changed, in UTF-16 code units. */
      marks: z.array(z.tuple([z.int(), z.int()])),
    }),
  ),
})
export type ToolDifference = z.output<typeof ToolDifference>

/** The lock of one connection of several, with the hashes of its tools. */
const ConnectionLock = ToolLock.extend({
  alias: z.string(),
  /** Of what its server lists now; those that are held too, those that are gone not. */
  tools: z.array(z.strictObject({ name: z.string(), hash: ToolHash })),
})

export const listToolLocks = operation({
  id: 'listToolLocks',
  at: `GET ${TENANT}/tool-locks`,
  summary: 'List the locks of all connections of an organization, with the hash of each current tool.',
  needs: sees,
  query: Paging,
  answer: pageOf(ConnectionLock),
})
export const getToolLock = operation({
  id: 'getToolLock',
  at: `GET ${LOCK}`,
  summary:
    'Get the lock on the tools of a connection. The ETag identifies the current list of the connection’s server.',
  needs: sees,
  answer: ToolLock,
})
export const setToolLock = operation({
  id: 'setToolLock',
  at: `PUT ${LOCK}`,
  summary:
    'Set the lock. When turned on, it accepts the server’s current list or holds it for review (`present`). When turned off, it accepts everything.',
  needs: decides,
  body: z.strictObject({
    mode: z.enum(LOCK_MODES),
    trusted: z.boolean().optional(),
    /** The treatment of the tools that are there now; where the lock is already on and this is absent, they stay as they are. */
    present: z.enum(['accept', 'hold']).optional(),
  }),
  answer: ToolLock,
})
export const listLockedTools = operation({
  id: 'listLockedTools',
  at: `GET ${LOCK}/tools`,
  summary: 'List the tools of a connection with their hashes, including those that are on hold or gone.',
  needs: sees,
  query: Paging.extend({ state: z.enum(TOOL_STATES).optional() }),
  answer: pageOf(LockedTool),
})
export const getToolDifference = operation({
  id: 'getToolDifference',
  at: `GET ${LOCKED}`,
  summary: 'Get one tool as it was accepted and as its server lists it now, and the difference.',
  needs: sees,
  answer: ToolDifference,
})
const Looked = z.strictObject({ hash: ToolHash })
export const acceptTool = operation({
  id: 'acceptTool',
  at: `POST ${LOCKED}/accept`,
  summary: 'Accept a tool as reviewed, by its hash. The request is refused if the tool has changed since the review.',
  needs: decides,
  body: Looked,
  answer: LockedTool,
})
export const rejectTool = operation({
  id: 'rejectTool',
  at: `POST ${LOCKED}/reject`,
  summary: 'Reject a tool as reviewed: it stays on hold, even if its server lists it again.',
  needs: decides,
  body: Looked,
  answer: LockedTool,
})
