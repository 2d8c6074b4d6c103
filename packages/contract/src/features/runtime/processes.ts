/**
 * The processes of connections that are started here, over the admin interface (ledger S3-ADM-04, S3-AUTH-05).
 *
 * Each has two addresses: below its organization, and the source system's own, which names the connection alone. The reported
 * state is that of the answering gateway; a restart and a stop reach every gateway.
 */
import { z } from 'zod'
import { inItsOrganization, inOrganization, operation } from '../../admin/operation.ts'

export const Process = z.strictObject({
  /** `error`: it failed too often and is not started any more until it is restarted. */
  status: z.enum(['starting', 'running', 'stopped', 'error', 'restarting']),
  pid: z.int().nullable(),
  /** One that serves a single caller, who can be asked things through it. */
  of_one_caller: z.boolean(),
  started_at: z.iso.datetime().nullable(),
  /** When it was last asked whether it is there. */
  last_health_check: z.iso.datetime().nullable(),
  /** Failures in a row. */
  restart_count: z.int(),
  error_message: z.string().nullable(),
  memory_limit_mb: z.int(),
})
export type Process = z.output<typeof Process>

const ProcessesOfConnection = z.strictObject({
  connector_id: z.string(),
  connector: z.string(),
  tenant_slug: z.string(),
  enabled: z.boolean(),
  /** The one that everybody shares first. */
  processes: z.array(Process),
})

const BELOW = '/api/v1/admin/tenants/{organization}/connectors/{connection}/process'
const ALONE = '/api/v1/admin/connectors/{connection}/process'
const needs = inOrganization('process_manage')
const needsAlone = inItsOrganization('process_manage')

export const findProcess = operation({
  id: 'findProcess',
  at: `GET ${BELOW}`,
  summary: 'Get the state of a connection’s processes in the gateway that responds.',
  needs,
  answer: ProcessesOfConnection,
})
export const restartProcess = operation({
  id: 'restartProcess',
  at: `POST ${BELOW}/restart`,
  summary: 'Restart a connection: close its sessions and processes in every gateway, and open it again.',
  needs,
  status: 202,
  answer: ProcessesOfConnection,
})
export const stopProcess = operation({
  id: 'stopProcess',
  at: `DELETE ${BELOW}`,
  summary: 'Stop the processes of a connection in every gateway. They start again when they are needed.',
  needs,
})

export const findProcessOfConnection = operation({
  id: 'findProcessOfConnection',
  at: `GET ${ALONE}/status`,
  summary: findProcess.summary,
  needs: needsAlone,
  answer: ProcessesOfConnection,
})
export const restartProcessOfConnection = operation({
  id: 'restartProcessOfConnection',
  at: `POST ${ALONE}/restart`,
  summary: restartProcess.summary,
  needs: needsAlone,
  status: 202,
  answer: ProcessesOfConnection,
})
export const stopProcessOfConnection = operation({
  id: 'stopProcessOfConnection',
  at: `DELETE ${ALONE}`,
  summary: stopProcess.summary,
  needs: needsAlone,
})
