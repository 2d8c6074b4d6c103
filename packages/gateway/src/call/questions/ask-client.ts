/**
 * Asks a legacy client the questions of a modern server, round by round, until the server gives its answer.
 *
 * The questions go out on the stream of the client's own request. An unanswered or refused question ends the call with a message;
 * rounds and time are bounded. The server is asked again with its own state, which is never read here.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { Fault } from '@toolway/contract'
import { nextRound, questionsOf, wantsInput, type JsonObject } from '@toolway/protocol'
import type { Target } from '../../catalog/tool-listing.ts'
import type { Answer } from '../../upstreams/upstream.ts'
import type { ClientChannel } from '../../snapshot/ports/client-channel.ts'

/** The SDK's own bounds: rounds of one call, and milliseconds for one answer of a person. */
const ROUNDS = 8
const HUMAN = 10 * 60_000
/** A server that only says "try again" is given this pause, in milliseconds. */
const PAUSE = 200

export interface Rounds {
  readonly channel: ClientChannel
  readonly target: Target
  readonly params: JsonObject
  /** One exchange with the server. */
  send(params: JsonObject): Promise<Answer>
}

/** From a first answer that asks for input to the server's last word. */
export async function answerRounds({ channel, target, params, send }: Rounds, first: Answer): Promise<Answer> {
  let answer = first
  for (let round = 0; round < ROUNDS; round++) {
    if ('error' in answer || !wantsInput(answer.result)) return answer
    const answers = await askAll(channel, target, answer.result)
    if (Object.keys(answers).length === 0) await sleep(PAUSE, undefined, { signal: channel.signal })
    answer = await send(nextRound(params, answer.result, answers))
  }
  throw new Fault('upstream.rounds', { connection: target.alias, rounds: ROUNDS })
}

/** The answers to the questions of one round, by their keys. */
export async function askAll(
  channel: ClientChannel,
  target: Target,
  result: JsonObject,
): Promise<Record<string, JsonObject>> {
  // Two calls may use the same key, and a client keeps its pages apart by their ids.
  const questions = questionsOf(result, () => randomUUID())
  if (questions === undefined)
    throw new Fault('upstream.question', { connection: target.alias, revision: target.revision })
  const asked = questions.map(
    async ({ key, method, params }) => [key, await askOne(channel, target, method, params)] as const,
  )
  return Object.fromEntries(await Promise.all(asked))
}

async function askOne(channel: ClientChannel, target: Target, method: string, params: JsonObject): Promise<JsonObject> {
  const stopTimer = new AbortController()
  const answer = await Promise.race([
    channel.question({ jsonrpc: '2.0', id: 0, method, params }),
    sleep(HUMAN, undefined, { signal: stopTimer.signal, ref: false }),
  ]).finally(() => stopTimer.abort())
  if (channel.signal.aborted) throw Fault.of(channel.signal.reason)
  if (answer !== undefined && 'result' in answer) return answer.result
  const problem = answer === undefined ? 'nobody answered in time' : answer.error.message.slice(0, 200)
  throw new Fault('client.answer', { method, connection: target.alias, problem })
}
