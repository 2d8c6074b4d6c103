import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { Fault, type ConnectionId, type OrganizationId } from '@toolway/contract'
import type { JsonObject, Message, Notification, Request, Revision } from '@toolway/protocol'
import { createVault } from '../../vault/vault.ts'
import type { Answer } from '../../upstreams/upstream.ts'
import type { AuthElicitation, ResumableCall } from './question-ports.ts'
import type { CredentialAsking } from '../../snapshot/ports/credentials.ts'
import type { ClientChannel } from '../../snapshot/ports/client-channel.ts'
import type { Principal } from '../../identity/identify.ts'
import { comesBack, createAuthElicitation } from './auth-elicitation.ts'

const NOW = Date.parse('2026-11-20T10:00:00Z')
const MINUTE = 60_000
const URL_MODE = { elicitation: { url: {} } }
const vault = createVault(Buffer.alloc(32, 1))

/** Accounts that arrive when the test says so. */
function createFakeCredentials() {
  const waiting = new Set<() => void>()
  return {
    get waiting() {
      return waiting.size
    },
    arrive: () => waiting.forEach((tell) => tell()),
    credentialArrived: (_: CredentialAsking, signal: AbortSignal) =>
      new Promise<boolean>((resolve) => {
        const end = (there: boolean) => {
          waiting.delete(come)
          resolve(there)
        }
        const come = () => end(true)
        waiting.add(come)
        if (signal.aborted) end(false)
        else signal.addEventListener('abort', () => end(false), { once: true })
      }),
  }
}

let credentials: ReturnType<typeof createFakeCredentials>
let first: AuthElicitation
let links: number
let wish: string
beforeEach(() => {
  vi.useFakeTimers({ now: NOW })
  credentials = createFakeCredentials()
  first = createAuthElicitation({ credentials, signer: vault, wishOf: () => wish, mostOfOne: 2 })
  links = 0
  wish = 'github, as it is'
})
afterEach(() => {
  first.close()
  vi.useRealTimers()
})

/** The fault of opening a credential: a new link each time. */
const needed = (problem = 'none is connected') =>
  new Fault('credential.needed', {
    connection: 'github',
    problem,
    link: `https://gw.example/connect/${++links}`,
    minutes: 10,
  })

interface Client {
  readonly principal: string
  readonly revision: Revision
  readonly capabilities: JsonObject
  readonly asks: boolean
  readonly params: JsonObject
  readonly method: string
  readonly digest: string
  readonly brought: string
  readonly goesOn: boolean
  readonly session: ClientChannel['session']
  answer(question: Request): Promise<Answer>
}

function resumableOf(given: Partial<Client> = {}) {
  const controller = new AbortController()
  const notified: Notification[] = []
  const asked: Request[] = []
  const channel: ClientChannel = {
    signal: controller.signal,
    session: given.session,
    header: undefined,
    asks: given.asks ?? false,
    notify: (notification) => void notified.push(notification),
    question(question) {
      asked.push(question)
      return given.answer?.(question) ?? Promise.resolve({ result: { action: 'accept' } })
    },
  }
  const noted: string[] = []
  const going: ResumableCall = {
    mcpRequest: {
      id: 1,
      method: given.method ?? 'tools/call',
      params: {},
      caller: {
        revision: given.revision ?? '2026-07-28',
        client: undefined,
        capabilities: given.capabilities ?? URL_MODE,
        logLevel: undefined,
        progressToken: undefined,
      } as ResumableCall['mcpRequest']['caller'],
    },
    channel,
    audit: { refuse: ({ code }) => void noted.push(code) },
    params: given.params ?? { name: 'list' },
    alias: 'github',
    digest: given.digest ?? 'digest',
    goesOn: given.goesOn ?? true,
    asking: {
      organizationId: 'org_1' as OrganizationId,
      connectionId: 'con_1' as ConnectionId,
      principal: { id: given.principal ?? 'ada' } as Principal,
      account: undefined,
      passThroughToken: given.brought,
    },
  }
  return { going, noted, notified, asked, leave: () => controller.abort(new Fault('call.cancelled')) }
}

const resultOf = (answer: Answer | undefined): JsonObject => {
  if (answer === undefined || !('result' in answer)) throw new Error(`no result: ${JSON.stringify(answer)}`)
  return answer.result
}
const questionOf = (answer: Answer | undefined) =>
  resultOf(answer) as { requestState: string; inputRequests: { connect: { params: JsonObject } } }
const faultOf = (promise: Promise<unknown>): Promise<Fault> =>
  promise.then(
    (value) => Promise.reject(new Error(`no fault: ${JSON.stringify(value)}`)),
    (thrown: unknown) => thrown as Fault,
  )

describe('a modern client that can open pages', () => {
  test('is told which page to open, and its record says why the call did not go on', async () => {
    const { going, noted } = resumableOf()
    const answer = await first.ask(going, needed(), 0)
    expect(resultOf(answer)).toMatchObject({
      resultType: 'input_required',
      inputRequests: {
        connect: { method: 'elicitation/create', params: { mode: 'url', url: 'https://gw.example/connect/1' } },
      },
    })
    expect(noted).toEqual(['credential.needed'])
  })

  test('has its retry wait for the account, and go on with the request as it was', async () => {
    const { requestState } = questionOf(await first.ask(resumableOf().going, needed(), 0))
    const back = resumableOf({
      params: { name: 'list', requestState, inputResponses: { connect: { action: 'accept' } } },
    })
    expect(comesBack(back.going.params)).toBe(true)
    const resumed = first.resume(back.going)
    await vi.advanceTimersByTimeAsync(5_000)
    credentials.arrive()
    expect(await resumed).toEqual({ name: 'list' })
    expect(credentials.waiting).toBe(0)
  })

  test('gets the state and the answers of its server back that it sent before the question', async () => {
    const before = { requestState: 'own.state.sig', inputResponses: { name: { action: 'accept' } } }
    const { requestState } = questionOf(
      await first.ask(resumableOf({ params: { name: 'list', ...before } }).going, needed(), 0),
    )
    const back = resumableOf({ params: { name: 'list', requestState } })
    expect(await first.resume(back.going)).toEqual({ name: 'list', ...before })
  })

  test('that comes before the account waits 40 s and no more, and is asked again with the same link', async () => {
    const asked = questionOf(await first.ask(resumableOf().going, needed(), 0))
    const { requestState } = asked
    const back = resumableOf({
      params: { name: 'list', requestState, inputResponses: { connect: { action: 'accept' } } },
    })
    const resumed = first.resume(back.going)
    await vi.advanceTimersByTimeAsync(40_000)
    await resumed
    const again = questionOf(await first.ask(back.going, needed(), 0))
    expect(again.inputRequests.connect.params['url']).toBe(asked.inputRequests.connect.params['url'])
    // With a minute left it would be too late to open it.
    await vi.advanceTimersByTimeAsync(8 * MINUTE)
    const later = questionOf(await first.ask(back.going, needed(), 0))
    expect(later.inputRequests.connect.params['url']).toBe('https://gw.example/connect/3')
  })

  test('is led elsewhere where more is wished for than before', async () => {
    const asked = questionOf(await first.ask(resumableOf().going, needed(), 0))
    wish = 'github, and more'
    const more = questionOf(await first.ask(resumableOf().going, needed('the server asks for more'), 0))
    expect(more.inputRequests.connect.params['url']).not.toBe(asked.inputRequests.connect.params['url'])
  })

  test('whose person does not want to is not asked again, and told what that means', async () => {
    for (const action of ['decline', 'cancel']) {
      const { requestState } = questionOf(await first.ask(resumableOf().going, needed(), 0))
      const params = { name: 'list', requestState, inputResponses: { connect: { action } } }
      const fault = await faultOf(first.resume(resumableOf({ params }).going))
      expect(fault).toMatchObject({ code: 'credential.declined', facts: { connection: 'github' } })
    }
  })

  test('waits no longer than it stays itself', async () => {
    const { requestState } = questionOf(await first.ask(resumableOf().going, needed(), 0))
    const back = resumableOf({ params: { requestState, inputResponses: { connect: { action: 'accept' } } } })
    const fault = faultOf(first.resume(back.going))
    back.leave()
    expect((await fault).code).toBe('call.cancelled')
    expect(credentials.waiting).toBe(0)
  })

  test('finds its state good for itself and for this very request only, and for an hour', async () => {
    const { requestState } = questionOf(await first.ask(resumableOf().going, needed(), 0))
    const params = { requestState }
    const tampered = { requestState: `${requestState.slice(0, -4)}AAAA` }
    const others = [{ principal: 'bob', params }, { digest: 'another call', params }, { params: tampered }]
    for (const other of others)
      expect((await faultOf(first.resume(resumableOf(other).going))).code).toBe('state.unknown')
    await vi.advanceTimersByTimeAsync(61 * MINUTE)
    expect((await faultOf(first.resume(resumableOf({ params }).going))).code).toBe('state.unknown')
  })

  test('cannot have a state of a server taken for one of ours', () => {
    for (const requestState of ['abc.def.ghi', 'connect', 7, undefined])
      expect(comesBack({ requestState } as never)).toBe(false)
  })

  test('cannot have more than a few calls wait at a time; the next one only looks', async () => {
    const { requestState } = questionOf(await first.ask(resumableOf().going, needed(), 0))
    const params = { requestState, inputResponses: { connect: { action: 'accept' } } }
    const waiting = [first.resume(resumableOf({ params }).going), first.resume(resumableOf({ params }).going)]
    await first.resume(resumableOf({ params }).going)
    expect(credentials.waiting).toBe(2)
    // Another person has a place of its own.
    const others = questionOf(await first.ask(resumableOf({ principal: 'bob' }).going, needed(), 0))
    const bob = { ...params, requestState: others.requestState }
    waiting.push(first.resume(resumableOf({ principal: 'bob', params: bob }).going))
    await vi.advanceTimersByTimeAsync(0)
    expect(credentials.waiting).toBe(3)
    credentials.arrive()
    await Promise.all(waiting)
  })
})

describe('a client of 2025-11-25 that can open pages', () => {
  const live = { revision: '2025-11-25' as Revision, asks: true }

  test('is asked on the stream of its call, which goes on when the account is there, and hears that it is', async () => {
    const { going, asked, notified, noted } = resumableOf(live)
    const going_on = first.ask(going, needed(), 0)
    await vi.advanceTimersByTimeAsync(3 * MINUTE)
    credentials.arrive()
    expect(await going_on).toBeUndefined()
    expect(asked).toMatchObject([
      { method: 'elicitation/create', params: { mode: 'url', url: 'https://gw.example/connect/1' } },
    ])
    const { elicitationId } = asked[0]?.params ?? {}
    expect(notified).toEqual([
      { jsonrpc: '2.0', method: 'notifications/elicitation/complete', params: { elicitationId } },
    ])
    expect(noted).toEqual([])
  })

  test('is asked once for all calls of a session that wait, and all of them go on', async () => {
    const session = { id: 's1' } as ClientChannel['session']
    const [one, two] = [resumableOf({ ...live, session }), resumableOf({ ...live, session })]
    const both = Promise.all([first.ask(one.going, needed(), 0), first.ask(two.going, needed(), 0)])
    await vi.advanceTimersByTimeAsync(10)
    credentials.arrive()
    expect(await both).toEqual([undefined, undefined])
    expect([one.asked.length, two.asked.length]).toEqual([1, 0])
    expect([one.notified.length, two.notified.length]).toEqual([1, 0])
  })

  test('is not asked again by a call that comes while the page is open', async () => {
    const session = { id: 's1' } as ClientChannel['session']
    const [one, two] = [resumableOf({ ...live, session }), resumableOf({ ...live, session })]
    const earlier = first.ask(one.going, needed(), 0)
    await vi.advanceTimersByTimeAsync(1_000)
    const later = first.ask(two.going, needed(), 0)
    await vi.advanceTimersByTimeAsync(1_000)
    credentials.arrive()
    expect([await earlier, await later]).toEqual([undefined, undefined])
    expect([one.asked.length, two.asked.length]).toEqual([1, 0])
    // The next loss is another question.
    const next = first.ask(two.going, needed(), 0)
    await vi.advanceTimersByTimeAsync(10)
    credentials.arrive()
    await next
    expect(two.asked).toHaveLength(1)
  })

  test('is asked by the next call when the one that asked was cancelled', async () => {
    const session = { id: 's1' } as ClientChannel['session']
    let settle = (_: Answer) => {}
    const one = resumableOf({ ...live, session, answer: () => new Promise((resolve) => (settle = resolve)) })
    const two = resumableOf({ ...live, session })
    const ended = faultOf(first.ask(one.going, needed(), 0))
    const going = first.ask(two.going, needed(), 0)
    await vi.advanceTimersByTimeAsync(10)
    one.leave()
    settle({ error: { code: -32603, message: 'The client does not support this request.' } })
    expect((await ended).code).toBe('call.cancelled')
    await vi.advanceTimersByTimeAsync(10)
    expect(two.asked).toHaveLength(1)
    credentials.arrive()
    expect(await going).toBeUndefined()
  })

  test('that declines, cannot be asked after all, or brings nothing in time reads how to go on', async () => {
    const said = (answer: Answer) => resumableOf({ ...live, answer: () => Promise.resolve(answer) }).going
    const declined = await faultOf(first.ask(said({ result: { action: 'decline' } }), needed(), 0))
    expect(declined.code).toBe('credential.declined')
    const unable = await faultOf(first.ask(said({ error: { code: -32601, message: 'no' } }), needed(), 0))
    expect(unable).toMatchObject({ code: 'credential.needed', mend: expect.stringContaining('/connect/1') })
    const late = faultOf(first.ask(resumableOf(live).going, needed(), 0))
    await vi.advanceTimersByTimeAsync(10 * MINUTE)
    expect((await late).code).toBe('credential.needed')
    const silent = faultOf(first.ask(resumableOf({ ...live, answer: () => new Promise(() => {}) }).going, needed(), 0))
    await vi.advanceTimersByTimeAsync(10 * MINUTE)
    expect((await silent).code).toBe('credential.needed')
    expect(credentials.waiting).toBe(0)
  })

  test('is not sent in a circle: after three pages it reads what is missing', async () => {
    const { going, asked } = resumableOf(live)
    expect((await faultOf(first.ask(going, needed(), 3))).code).toBe('credential.needed')
    expect(asked).toEqual([])
  })

  test('whose stream takes no question gets the error of its revision, and hears on another when the page is done with', async () => {
    const said: Message[] = []
    const ended = new AbortController()
    const session = {
      id: 's1',
      ended,
      say: (message: Message) => void said.push(message),
    } as unknown as ClientChannel['session']
    const { going, noted } = resumableOf({ revision: '2025-11-25', asks: false, session })
    const answer = await first.ask(going, needed(), 0)
    expect(answer).toMatchObject({
      error: {
        code: -32042,
        data: {
          code: 'NEEDS_AUTH',
          elicitations: [{ mode: 'url', url: 'https://gw.example/connect/1', elicitationId: expect.any(String) }],
        },
      },
    })
    expect(noted).toEqual(['credential.needed'])
    credentials.arrive()
    await vi.advanceTimersByTimeAsync(0)
    expect(said).toMatchObject([{ method: 'notifications/elicitation/complete' }])
  })

  test('that ends its session is waited for no longer', async () => {
    const ended = new AbortController()
    const session = { id: 's1', ended, say() {} } as unknown as ClientChannel['session']
    await first.ask(resumableOf({ revision: '2025-11-25', session }).going, needed(), 0)
    expect(credentials.waiting).toBe(1)
    ended.abort(new Fault('session.unknown'))
    await vi.advanceTimersByTimeAsync(0)
    expect(credentials.waiting).toBe(0)
  })
})

describe('everybody else', () => {
  test('reads the link, and programs find it beside the words', async () => {
    const clients: Partial<Client>[] = [
      { capabilities: {} },
      { capabilities: { elicitation: {} } },
      { capabilities: { elicitation: { form: {} } } },
      { revision: '2025-06-18', asks: true },
      { revision: '2024-11-05', asks: true },
      { method: 'completion/complete' },
      { goesOn: false },
      { brought: 'a token that the server refuses' },
    ]
    for (const client of clients) {
      const { going, asked } = resumableOf(client)
      const fault = await faultOf(first.ask(going, needed(), 0))
      expect(fault.mend).toContain('https://gw.example/connect/1')
      expect(fault.data).toEqual({
        connect_url: 'https://gw.example/connect/1',
        expires_at: new Date(NOW + 10 * MINUTE).toISOString(),
        connection: 'github',
      })
      expect(asked).toEqual([])
    }
  })

  test('hears of any other fault as it is', async () => {
    const other = new Fault('credential.brought', { connection: 'github' })
    expect(await faultOf(first.ask(resumableOf().going, other, 0))).toBe(other)
    const bug = new TypeError('a bug')
    expect(await faultOf(first.ask(resumableOf().going, bug, 0))).toBe(bug)
  })

  test('waits for nothing once the gateway ends', async () => {
    const waiting = first.ask(resumableOf({ revision: '2025-11-25', asks: true }).going, needed(), 0)
    const fault = faultOf(waiting)
    await vi.advanceTimersByTimeAsync(10)
    first.close()
    expect((await fault).code).toBe('credential.needed')
    expect(credentials.waiting).toBe(0)
  })
})
