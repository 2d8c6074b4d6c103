/** How a request ended, for its trail and for its client. */
import type { Fault } from '@toolway/contract'
import type { Request, Response } from '@toolway/protocol'
import { outcomeOfFault } from '../call/fault-outcome.ts'
import type { Answer } from '../call/ports.ts'
import type { Trail } from '../call/trail.ts'

/** Note how it ended on the trail, unless a verb that knows better has done so. */
export function note(trail: Trail, fault: Fault): Fault {
  trail.fault ??= fault
  trail.outcome = outcomeOfFault(fault)
  return fault
}

export const responseOf = ({ id }: Request, answer: Answer): Response =>
  'error' in answer ? { jsonrpc: '2.0', id, error: answer.error } : { jsonrpc: '2.0', id, result: answer.result }
