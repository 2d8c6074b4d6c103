/**
 * A batch of messages (revision 2025-03-26): each walks the road of a single one, with a audit of its own; their answers go
 * back together, in the order of the questions.
 *
 * A few run at a time, and their answers share one budget, so that a hundred large ones cannot fill the memory. Nothing can be
 * sent to the client before the whole answer, so no server can ask it anything.
 */
import { Fault } from '@toolway/contract'
import {
  idOf,
  isRequest,
  isResponse,
  readMessage,
  responseOf,
  type HeaderReader,
  type Json,
  type Request,
  type Response,
} from '@toolway/protocol'
import { readLegacy, type RequestDispatcher } from '../../call/dispatch.ts'
import type { RequestContext } from '../../snapshot/ports/request-context.ts'
import type { AuditEntryBuilder, AuditLog } from '../../call/audit-entry.ts'
import type { From } from '../../call/audit-facts.ts'
import type { CallIntake, CallPlace } from '../../limits/call-intake.ts'
import type { Session } from '../../sessions/sessions.ts'
import { cancelNamedRequest, createRequestChannel, settleQuestion } from './request-channel.ts'
import type { CallsUnderWay } from '../streams/calls-under-way.ts'
import { errorOf, failureOf } from '../http-faults.ts'

export interface BatchParts {
  readonly dispatcher: RequestDispatcher
  readonly auditLog: AuditLog
  readonly calls: Pick<CallsUnderWay, 'add'>
  /** Each request of a batch is a call and waits for its turn as one; absent: none does. */
  readonly intake?: Pick<CallIntake, 'begin'> | undefined
}

export interface Batch {
  readonly values: readonly Json[]
  readonly requestContext: RequestContext
  readonly session: Session | undefined
  readonly header: HeaderReader
  readonly correlationId: string
  readonly from: From
  /** Once it is aborted nothing more of the batch begins. */
  readonly givenUp?: AbortSignal
  readonly passThroughToken?: string | undefined
}

const MOST = 100
const WIDTH = 4
/** Bytes of answers that one batch may hold together. */
const MOST_BYTES = 32 * 1024 * 1024

/** The bytes that the answer may still contain. */
interface Budget {
  left: number
}

export function createBatch({
  dispatcher,
  auditLog,
  calls,
  intake,
}: BatchParts): (batch: Batch) => Promise<Response[]> {
  async function answer(batch: Batch, request: Request, audit: AuditEntryBuilder, budget: Budget): Promise<Response> {
    if (batch.givenUp?.aborted === true) throw new Fault('call.cancelled')
    if (batch.session?.ended.signal.aborted === true) throw new Fault('session.ended')
    // The rest of the answer cannot hold another response, so this request is not made.
    if (budget.left <= 0) throw new Fault('batch.too-large', { limit: MOST_BYTES })
    const mcpRequest = readLegacy(request, batch.session, batch.header)
    const channel = createRequestChannel({
      mcpRequest,
      session: batch.session,
      header: undefined,
      reply: { streams: false, send: () => false },
      passThroughToken: batch.passThroughToken,
      audit,
      calls,
    })
    try {
      const given = await dispatcher.dispatch({ requestContext: batch.requestContext, mcpRequest, channel, audit })
      if ('error' in given) audit.note({ outcome: 'failed' })
      const response = responseOf(request, given)
      const bytesOut = JSON.stringify(response).length
      audit.note({ bytesOut })
      budget.left -= bytesOut
      if (budget.left < 0) throw new Fault('batch.too-large', { limit: MOST_BYTES })
      return response
    } finally {
      channel.done()
    }
  }

  async function takeIn(batch: Batch, value: Json, budget: Budget): Promise<Response | undefined> {
    if (intake === undefined || idOf(value) === undefined) return walk(batch, value, budget)
    let place: CallPlace
    try {
      // Its bytes are those of the batch.
      place = await intake.begin(batch.requestContext.organizationId, 0)
    } catch (thrown) {
      // As at every door: what is not taken in leaves no line and no record.
      return failureOf(idOf(value), errorOf(Fault.of(thrown), 'legacy', batch.correlationId))
    }
    return walk(batch, value, budget).finally(place.end)
  }

  async function walk(batch: Batch, value: Json, budget: Budget): Promise<Response | undefined> {
    const audit = auditLog.begin(JSON.stringify(value).length, batch.correlationId, batch.from)
    audit.note({ requestContext: batch.requestContext })
    try {
      const message = readMessage(value)
      if (isRequest(message)) return await answer(batch, message, audit, budget)
      if (isResponse(message)) settleQuestion(batch.session, message)
      else cancelNamedRequest(batch.session, message)
      return undefined
    } catch (thrown) {
      return failureOf(idOf(value), errorOf(audit.fail(Fault.of(thrown)), 'legacy', audit.correlationId))
    } finally {
      audit.close()
    }
  }

  return async (batch) => {
    const { values } = batch
    if (values.length > MOST) throw new Fault('request.batch-size', { limit: MOST })
    if (values.length === 0) throw new Fault('request.shape', { place: 'the batch', problem: 'must not be empty' })
    const budget = { left: MOST_BYTES }
    const answers: (Response | undefined)[] = []
    const rest = values.entries()
    const worker = async () => {
      for (const [at, value] of rest) answers[at] = await takeIn(batch, value, budget)
    }
    await Promise.all(Array.from({ length: WIDTH }, worker))
    return answers.filter((item) => item !== undefined)
  }
}
