/** Writes a fault as a whole HTTP answer, and ends a request whose body was not read. */
import type { ServerResponse } from 'node:http'
import type { Fault } from '@toolway/contract'
import { errorOf, failureOf, headersOf, problemAnswer } from './http-faults.ts'
import { cutUnread } from './streams/unread-answers.ts'

/** problem+json (RFC 9457); `word` adds what the clients of one address expect. */
export function answerProblem(
  response: ServerResponse,
  fault: Fault,
  correlationId: string,
  word = (problem: object): object => problem,
): void {
  const { status, type, problem } = problemAnswer(fault, correlationId)
  answer(response, fault, { status, type, body: word(problem) })
}

/** A JSON-RPC error without an id: the request was not read. */
export function answerRpcError(response: ServerResponse, fault: Fault, correlationId: string): void {
  const body = failureOf(undefined, errorOf(fault, 'legacy', correlationId))
  answer(response, fault, { status: fault.row.http, type: 'application/json', body })
}

const ID = '{id}'
const wordedFaults = new WeakMap<Fault, readonly string[]>()

/** The same as a JSON-RPC error for a fault that is told many times over: all but the correlation id is worded once. */
export function answerBusy(response: ServerResponse, fault: Fault, correlationId: string): void {
  let worded = wordedFaults.get(fault)
  if (worded === undefined) {
    worded = JSON.stringify(failureOf(undefined, errorOf(fault, 'legacy', ID))).split(ID)
    wordedFaults.set(fault, worded)
  }
  const text = worded.join(correlationId)
  response
    .writeHead(fault.row.http, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
      'x-correlation-id': correlationId,
      ...headersOf(fault),
    })
    .end(text)
}

interface FaultAnswer {
  readonly status: number
  readonly type: string
  readonly body: object
}

function answer(response: ServerResponse, fault: Fault, { status, type, body }: FaultAnswer): void {
  const text = JSON.stringify(body)
  response
    .writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(text), ...headersOf(fault) })
    .end(text)
  cutUnread(response)
}
