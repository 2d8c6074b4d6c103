/** A fault of the way to the gateway, as the JSON-RPC error that its client gets: a sentence, what mends it, what it is. */
import { Fault } from '@toolway/contract'
import type { ErrorBody, Failure, Id } from '@toolway/protocol'

/** The sentence and its mend stand together, because clients show a message and nothing else. */
function errorOf(fault: Fault): ErrorBody {
  const { word, rpc, retry, phase } = fault.row
  const message = `${/[.!?]$/.test(fault.message) ? fault.message : `${fault.message}.`} ${fault.mend}`
  return { code: rpc, message, data: { code: word, fault: fault.code, phase, mend: fault.mend, retryable: retry } }
}

export const failureOf = (id: Id | undefined, thrown: unknown): Failure => ({
  jsonrpc: '2.0',
  ...(id === undefined ? {} : { id }),
  error: errorOf(Fault.of(thrown)),
})
