/**
 * The log of one connection, for who administers its organization: what the gateway says of it, and what its processes say on
 * stderr, masked as the log masks it. Lines of other connections, and of other organizations, are never on it.
 */
import { z } from 'zod'
import { inOrganization, operation } from '../../admin/operation.ts'

const LOG = '/api/v1/organizations/{organization}/connections/{connection}/log'
const needs = inOrganization('process_manage')

export const ConnectionLogLine = z.strictObject({
  timestamp: z.iso.datetime(),
  level: z.string(),
  /** The source of the line: the gateway, or a process of the connection on stderr. */
  source: z.enum(['gateway', 'process']),
  message: z.string(),
  tool: z.string().nullable(),
  /** How a call ended. */
  outcome: z.string().nullable(),
  /** Of the fault table, or how a process ended. */
  code: z.string().nullable(),
  problem: z.string().nullable(),
  request_id: z.string().nullable(),
  duration_ms: z.number().nullable(),
})
export type ConnectionLogLine = z.output<typeof ConnectionLogLine>

export const listConnectionLog = operation({
  id: 'listConnectionLog',
  at: `GET ${LOG}`,
  summary:
    'Get the last lines of a connection’s log from the gateway that responds, including the stderr of its processes; newest last.',
  needs,
  query: z.strictObject({ count: z.coerce.number().int().min(1).max(500).default(200) }),
  answer: z.strictObject({ items: z.array(ConnectionLogLine) }),
})

export const followConnectionLog = operation({
  id: 'followConnectionLog',
  at: `GET ${LOG}/stream`,
  summary:
    'Stream the lines of a connection’s log as they arrive (event `log`). A reader that is too slow receives the event `dropped` and is disconnected.',
  needs,
  answer: ConnectionLogLine,
  media: 'text/event-stream',
})
