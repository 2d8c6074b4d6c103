/**
 * An operation carried out in this process, for faces that are not HTTP: authorization, validation, the work with its record, and the
 * answer by its shape, in the order of the admin door.
 */
import { Fault } from '@toolway/contract'
import type { Operation } from '@toolway/contract/admin'
import type { Principal } from '../identity/principal.ts'
import type { Actor } from '../records/change.ts'
import { answerOf } from './answer.ts'
import { placeOf, refuseBeyond } from './authorize-operation.ts'
import { readInput, refuseUnstorable, type RawInput } from './read-input.ts'
import type { Origin } from '../lib/origin.ts'
import type { OperationBase, OperationCall, Served } from './serve.ts'

/** All operations, and what they work with. */
export interface Administration<Parts extends OperationBase = OperationBase> {
  readonly operations: readonly Served<Parts>[]
  readonly parts: Parts
}

/** On whose behalf a face calls. */
export interface Caller {
  readonly principal: Principal
  readonly actor: Actor
  readonly origin: Origin
}

export interface LocalRequest extends RawInput {
  readonly ifMatch?: string | undefined
  readonly signal?: AbortSignal | undefined
  readonly progress?: OperationCall['progress']
}

/** The answer by the operation's shape, or a Response where it answers with something else than JSON. Throws a Fault. */
export async function carryOut<Parts extends OperationBase>(
  { operations, parts }: Administration<Parts>,
  { principal, actor, origin }: Caller,
  operation: Operation,
  request: LocalRequest,
): Promise<unknown> {
  const served = operations.find((candidate) => candidate.operation.id === operation.id)
  if (served === undefined) throw new Fault('address.unknown', { path: operation.path })
  const { params, ifMatch, signal = new AbortController().signal, progress } = request
  refuseBeyond(principal, operation)
  refuseUnstorable(request)
  const scope = placeOf(parts, principal, operation.needs, params)
  const { query, body } = readInput(operation, request)
  const head = { set() {}, append() {} }
  const asking = {
    principal,
    actor,
    origin,
    params,
    query,
    body,
    ifMatch,
    header: () => undefined,
    head,
    signal,
    progress,
  }
  const answer = await served.run(parts, asking, scope)
  return answer instanceof Response ? answer : answerOf(operation, answer)
}
