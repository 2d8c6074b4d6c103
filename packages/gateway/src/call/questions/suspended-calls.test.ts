import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createVault } from '../../vault/vault.ts'
import { createSuspendedCalls } from './suspended-calls.ts'
import type { Answer } from '../../upstreams/upstream.ts'
import type { EventSink, SuspendedCalls, Round } from './question-ports.ts'
import type { ClientChannel } from '../../snapshot/ports/client-channel.ts'

const vault = createVault(Buffer.alloc(32, 1))
const question = (message: string) => ({
  jsonrpc: '2.0' as const,
  id: 1,
  method: 'elicitation/create',
  params: { message },
})

/** A line to nobody in particular. */
const lineOf = (signal: AbortSignal = new AbortController().signal): ClientChannel => ({
  signal,
  session: undefined,
  header: undefined,
  asks: false,
  notify() {},
  question: () => Promise.resolve({ error: { code: -32601, message: 'no' } }),
})

let calls: SuspendedCalls
beforeEach(() => {
  vi.useFakeTimers()
  calls = createSuspendedCalls(vault)
})
afterEach(() => {
  calls.close()
  vi.useRealTimers()
})

/** A server that asks for each of these in a row, then answers with what it was told. */
const asking =
  (...messages: string[]) =>
  async ({ onQuestion }: EventSink): Promise<Answer> => {
    const told = await Promise.all(messages.map((message) => onQuestion(question(message))))
    return { result: { content: [], told: told.map((one) => ('result' in one ? one.result : one.error)) } as never }
  }

const round = (params: Round['params'] = {}, more: Partial<Round> = {}): Round => ({
  principal: 'ada',
  digest: 'd',
  channel: lineOf(),
  params,
  ...more,
})

async function ask(...messages: string[]) {
  const first = calls.round(round(), asking(...messages))
  await vi.advanceTimersByTimeAsync(20)
  const word = await first
  if (!('question' in word)) throw new Error('nothing was asked')
  return word.question as { requestState: string; inputRequests: Record<string, unknown>; resultType: string }
}
const never = () => Promise.reject(new Error('a retry starts nothing'))

describe('a call that waits for its client', () => {
  test('that could not even begin is not kept', async () => {
    const begun = calls.round(round(), () => {
      throw new Error('this connection is switched off')
    })
    await expect(begun).rejects.toThrow('switched off')
    expect(calls.size).toBe(0)
  })

  test('says what is wanted, and goes on with the answers', async () => {
    const asked = await ask('name?', 'place?')
    expect(asked).toMatchObject({
      resultType: 'input_required',
      inputRequests: { q1: { params: { message: 'name?' } }, q2: {} },
    })
    const inputResponses = { q1: { action: 'accept' }, q2: { action: 'decline' }, other: {} }
    const word = await calls.round(round({ requestState: asked.requestState, inputResponses }), never)
    expect(word).toMatchObject({ result: { told: [{ action: 'accept' }, { action: 'decline' }] } })
    expect(calls.size).toBe(0)
  })

  test('asks again for what was left out, under a state of its own', async () => {
    const asked = await ask('name?', 'place?')
    const inputResponses = { q1: { action: 'accept' }, q2: 12 }
    const word = await calls.round(round({ requestState: asked.requestState, inputResponses }), never)
    expect(word).toMatchObject({ question: { inputRequests: { q2: {} } } })
    expect('question' in word && word.question['requestState']).not.toBe(asked.requestState)
  })

  test('is nobody else’s, no other request’s, and goes on once only', async () => {
    const { requestState } = await ask('name?')
    const inputResponses = { q1: { action: 'accept' } }
    const tries: [Round['params'], Partial<Round>][] = [
      [{ requestState, inputResponses }, { principal: 'eve' }],
      [{ requestState, inputResponses }, { digest: 'another' }],
      [{ requestState: `${requestState}-TAMPERED`, inputResponses }, {}],
      [{ requestState: requestState.replace('.1.', '.2.'), inputResponses }, {}],
      [{ requestState: '', inputResponses }, {}],
      [{ requestState: { a: 1 }, inputResponses }, {}],
    ]
    for (const [params, more] of tries) {
      expect(() => void calls.round(round(params, more), never)).toThrow('Invalid or expired requestState')
    }
    expect(await calls.round(round({ requestState, inputResponses }), never)).toHaveProperty('result')
    expect(() => void calls.round(round({ requestState, inputResponses }), never)).toThrow('not known to this gateway')
  })

  test('ends when its client does not come back, and its server is told', async () => {
    let signal: AbortSignal | undefined
    const first = calls.round(round(), (eventSink) => {
      signal = eventSink.signal
      return asking('name?')(eventSink)
    })
    await vi.advanceTimersByTimeAsync(20)
    await first
    await vi.advanceTimersByTimeAsync(10 * 60_000)
    expect([calls.size, signal?.aborted]).toEqual([0, true])
  })

  test('is cancelled when its client leaves in the middle of a round, and kept when it leaves between two', async () => {
    const leaving = new AbortController()
    const first = calls.round(round({}, { channel: lineOf(leaving.signal) }), () => new Promise(() => {}))
    leaving.abort(new Error('gone'))
    await expect(first).rejects.toThrow()
    expect(calls.size).toBe(0)
    await ask('name?')
    expect(calls.size).toBe(1)
  })

  test('is one of twenty of its principal; more are refused until one ends', async () => {
    for (let at = 0; at < 20; at++) await ask('name?')
    expect(() => void calls.round(round(), asking('name?'))).toThrow('20 calls that wait')
    expect(await calls.round(round({}, { principal: 'bob' }), () => Promise.resolve({ result: {} }))).toEqual({
      result: {},
    })
  })

  test('that fails fails for whoever waits for it', async () => {
    await expect(calls.round(round(), () => Promise.reject(new Error('broke')))).rejects.toThrow('broke')
    expect(calls.size).toBe(0)
  })
})
