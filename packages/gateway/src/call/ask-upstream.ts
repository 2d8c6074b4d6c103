/**
 * One upstream request of a verb, with its credential, and its repeats where they are safe (ADR 0024).
 *
 * A write is sent once, unless it surely did not arrive or its server says that it did not process it. A call that only reads, or
 * that is idempotent, is repeated within its own time; after that the connection's breaker has seen enough failures to open.
 */
import { Fault } from '@toolway/contract'
import { REAL_TIME } from '../lib/pause.ts'
import { accessRefusedOf } from '../upstreams/access-refused.ts'
import { statusRefusedOf } from '../upstreams/status-refused.ts'
import { wasUnsent } from '../upstreams/unsent.ts'
import type { UpstreamRetries, Answer } from '../upstreams/upstream.ts'
import { REPEATABLE } from '@toolway/protocol/client'
import { retry, retryAfter, type Passing } from '@toolway/protocol/retry'
import { onlyReads, withoutDoubt } from './cut-read.ts'
import { openCredential, renewCredential, type Asking, type ConnectRequest } from './credentials/use-credential.ts'

/**
 * Ledger S2-QRK-06, U-20. Milliseconds. `mostWait`: what a server may want to be waited for. Somebody sits in front of the call, and is told
 * of longer waits at once.
 */
export const LIMITS: UpstreamRetries = { tries: 5, total: 60_000, first: 100, most: 60_000, mostWait: 5_000 }
/** Seconds that a request waits for a place where its connection does not say how long it may take. */
const TIMEOUT = 60
/** A server that is being restarted; what else it may answer stays the same. */
const AWAY = new Set([502, 503, 504])

/** One ask, sent once. Where its server takes no credentials it costs nothing more than the ask itself. */
export function askOnce(connectRequest: ConnectRequest, ask: Asking): Promise<Answer> {
  if (connectRequest.target.credentials !== true || ask.credential !== undefined) return send(connectRequest, ask)
  const { audit } = connectRequest
  audit.enter('credential')
  const opening = openCredential(connectRequest)
  if (opening instanceof Promise)
    return opening.then((opened) => {
      ask.credential = opened
      audit.enter('upstream')
      return send(connectRequest, ask)
    })
  ask.credential = opening
  audit.enter('upstream')
  return send(connectRequest, ask)
}

/** Sent once there is a place for it at its server. One that its server holds as long as it likes takes none. */
function send(connectRequest: ConnectRequest, ask: Asking): Promise<Answer> {
  const { parts, target, audit } = connectRequest
  if (ask.patient === true) return sendNow(connectRequest, ask)
  const { connectionId, alias, timeout: seconds = TIMEOUT } = target
  const waiting = parts.places.take({ connectionId, alias, seconds, signal: ask.signal })
  if (waiting === undefined) return sendInPlace(connectRequest, ask)
  audit.enter('queue')
  return waiting.then(
    () => {
      audit.enter('upstream')
      return sendInPlace(connectRequest, ask)
    },
    (thrown: unknown) => {
      audit.note({ unsent: !audit.sent })
      throw thrown
    },
  )
}

/** A server that waits for a person's answer works on nothing: its place is free then. */
async function sendInPlace(connectRequest: ConnectRequest, ask: Asking): Promise<Answer> {
  const { parts, target } = connectRequest
  let inPlace = true
  const leave = () => {
    if (inPlace) parts.places.leave(target.connectionId)
    inPlace = false
  }
  try {
    return await sendNow(connectRequest, {
      ...ask,
      onQuestion(question) {
        leave()
        return ask.onQuestion(question)
      },
    })
  } finally {
    leave()
  }
}

/** The upstream is looked up when the request leaves: the connection may have changed or gone while it waited. */
function sendNow({ requestContext, target, audit }: ConnectRequest, ask: Asking): Promise<Answer> {
  const upstream = requestContext.upstream(target.connectionId)
  return audit.ask(target, ask, () => upstream.ask(ask))
}

export async function askSurely(connectRequest: ConnectRequest, ask: Asking): Promise<Answer> {
  try {
    return await askOnce(connectRequest, ask)
  } catch (thrown) {
    return askAgain(connectRequest, ask, thrown)
  }
}

/** Repeats a failed request where that is safe; rejects with the last error. */
export async function askAgain(connectRequest: ConnectRequest, ask: Asking, thrown: unknown): Promise<Answer> {
  try {
    return await repeatSafely(connectRequest, ask, thrown)
  } catch (failure) {
    throw onlyReads(connectRequest, ask) ? withoutDoubt(failure) : failure
  }
}

async function repeatSafely(connectRequest: ConnectRequest, ask: Asking, thrown: unknown): Promise<Answer> {
  const { requestContext, channel, audit, target } = connectRequest
  const repeats = mayRepeat(connectRequest, ask)
  const { patience = 0, retries: limits = LIMITS } = requestContext.upstream(target.connectionId)
  let renewed = false

  /** Once for the whole call: a new credential that is refused, too, is nothing to go on with. */
  async function renew(refusal: unknown, send: Asking): Promise<Answer> {
    const accessRefused = accessRefusedOf(refusal)
    if (accessRefused === undefined || renewed || target.credentials !== true) throw refusal
    renewed = true
    const renewing = () => renewCredential(connectRequest, ask.credential, { refusal, said: accessRefused, repeats })
    audit.enter('credential')
    ask.credential = await (audit.trace?.within('credential renewal', renewing) ?? renewing())
    audit.enter('upstream')
    return askOnce(connectRequest, { ...send, credential: ask.credential })
  }

  try {
    return await renew(thrown, ask)
  } catch (failed) {
    return retry(
      (left) => {
        const send = { ...ask, signal: AbortSignal.any([ask.signal, AbortSignal.timeout(left)]) }
        return askOnce(connectRequest, send).catch((refusal: unknown) => renew(refusal, send))
      },
      {
        limits: { ...limits, total: Math.min(limits.total, patience) },
        evaluate: (failure) => (audit.facts.questioned ? undefined : passingOf(failure)),
        idempotent: repeats,
        isRefusedByBreaker: isRefusedHere,
        signal: channel.signal,
        // The tries of this very call may have opened the breaker: the failure that did it says more.
        failed: { thrown: isRefusedByBreaker(failed) ? thrown : failed, after: performance.now() - audit.begun },
        ...REAL_TIME,
      },
    ).catch((failure: unknown) => {
      throw channel.signal.aborted ? cancelled(channel.signal) : failure
    })
  }
}

const cancelled = ({ reason }: AbortSignal): Fault => (reason instanceof Fault ? reason : new Fault('call.cancelled'))

/** A call that becomes a task, or waits for one, has a life of its own at the server. */
function mayRepeat({ target }: ConnectRequest, { method, params, patient = false }: Asking): boolean {
  if (patient || params['task'] !== undefined) return false
  return method === 'tools/call' ? target.repeats === true : REPEATABLE.has(method)
}

const isRefusedByBreaker = (thrown: unknown) => thrown instanceof Fault && thrown.code === 'upstream.resting'
/** A try that was not sent. */
const isRefusedHere = (thrown: unknown) =>
  isRefusedByBreaker(thrown) || (thrown instanceof Fault && thrown.code === 'connection.busy')

/** Undefined for a failure that waiting does not mend. */
function passingOf(failure: unknown): Passing | undefined {
  const refused = statusRefusedOf(failure)
  const wanted = retryAfter(refused?.retryAfter, Date.now())
  const [unsent, maybe]: Passing[] = [
    { wanted: wanted ?? 0, done: 'no' },
    { wanted: wanted ?? 0, done: 'maybe' },
  ]
  if (wasUnsent(failure)) return unsent
  // The server did not take the request where it says when it will.
  if (refused?.status === 429) return wanted === undefined ? maybe : unsent
  if (!(failure instanceof Fault)) return undefined
  if (refused !== undefined) return AWAY.has(refused.status) ? maybe : undefined
  return failure.code === 'upstream.lost' || failure.code === 'upstream.timeout' ? maybe : undefined
}
