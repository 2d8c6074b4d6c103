/**
 * The operations on processes: how they are, restart, stop. Told is what runs in the gateway that answers; what is changed is
 * changed in all of them, which hear of it from the database.
 */
import { runsHere, Fault } from '@toolway/contract'
import * as shapes from '@toolway/contract/admin'
import { z } from 'zod'
import { restartConnection, type ConnectionRow } from '../../connections/connections.ts'
import type { OrgSql } from '../../db/db.ts'
import type { ProcessState } from '../../upstreams/upstream.ts'
import { findConnectionOf } from '../../operations/find-connection.ts'
import { serveOrganization, type OrganizationRequest, type Served } from './serve.operations.ts'

type Shown = typeof shapes.findProcess
type Restart = typeof shapes.restartProcess
type Stop = typeof shapes.stopProcess
type Of = Pick<OrganizationRequest<Shown>, 'parts' | 'organization' | 'params'>

const connectionOf = ({ parts, organization, params }: Of) =>
  findConnectionOf(parts, organization.id, params['connection'] ?? '')

const timeOf = (at: number | undefined) => (at === undefined ? null : new Date(at).toISOString())

const toProcess = (state: ProcessState, memory: number): shapes.Process => ({
  status: state.status,
  pid: state.pid ?? null,
  of_one_caller: state.ofOneCaller,
  started_at: timeOf(state.startedAt),
  last_health_check: timeOf(state.checkedAt),
  restart_count: state.failures,
  error_message: state.problem ?? null,
  memory_limit_mb: memory,
})

function show({ parts, organization }: Of, connection: ConnectionRow) {
  const { upstreams, childMemory } = parts.runtime
  return {
    connector_id: connection.id,
    connector: connection.alias,
    tenant_slug: organization.slug,
    enabled: connection.enabled,
    processes: (upstreams.processes(connection.id) ?? []).map((state) => toProcess(state, childMemory)),
  }
}

const find = (request: OrganizationRequest<Shown>) => show(request, connectionOf(request))

async function restart(request: OrganizationRequest<Restart>) {
  const connection = connectionOf(request)
  if (!connection.enabled) throw new Fault('upstream.disabled', { connection: connection.alias })
  await request.change(
    () => ({ action: 'process.restart', resource: 'connection', id: connection.id }),
    (sql) => restartConnection(sql, connection.alias),
  )
  // From here on, the reported state is that of the new attempt.
  await request.parts.snapshots.refresh(request.organization.id)
  return show(request, connection)
}

async function stop(request: OrganizationRequest<Stop>): Promise<undefined> {
  const connection = connectionOf(request)
  if (!runsHere(connection.settings)) throw new Fault('thing.unknown', { thing: 'process' })
  await request.change(
    () => ({ action: 'process.stop', resource: 'connection', id: connection.id }),
    (sql) => tellToStop(sql, connection.id),
  )
  // The others hear of it when it is on record; who asked is answered when it is true here.
  await request.parts.runtime.upstreams.stop(connection.id)
}

const tellToStop = (sql: OrgSql, id: string) =>
  sql(z.object({ said: z.string() }))`select announce_change(${JSON.stringify({ stop: id })})::text as said`

export const processOperations: readonly Served[] = [
  serveOrganization(shapes.findProcess, find),
  serveOrganization(shapes.restartProcess, restart),
  serveOrganization(shapes.stopProcess, stop),
  serveOrganization(shapes.findProcessOfConnection, find),
  serveOrganization(shapes.restartProcessOfConnection, restart),
  serveOrganization(shapes.stopProcessOfConnection, stop),
]
