/** Tasks that stand for a call that waits for an approval: their names, and how each revision writes them. */
import { eraOf, legacyTask, type JsonObject } from '@toolway/protocol'
import type { Signer } from '../../catalog/page.ts'
import type { Principal } from '../../identity/principal.ts'
import type { Answer } from '../../upstreams/upstream.ts'
import type { ApprovalAsking } from './approval-port.ts'
import { taskOwner } from '../tasks/task-owner.ts'

const PURPOSE = 'task of an approval'
/** Milliseconds between two looks. */
const PAUSE = 2_000

const signed = (principal: Principal, organization: string, id: string) =>
  `${taskOwner(principal)}\n${organization}\n${id}`

/** The question's own id under our signature, for whoever was given it: nobody else's task is found by it. */
export const nameTask = (signer: Signer, principal: Principal, organization: string, id: string): string =>
  `${id}.${signer.sign(signed(principal, organization, id), PURPOSE)}`

/** Undefined for what is no such task, or somebody else's. */
export function questionOf(signer: Signer, principal: Principal, organization: string, task: unknown) {
  if (typeof task !== 'string' || !/^apr_[a-z0-9]{26}\./.test(task) || task.length > 300) return undefined
  const [id = '', signature = ''] = task.split('.')
  return signer.verify(signed(principal, organization, id), signature, PURPOSE) ? id : undefined
}

export interface TaskState {
  readonly taskId: string
  readonly status: 'working' | 'completed' | 'failed' | 'cancelled'
  readonly message: string | undefined
  readonly created: Date
  readonly updated: Date
  /** Milliseconds. */
  readonly ttl: number
}

/** As 2026-07-28 writes it, without what kind of result it stands in. */
export const taskOf = ({ taskId, status, message, created, updated, ttl }: TaskState): JsonObject => ({
  taskId,
  status,
  ...(message === undefined ? {} : { statusMessage: message }),
  createdAt: created.toISOString(),
  lastUpdatedAt: updated.toISOString(),
  ttlMs: ttl,
  pollIntervalMs: PAUSE,
})

export interface NewTask {
  readonly id: string
  readonly until: Date
  readonly signer: Signer
  /** Milliseconds. */
  readonly now: number
  readonly message: string
}

/** The task that a client gets for its call while the call waits. */
export function newTask({ mcpRequest, principal, organizationId }: ApprovalAsking, made: NewTask): Answer {
  const at = new Date(made.now)
  const task = taskOf({
    taskId: nameTask(made.signer, principal, organizationId, made.id),
    status: 'working',
    message: made.message,
    created: at,
    updated: at,
    ttl: Math.max(0, made.until.getTime() - made.now),
  })
  return eraOf(mcpRequest.caller.revision) === 'modern'
    ? { result: { resultType: 'task', ...task } }
    : { result: { task: legacyTask(task) } }
}
