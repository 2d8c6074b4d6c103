import { Fault } from '@toolway/contract'
import type { JsonObject } from '../json.ts'
import type { Notification, Request } from '../message.ts'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createChannel } from './channel.ts'
import type { Answer } from './request.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const turns = async () => {
  for (let at = 0; at < 10; at++) await Promise.resolve()
}

function fixture({ owned = true } = {}) {
  const sent: JsonObject[] = []
  const loose: Notification[] = []
  const noise: string[] = []
  const channel = createChannel({
    alias: 'up',
    owned,
    send: (text) => void sent.push(JSON.parse(text) as JsonObject),
    onNotification: (notification) => void loose.push(notification),
    onNoise: (text) => void noise.push(text),
  })
  let last = 0
  function call(method = 'tools/call', { timeout = 10, answers = true } = {}) {
    const id = ++last
    const heard: Notification[] = []
    const asked: Request[] = []
    const leaving = new AbortController()
    const replies: ((answer: Answer) => void)[] = []
    const ended = channel
      .call({
        id,
        method,
        params: {},
        signal: leaving.signal,
        timeout,
        onNotification: (notification) => void heard.push(notification),
        ...(answers
          ? {
              onQuestion: (question) => {
                asked.push(question)
                return new Promise((resolve) => replies.push(resolve))
              },
            }
          : {}),
      })
      .catch((thrown: unknown) => Fault.of(thrown).code)
    return { id, heard, asked, replies, ended, leave: () => leaving.abort() }
  }
  const receive = (message: object) => channel.receive(JSON.stringify({ jsonrpc: '2.0', ...message }))
  const answer = (id: number, text = 'done') => receive({ id, result: { text } })
  const log = { method: 'notifications/message', params: { level: 'info', data: 'a line' } }
  const question = { id: 'q', method: 'elicitation/create', params: {} }
  const refusals = () => sent.filter((message) => message['id'] === 'q')
  return { channel, sent, loose, noise, call, receive, answer, log, question, refusals }
}

describe('a channel of one caller', () => {
  test('gives a question to the only call under way, and its answer back under the server’s id', async () => {
    const { call, receive, question, refusals } = fixture()
    const one = call()
    receive(question)
    expect(one.asked).toMatchObject([question])
    one.replies[0]?.({ result: { action: 'accept' } })
    await turns()
    expect(refusals()).toEqual([{ jsonrpc: '2.0', id: 'q', result: { action: 'accept' } }])
  })

  test('refuses a question while two calls are under way: neither gets it', async () => {
    const { call, receive, question, refusals } = fixture()
    const calls = [call(), call()]
    receive(question)
    await turns()
    expect(calls.map(({ asked }) => asked)).toEqual([[], []])
    expect(refusals()).toMatchObject([{ error: { code: -32601 } }])
  })

  test('refuses a question while nothing is under way that it could be about', async () => {
    const { call, receive, question, refusals } = fixture()
    call('ping', { answers: false })
    receive(question)
    await turns()
    expect(refusals()).toMatchObject([{ error: { code: -32601 } }])
  })

  test('takes a question for nobody’s while a call that was given up may still be its reason', async () => {
    const { call, receive, question, refusals } = fixture()
    const [gone, next] = [call(), call()]
    gone.leave()
    expect(await gone.ended).toBe('call.cancelled')
    receive(question)
    await turns()
    expect(next.asked).toEqual([])
    expect(refusals()).toHaveLength(1)
    vi.advanceTimersByTime(60_000)
    const later = call()
    receive(question)
    expect(later.asked).toHaveLength(1)
  })

  test('takes what could not be asked about for no reason of a question once it was given up', async () => {
    const { call, receive, question } = fixture()
    call('ping', { answers: false }).leave()
    const left = call()
    receive(question)
    await turns()
    expect(left.asked).toHaveLength(1)
  })

  test('gives a question to the call that is left once the given-up one has been answered late', async () => {
    const { call, receive, answer, question } = fixture()
    const [gone, next] = [call(), call()]
    gone.leave()
    await gone.ended
    answer(gone.id)
    receive(question)
    expect(next.asked).toHaveLength(1)
  })

  test('gives log lines to the only call, and to nobody’s call where there are two', () => {
    const { call, receive, log, loose } = fixture()
    const one = call()
    receive(log)
    const other = call()
    receive(log)
    expect([one.heard.length, other.heard.length, loose.length]).toEqual([1, 0, 1])
  })

  test('does not count the time that a person takes, but not for ever', async () => {
    const { call, receive, question } = fixture()
    const one = call('tools/call', { timeout: 10 })
    receive(question)
    await vi.advanceTimersByTimeAsync(599_000)
    one.replies[0]?.({ result: {} })
    await turns()
    await vi.advanceTimersByTimeAsync(9_000)
    receive(question)
    await vi.advanceTimersByTimeAsync(601_000)
    expect(await one.ended).toBe('upstream.timeout')
  })

  test('is late again once the person has answered', async () => {
    const { call, receive, question, sent } = fixture()
    const one = call('tools/call', { timeout: 10 })
    receive(question)
    one.replies[0]?.({ result: {} })
    await turns()
    await vi.advanceTimersByTimeAsync(11_000)
    expect(await one.ended).toBe('upstream.timeout')
    expect(sent.at(-1)).toMatchObject({ method: 'notifications/cancelled', params: { requestId: one.id } })
  })

  test('hears at most 64 questions at a time, however many are asked', async () => {
    const { call, receive } = fixture()
    const one = call()
    for (let at = 0; at < 1_000; at++) receive({ id: at, method: 'roots/list' })
    expect(one.asked).toHaveLength(64)
    for (const reply of one.replies) reply({ result: {} })
    await turns()
    receive({ id: 'later', method: 'roots/list' })
    expect(one.asked).toHaveLength(65)
  })
})

describe('a channel that callers share', () => {
  test('gives questions and log lines to nobody, even while only one is there', async () => {
    const { call, receive, log, question, refusals, loose } = fixture({ owned: false })
    const one = call()
    receive(log)
    receive(question)
    await turns()
    expect([one.heard, one.asked]).toEqual([[], []])
    expect(loose).toHaveLength(1)
    expect(refusals()).toMatchObject([{ error: { code: -32601 } }])
  })

  test('gives progress by its token and changes by their subscription', () => {
    const { call, receive, loose } = fixture({ owned: false })
    const [one, other] = [call(), call('subscriptions/listen', { timeout: Infinity })]
    receive({ method: 'notifications/progress', params: { progressToken: `p${one.id}`, progress: 1 } })
    receive({ method: 'notifications/progress', params: { progressToken: 'p99', progress: 1 } })
    const _meta = { 'io.modelcontextprotocol/subscriptionId': other.id }
    receive({ method: 'notifications/tools/list_changed', params: { _meta } })
    receive({ method: 'notifications/tools/list_changed' })
    expect([one.heard.length, other.heard.length, loose.length]).toEqual([1, 1, 1])
  })

  test('answers that it is there', async () => {
    const { receive, sent } = fixture({ owned: false })
    receive({ id: 3, method: 'ping' })
    await turns()
    expect(sent).toEqual([{ jsonrpc: '2.0', id: 3, result: {} }])
  })

  test('takes the first answer, and none that is for another or no message', async () => {
    const { channel, call, answer, noise } = fixture({ owned: false })
    const one = call()
    answer(77)
    channel.receive('<p>')
    answer(one.id, 'first')
    answer(one.id, 'second')
    expect(await one.ended).toEqual({ result: { text: 'first' } })
    expect(noise).toEqual(['<p>'])
  })
})

describe('a server that does not print one message a line', () => {
  const answerTo = (id: unknown, text = 'done') => ({ jsonrpc: '2.0', id, result: { text } })
  const DONE = { result: { text: 'done' } }
  const lines = (...all: readonly (object | string)[]) =>
    all.map((one) => (typeof one === 'string' ? one : JSON.stringify(one)))

  test.each<[string, (id: number) => readonly string[]]>([
    ['its id as a text', (id) => lines(answerTo(String(id)))],
    ['its id as 1.0', (id) => [JSON.stringify(answerTo(id)).replace(`"id":${id}`, `"id":${id}.0`)]],
    ['error: null', (id) => lines({ ...answerTo(id), error: null })],
    ['a message over several lines', (id) => JSON.stringify(answerTo(id), null, 2).split('\n')],
    [
      'a message over several lines with brackets in its texts',
      (id) => [
        ...JSON.stringify({ jsonrpc: '2.0', id: 999, result: { text: '}{ "]\\' } }, null, 2).split('\n'),
        ...JSON.stringify(answerTo(id), null, '\t').split('\n'),
      ],
    ],
    ['a text before the message, without a line end', (id) => [`Loading model...${JSON.stringify(answerTo(id))}`]],
    ['a text with braces before the message', (id) => [`{ready} 100% {"port":1} ${JSON.stringify(answerTo(id))}`]],
    ['colours around the message', (id) => [`\u001b[32m${JSON.stringify(answerTo(id))}\u001b[0m`]],
    ['a byte order mark', (id) => [`\uFEFF${JSON.stringify(answerTo(id))}`]],
    ['two messages on one line', (id) => [`${JSON.stringify(answerTo(998))}${JSON.stringify(answerTo(id))}`]],
    ['a line that opens a brace and never closes it', (id) => lines('function start() {', answerTo(id))],
    ['a batch', (id) => lines([{ jsonrpc: '2.0', method: 'notifications/x' }, answerTo(id)])],
  ])('is understood: %s', async (_, says) => {
    const { channel, call } = fixture()
    const one = call()
    for (const line of says(one.id)) channel.receive(line)
    expect(await one.ended).toEqual(DONE)
  })

  test('is not taken at a word that it quotes in its log', async () => {
    const { channel, call, sent, loose, noise } = fixture()
    const one = call()
    const before = sent.length
    const quoted = JSON.stringify({ jsonrpc: '2.0', id: 'q', method: 'elicitation/create', params: {} })
    channel.receive(`sent: ${quoted}`)
    channel.receive(`sent: ${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' })}`)
    await turns()
    expect([sent.length - before, loose, one.asked]).toEqual([0, [], []])
    expect(noise).toHaveLength(2)
  })

  test('is not kept without bound, and noise stays noise', async () => {
    const { channel, call, answer, noise } = fixture()
    const one = call()
    channel.receive('{')
    for (let at = 0; at < 2_000; at++) channel.receive(`"a${at}": "${'x'.repeat(1_000)}",`)
    channel.receive('}')
    expect(noise.length).toBeGreaterThan(0)
    answer(one.id)
    expect(await one.ended).toEqual(DONE)
  })
})

describe('progress', () => {
  test('extends the time limit of its call, up to ten minutes', async () => {
    const { call, receive } = fixture()
    const one = call()
    let code: unknown
    void one.ended.then((ended) => (code = ended))
    let progress = 0
    const report = () =>
      receive({ method: 'notifications/progress', params: { progressToken: `p${one.id}`, progress: ++progress } })
    for (let at = 0; at < 66; at++) {
      await vi.advanceTimersByTimeAsync(9_000)
      report()
    }
    expect(code).toBeUndefined()
    await vi.advanceTimersByTimeAsync(9_000)
    report()
    expect(code).toBe('upstream.timeout')
  })

  test('that does not increase extends nothing', async () => {
    const { call, receive } = fixture()
    const one = call()
    for (const progress of [3, 3, 2, '4', null]) {
      receive({ method: 'notifications/progress', params: { progressToken: `p${one.id}`, progress } })
      await vi.advanceTimersByTimeAsync(2_400)
    }
    expect(await one.ended).toBe('upstream.timeout')
  })

  test('of another call extends nothing', async () => {
    const { call, receive } = fixture()
    const [one, other] = [call(), call('tools/call', { timeout: 100 })]
    await vi.advanceTimersByTimeAsync(9_000)
    receive({ method: 'notifications/progress', params: { progressToken: `p${other.id}`, progress: 1 } })
    await vi.advanceTimersByTimeAsync(2_000)
    expect(await one.ended).toBe('upstream.timeout')
    other.leave()
  })
})

describe('the end of a channel', () => {
  test('fails everything that waits, and whatever is asked after it', async () => {
    const { channel, call } = fixture()
    const calls = [call(), call()]
    channel.end(new Fault('upstream.lost', { connection: 'up' }))
    expect(await Promise.all(calls.map(({ ended }) => ended))).toEqual(['upstream.lost', 'upstream.lost'])
    expect(await call().ended).toBe('upstream.lost')
    expect(channel.size).toBe(0)
  })

  test('can be waited for: calls finish, what lasts for ever is not counted', async () => {
    const { channel, call, answer } = fixture()
    call('subscriptions/listen', { timeout: Infinity })
    await channel.drained()
    const one = call()
    let drained = false
    void channel.drained().then(() => (drained = true))
    await turns()
    expect(drained).toBe(false)
    answer(one.id)
    await turns()
    expect(drained).toBe(true)
  })
})
