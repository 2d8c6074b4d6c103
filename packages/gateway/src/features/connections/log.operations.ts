/**
 * The operations on the log of one connection. Of a line of the gateway's log no more is told than what has a field here: what else
 * it says may be of the machine, and is the platform's.
 */
import * as shapes from '@toolway/contract/admin'
import type { Operation } from '@toolway/contract/admin'
import type { ChildLine, ChildWords } from '../../upstreams/children/child-words.ts'
import { readLine } from '../../operations/log-lines.ts'
import { streamOfLines } from '../../operations/stream-of-lines.ts'
import { operationServers, type OperationBase, type OrganizationRequest, type Served } from '../../operations/serve.ts'
import type { LogTail } from '../../telemetry/log-tail.ts'
import { findConnectionOf } from '../../operations/find-connection.ts'

export interface ConnectionLogParts extends OperationBase {
  readonly runtime: {
    readonly logs: Pick<LogTail, 'recent' | 'follow'>
    /** Stderr output of the processes of connections. */
    readonly words: Pick<ChildWords, 'recent' | 'follow'>
  }
}

const { serveOrganization } = operationServers<ConnectionLogParts>()

type Line = shapes.ConnectionLogLine
type LogRequest = Pick<OrganizationRequest<Operation, ConnectionLogParts>, 'parts' | 'organization' | 'params'>

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null)

const saidBy = ({ at, text }: ChildLine): Line => ({
  ...{ timestamp: at.toISOString(), level: 'info', source: 'process', message: text, tool: null, outcome: null },
  ...{ code: null, problem: null, request_id: null, duration_ms: null },
})

/** Undefined for a line of another connection, and for one that does not say whose it is. */
function lineOf({ parts, organization }: LogRequest, connectionId: string, text: string): Line | undefined {
  const { connector_id: of, tenant_slug: slug, facts, ...line } = readLine(parts.snapshots, text)
  if (of !== connectionId || slug !== organization.slug) return undefined
  return {
    timestamp: line.timestamp,
    level: line.level,
    source: 'gateway',
    message: line.message,
    tool: textOf(facts['tool_name']),
    outcome: textOf(facts['outcome']),
    code: textOf(facts['code']) ?? (typeof facts['code'] === 'number' ? `exit ${facts['code']}` : null),
    problem: textOf(facts['problem']),
    request_id: line.request_id,
    duration_ms: line.duration_ms,
  }
}

const connectionOf = ({ parts, organization, params }: LogRequest) =>
  findConnectionOf(parts, organization.id, params['connection'] ?? '')

function recentLines(request: LogRequest): Line[] {
  const { logs, words } = request.parts.runtime
  const { id } = connectionOf(request)
  const lines = logs.recent().flatMap((text) => lineOf(request, id, text) ?? [])
  return [...lines, ...words.recent(id).map(saidBy)].toSorted((first, other) =>
    first.timestamp < other.timestamp ? -1 : 1,
  )
}

function follow(request: LogRequest) {
  const { logs, words } = request.parts.runtime
  const { id } = connectionOf(request)
  return (onLine: (line: Line) => void) => {
    const leaveLog = logs.follow((text) => {
      const line = lineOf(request, id, text)
      if (line !== undefined) onLine(line)
    })
    const leaveWords = words.follow(id, (line) => onLine(saidBy(line)))
    return () => {
      leaveLog()
      leaveWords()
    }
  }
}

export const connectionLogOperations: readonly Served<ConnectionLogParts>[] = [
  serveOrganization(shapes.listConnectionLog, (request) => ({
    items: recentLines(request).slice(-request.query.count),
  })),
  serveOrganization(shapes.followConnectionLog, (request) => streamOfLines(follow(request), request.signal)),
]
