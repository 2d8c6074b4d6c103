/** Lines of the gateway's own log as operations show them: with the organization and the connection that they are of. */
import type { LogLine } from '@toolway/contract/admin'
import type { Snapshot } from '../snapshot/snapshot.ts'
import type { OperationBase } from './serve.ts'

type Snapshots = OperationBase['snapshots']

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

/** Returns the owner of a log line, as far as the line names it: calls name organization and alias, other lines an id. */
function ownerOf(snapshots: Snapshots, facts: Record<string, unknown>) {
  const organizationId = textOf(facts['org_id']) ?? textOf(facts['organizationId'])
  // A process is named by alias, id and owner.
  const connectionId = textOf(facts['connectionId']) ?? textOf(facts['child'])?.split('.')[1]
  const snapshot: Snapshot | undefined =
    organizationId !== undefined
      ? snapshots.find({ id: organizationId })
      : connectionId === undefined
        ? undefined
        : snapshots.all().find(({ connections }) => connections.some(({ id }) => id === connectionId))
  const named = textOf(facts['connection'])
  const connection = snapshot?.connections.find(({ id, alias }) => id === (connectionId ?? named) || alias === named)
  return {
    tenant_slug: textOf(facts['organization']) ?? snapshot?.organization.slug ?? null,
    connector_id: connection?.id ?? connectionId ?? null,
  }
}

export function readLine(snapshots: Snapshots, line: string): LogLine {
  const { timestamp, level, message, request_id, duration_ms, ...facts } = JSON.parse(line) as Record<string, unknown>
  return {
    timestamp: String(timestamp),
    level: String(level),
    message: String(message),
    ...ownerOf(snapshots, facts),
    request_id: textOf(request_id) ?? null,
    duration_ms: typeof duration_ms === 'number' ? duration_ms : null,
    facts,
  }
}
