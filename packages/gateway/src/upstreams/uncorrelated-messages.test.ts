import { setImmediate as turn } from 'node:timers/promises'
import type { JsonObject, Notification } from '@toolway/protocol'
import { MOST_QUESTIONS } from '@toolway/protocol/client'
import { describe, expect, test } from 'vitest'
import { ownAsk } from './gateway-request.ts'
import { createUncorrelatedMessages } from './uncorrelated-messages.ts'
import type { Answer, Ask } from './upstream.ts'

const { signal } = new AbortController()

function fixture() {
  const unclaimed: Notification[] = []
  const replies: JsonObject[] = []
  const uncorrelated = createUncorrelatedMessages((notice) => void unclaimed.push(notice))
  const reply = (message: JsonObject) => Promise.resolve(void replies.push(message))
  return {
    uncorrelated,
    unclaimed,
    replies,
    begin(answer: Answer | Promise<Answer>, method = 'tools/call', params: JsonObject = {}) {
      const heard: Notification[] = []
      const asked: Ask = {
        ...ownAsk(method, params, '2025-11-25', signal),
        onNotification: (notice) => void heard.push(notice),
        onQuestion: () => Promise.resolve(answer),
      }
      return { call: uncorrelated.begin(asked), heard }
    },
    ask: async (method = 'elicitation/create', id = 1) => {
      uncorrelated.hear({ jsonrpc: '2.0', id, method, params: {} }, reply)
      await turn()
      return replies.at(-1)
    },
    say: (method: string, params: JsonObject = {}) => uncorrelated.hear({ jsonrpc: '2.0', method, params }, reply),
  }
}
const yes = { result: { action: 'accept' } }

describe('a question beside every call’s stream', () => {
  test('is one of a hundred at most that wait for an answer: beyond that its stream is ended', async () => {
    const { begin, uncorrelated, replies } = fixture()
    const { promise, resolve } = Promise.withResolvers<Answer>()
    begin(promise)
    // Under one id or many: what counts is how many wait.
    const flood = () =>
      uncorrelated.hear({ jsonrpc: '2.0', id: 1, method: 'elicitation/create' }, async (said) => replies.push(said))
    for (let asked = 0; asked < MOST_QUESTIONS; asked++) flood()
    expect(flood).toThrow(/100 questions/)
    resolve(yes)
    await turn()
    expect(replies).toHaveLength(MOST_QUESTIONS)
    expect(flood).not.toThrow()
  })

  test('is put to the one call under way, which gives the server more time', async () => {
    const { begin, ask } = fixture()
    const { call } = begin(yes)
    let extended = 0
    call.hold.extend = () => void extended++
    expect(await ask()).toEqual({ jsonrpc: '2.0', id: 1, ...yes })
    expect(extended).toBe(1)
  })

  test('is refused with the reason while none or several calls are in progress', async () => {
    const { begin, ask, uncorrelated } = fixture()
    expect(await ask()).toMatchObject({
      error: { code: -32600, message: expect.stringMatching(/No call is in progress/) },
    })
    const [one] = [begin(yes), begin(yes)]
    expect(await ask()).toMatchObject({ error: { message: expect.stringMatching(/2 calls are in progress/) } })
    uncorrelated.end(one.call)
    expect(await ask()).toMatchObject(yes)
  })

  test('is not about a list or a ping', async () => {
    const { begin, ask } = fixture()
    begin(yes, 'tools/list')
    expect(await ask()).toMatchObject({ error: { code: -32600 } })
  })

  test('that nobody can be asked is no method, and a ping is answered', async () => {
    const { begin, ask } = fixture()
    begin(yes)
    expect(await ask('made/up')).toMatchObject({ error: { code: -32601 } })
    expect(await ask('ping')).toMatchObject({ result: {} })
  })

  test('that its server takes back is not answered', async () => {
    const { begin, ask, say, replies } = fixture()
    const { promise, resolve } = Promise.withResolvers<Answer>()
    begin(promise)
    await ask('elicitation/create', 5)
    say('notifications/cancelled', { requestId: 5 })
    resolve(yes)
    await turn()
    expect(replies).toEqual([])
  })
})

describe('a notification beside every call’s stream', () => {
  test('reaches the one call under way, or the session, and never one of several calls', () => {
    const { begin, say, unclaimed } = fixture()
    const one = begin(yes)
    say('notifications/message', { data: 'one' })
    const other = begin(yes)
    say('notifications/message', { data: 'several' })
    expect(one.heard.map(({ params }) => params?.['data'])).toEqual(['one'])
    expect(other.heard).toEqual([])
    expect(unclaimed.map(({ params }) => params?.['data'])).toEqual(['several'])
  })

  test('of progress reaches the call whose token it carries, under the client’s own', () => {
    const { begin, say, unclaimed } = fixture()
    const calls = ['a', 'b'].map((progressToken) => begin(yes, 'tools/call', { _meta: { progressToken } }))
    for (const [at, { call }] of calls.entries()) call.hold.token = `p${at}`
    say('notifications/progress', { progressToken: 'p1', progress: 3 })
    say('notifications/progress', { progressToken: 'p7', progress: 4 })
    expect(calls.map(({ heard }) => heard.map(({ params }) => params))).toEqual([
      [],
      [{ progressToken: 'b', progress: 3 }],
    ])
    expect(unclaimed).toEqual([])
  })
})
