/**
 * "Connect an account first": what a client gets when its call meets a dead or missing credential (ledger U-24), so that the same
 * call goes on once its person has been there.
 *
 * Who can be sent to a page is: a modern client in a round of its own (specification 2026-07-28, multi round-trip requests), a
 * legacy one on its call's own stream (2025-11-25, elicitation: URL mode), or by the error of that revision where the stream takes
 * no question. Everybody else reads the link in the refusal. The link says nothing to anybody but its person, and a token of the
 * other side is in none of this.
 */
import { randomUUID } from 'node:crypto'
import { Fault } from '@toolway/contract'
import { eraOf, isObject, NEWEST_LEGACY, type McpRequest, type Json, type JsonObject } from '@toolway/protocol'
import { createBoundStates } from './bound-states.ts'
import type { Signer } from '../../catalog/page.ts'
import type { Answer } from '../../upstreams/upstream.ts'
import type { CallCredentials } from '../../snapshot/ports/credentials.ts'
import type { AuthElicitation, ResumableCall } from './question-ports.ts'
import type { ClientChannel } from '../../snapshot/ports/client-channel.ts'
import { createPagesTold } from './shown-pages.ts'
import { createCredentialWaiters, type Waiting, type Word } from './credential-waiters.ts'

export interface AuthElicitationParts {
  readonly credentials: Pick<CallCredentials, 'credentialArrived'>
  readonly signer: Signer
  /** The purpose of a link of the gateway; equal texts mean equal purposes. */
  wishOf(link: string): string | undefined
  readonly now?: () => number
  /** Calls of one principal that may wait. */
  readonly mostOfOne?: number
}

/** How long a modern client's retry waits, in milliseconds: clients of the SDK wait 60 s for an answer. */
const RETRY = 40_000
/** A live call is tried again so many times; whoever is refused thereafter is not sent in a circle. */
const TURNS = 3
const KEY = 'connect'
/** No character of base64url: a server's own state is never taken for one of ours. */
const PREFIX = `${KEY}~`
const PURPOSE = 'account to connect'
/** Characters of a request's own state and answers that go round with a question of ours. */
const MOST_CARRIED = 64 * 1024
const ROUNDED: ReadonlySet<string> = new Set(['tools/call', 'prompts/get', 'resources/read'])
const URL_FIRST = -32042

/** Whether a request comes back from a question of ours. */
export const comesBack = ({ requestState }: JsonObject): boolean =>
  typeof requestState === 'string' && requestState.startsWith(PREFIX)

export function createAuthElicitation(parts: AuthElicitationParts): AuthElicitation {
  const { credentials, signer, wishOf, now = Date.now, mostOfOne } = parts
  const waiters = createCredentialWaiters(credentials, mostOfOne)
  const states = createBoundStates(signer, now, PURPOSE)
  const pages = createPagesTold(wishOf, now)

  /** The question of a round, with the request's own state and answers inside ours; undefined where they are too large for that. */
  function round(call: ResumableCall, fault: Fault): Answer | undefined {
    const { requestState, inputResponses } = call.params
    const carried = JSON.stringify({ requestState, inputResponses })
    if (carried.length > MOST_CARRIED) return undefined
    const inputRequests: JsonObject = { [KEY]: { method: 'elicitation/create', params: pageOf(fault) } }
    const state = PREFIX + states.bind(carried, ownerOf(call))
    return { result: { resultType: 'input_required', inputRequests, requestState: state } }
  }

  return {
    async resume(call) {
      const { channel, asking, params, alias } = call
      const { requestState, inputResponses, ...own } = params
      const before = states.release(String(requestState).slice(PREFIX.length), ownerOf(call))
      const action = actionOf(inputResponses)
      if (action === 'decline' || action === 'cancel') throw declined(alias, action)
      const waiting = action === 'accept' ? waiters.begin(asking.principal.id, channel.signal) : undefined
      // Whether it came or not, the call itself finds out.
      await waiting?.credentialArrived(asking, RETRY).finally(waiting.end)
      return { ...own, ...(JSON.parse(before) as JsonObject) }
    },

    async ask(call, thrown, turn) {
      const { mcpRequest, channel, asking } = call
      if (!isNeeded(thrown)) throw thrown
      const fault = pages.of(asking, thrown)
      // A caller with a pass-through token has to send another token: an account of its own would not be used.
      const leads = call.goesOn && asking.passThroughToken === undefined
      if (!leads || !ROUNDED.has(mcpRequest.method) || !opensPages(mcpRequest)) throw fault
      const refused = (answer: Answer): Answer => {
        call.audit.refuse(fault)
        return answer
      }
      if (eraOf(mcpRequest.caller.revision) === 'modern') {
        const question = round(call, fault)
        if (question === undefined) throw fault
        return refused(question)
      }
      if (!channel.asks) return refused(urlFirst(waiters, call, fault))
      const waiting = turn < TURNS ? waiters.begin(asking.principal.id, channel.signal) : undefined
      if (waiting === undefined) throw fault
      const connected = await live(waiters, { call, fault, waiting }).finally(waiting.end)
      if (!connected) throw fault
      return undefined
    },

    close: waiters.close,
  }
}

type CredentialWaiters = ReturnType<typeof createCredentialWaiters>

const COMPLETE = 'notifications/elicitation/complete'

/** Ask on the call's own stream, and wait there; true when the call can go on. */
async function live(
  waiters: CredentialWaiters,
  { call, fault, waiting }: { call: ResumableCall; fault: Fault; waiting: Waiting },
): Promise<boolean> {
  const { asking, channel } = call
  const id = randomUUID()
  const params = { ...pageOf(fault), elicitationId: id }
  const key = JSON.stringify([channel.session?.id, fault.facts['link']])
  let asks = false
  const patience = patienceOf(fault)
  for (;;) {
    const { word, leave } = waiters.ask(key, () => {
      asks = true
      return put(channel, params, patience)
    })
    try {
      const said = await word
      if (channel.signal.aborted) throw Fault.of(channel.signal.reason)
      if (said === 'gone') continue
      if (said === 'decline' || said === 'cancel') throw declined(call.alias, said)
      if (said === 'unasked' || !(await waiting.credentialArrived(asking, patience))) return false
      if (asks) channel.notify({ jsonrpc: '2.0', method: COMPLETE, params: { elicitationId: id } })
      return true
    } finally {
      leave()
    }
  }
}

/** The error of 2025-11-25; the page's end is told on the session's own stream, where that can be waited for. */
function urlFirst(waiters: CredentialWaiters, { asking, channel: { session } }: ResumableCall, fault: Fault): Answer {
  const elicitationId = randomUUID()
  const waiting = session === undefined ? undefined : waiters.begin(asking.principal.id, session.ended.signal)
  waiting
    ?.credentialArrived(asking, patienceOf(fault))
    .then((there) => {
      if (there) session?.say({ jsonrpc: '2.0', method: COMPLETE, params: { elicitationId } })
    })
    .catch(() => {})
    .finally(waiting.end)
  const { word, retry, phase } = fault.row
  const told = { code: word, fault: fault.code, phase, mend: fault.mend, retryable: retry }
  const data = { elicitations: [{ ...pageOf(fault), elicitationId }], ...told, ...(fault.data as JsonObject) }
  return { error: { code: URL_FIRST, message: fault.message, data } }
}

const isNeeded = (thrown: unknown): thrown is Fault => thrown instanceof Fault && thrown.code === 'credential.needed'

const ownerOf = ({ asking, digest }: ResumableCall) => ({ principal: asking.principal.id, digest })

/** As long as its link is good, in milliseconds. */
const patienceOf = ({ facts }: Fault): number => Number(facts['minutes']) * 60_000

const declined = (connection: string, action: string): Fault =>
  new Fault('credential.declined', { connection, action: action === 'decline' ? 'declined' : 'cancelled' })

const pageOf = (fault: Fault): JsonObject => ({
  mode: 'url',
  message: `${fault.message} Open this page to connect one.`,
  url: String(fault.facts['link']),
})

/** Whether a client can be sent to a page: URL mode came with 2025-11-25, and is declared by name. */
function opensPages({ caller: { revision, capabilities } }: McpRequest): boolean {
  const { elicitation } = capabilities
  return revision >= NEWEST_LEGACY && isObject(elicitation) && isObject(elicitation['url'])
}

function actionOf(answers: Json | undefined): Json | undefined {
  const answer = isObject(answers) && Object.hasOwn(answers, KEY) ? answers[KEY] : undefined
  return isObject(answer) ? answer['action'] : undefined
}

async function put(channel: ClientChannel, params: JsonObject, patience: number): Promise<Word> {
  const timedOut = Promise.withResolvers<undefined>()
  const timer = setTimeout(timedOut.resolve, patience, undefined)
  const question = channel.question({ jsonrpc: '2.0', id: 0, method: 'elicitation/create', params })
  const answer = await Promise.race([question, timedOut.promise]).finally(() => clearTimeout(timer))
  if (channel.signal.aborted) return 'gone'
  const action = answer !== undefined && 'result' in answer ? answer.result['action'] : undefined
  return action === 'accept' || action === 'decline' || action === 'cancel' ? action : 'unasked'
}
