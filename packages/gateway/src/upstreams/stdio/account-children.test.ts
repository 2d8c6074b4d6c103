import { describe, expect, test } from 'vitest'
import { ownAsk } from '../gateway-request.ts'
import { createFakeUpstream, type FakeUpstream } from '../../testing/fake-upstream.ts'
import type { OpenedCredential } from '../upstream.ts'
import { createAccountChildren } from './account-children.ts'

const { signal } = new AbortController()
const MINUTE = 60_000

const credential = (id: string, version = 1, owner: 'member' | 'organization' = 'member'): OpenedCredential => ({
  ...{ id, version, owner, headers: {} },
  environment: { TOKEN: `${id} ${version}` },
})

function fixture({ own }: { own?: OpenedCredential } = {}) {
  const children: { credential: OpenedCredential; upstream: FakeUpstream; closed: boolean }[] = []
  const serving = new Map<string, number>()
  const told: (() => void)[] = []
  const clock = { now: 0 }
  const waits: (() => void)[] = []
  const upstream = createAccountChildren({
    reach: {
      ...{ connectionId: 'con_1', alias: 'tickets', timeout: 5, revision: undefined, pinned: false },
      wire: { command: 'x', args: [], environment: {} },
      credential: {
        open: () => own,
        refused: () => Promise.resolve(false),
        watch(onChange) {
          told.push(onChange)
          return () => {}
        },
        versions: () => Promise.resolve(serving),
      },
    },
    ids: () => 1,
    children: { start: () => Promise.reject(new Error('not here')) },
    onRevision() {},
    onNoise() {},
    onStateChange() {},
    now: () => clock.now,
    open(given) {
      const fake = createFakeUpstream({
        answer: async ({ params }) => {
          if (params['wait'] === true) await new Promise<void>((resolve) => waits.push(resolve))
          return { result: {} }
        },
      })
      const child = { credential: given, upstream: fake, closed: false }
      fake.close = () => {
        child.closed = true
        return Promise.resolve()
      }
      children.push(child)
      return fake
    },
  })
  const ask = (given: OpenedCredential | undefined, params = {}, method = 'tools/call') =>
    upstream.ask({ ...ownAsk(method, params, '2026-07-28', signal), owner: 'usr_1', credential: given })
  const change = async () => {
    for (const tell of told) tell()
    await new Promise(setImmediate)
  }
  return { upstream, children, serving, clock, waits, ask, change }
}

describe('the children of accounts', () => {
  test('are one for each credential, and none for who has no credential of the program', async () => {
    const { children, ask, upstream } = fixture()
    for (const one of [undefined, { id: 'brought', headers: { authorization: 'Bearer x' } }])
      await expect(ask(one)).rejects.toMatchObject({ code: 'upstream.needs-auth' })
    await expect(upstream.introduce(signal)).rejects.toMatchObject({ code: 'upstream.needs-auth' })
    expect(children).toEqual([])
    for (const id of ['ada', 'bob', 'ada', 'bob']) await ask(credential(id))
    expect(children.map(({ credential: { id } }) => id)).toEqual(['ada', 'bob'])
    expect(children.map(({ upstream: { asked } }) => asked.length)).toEqual([2, 2])
  })

  test('give way to one with the newer token, and end with their last call', async () => {
    const { children, ask, waits } = fixture()
    const going = ask(credential('ada', 1), { wait: true })
    await ask(credential('ada', 2))
    expect(children.map(({ closed }) => closed)).toEqual([false, false])
    // A call that was given the older token before the renewal goes to the newer child of the same account.
    await ask(credential('ada', 1))
    expect(children).toHaveLength(2)
    waits.forEach((go) => go())
    await going
    expect(children.map(({ closed }) => closed)).toEqual([true, false])
  })

  test('end at once when their credential is gone, also during a call', async () => {
    const { children, serving, ask, change } = fixture()
    serving.set('ada', 1).set('bob', 1)
    void ask(credential('ada'), { wait: true })
    await ask(credential('bob'))
    await change()
    expect(children.map(({ closed }) => closed)).toEqual([false, false])
    serving.delete('ada')
    await change()
    expect(children.map(({ closed }) => closed)).toEqual([true, false])
    serving.set('bob', 2)
    await change()
    expect(children.map(({ closed }) => closed)).toEqual([true, true])
  })

  test('end when nobody uses them, and are bounded: the one that rested longest goes', async () => {
    const { children, serving, clock, ask, change } = fixture()
    void ask(credential('busy'), { wait: true })
    for (let at = 0; at < 50; at++) {
      clock.now = at
      serving.set(`usr_${at}`, 1)
      await ask(credential(`usr_${at}`))
    }
    expect(children.filter(({ closed }) => closed).map((one) => one.credential.id)).toEqual(['usr_0'])
    serving.set('busy', 1)
    clock.now = 11 * MINUTE
    await change()
    expect(children.filter(({ closed }) => !closed).map((one) => one.credential.id)).toEqual(['busy'])
  })

  test('are refused where each of them is in use', async () => {
    const { ask } = fixture()
    for (let at = 0; at < 50; at++) void ask(credential(`usr_${at}`), { wait: true })
    await expect(ask(credential('late'))).rejects.toMatchObject({ code: 'upstream.busy' })
  })

  test('give the gateway its lists, but for the resources of a member', async () => {
    const member = fixture({ own: credential('ada') })
    const list = ownAsk('resources/list', {}, '2026-07-28', signal)
    expect(await member.upstream.ask(list)).toEqual({ result: { resources: [] } })
    expect(member.children[0]?.upstream.asked).toEqual([])
    const shared = fixture({ own: credential('all', 1, 'organization') })
    await shared.upstream.ask(list)
    expect(shared.children[0]?.upstream.asked).toHaveLength(1)
  })

  test('announce changes of their lists, whichever comes first', async () => {
    const { upstream, children, ask } = fixture()
    const changed: string[] = []
    await ask(credential('ada'))
    upstream.watch((kind) => void changed.push(kind), signal)
    await ask(credential('bob'))
    for (const child of children) child.upstream.announce('tools')
    expect(changed).toEqual(['tools', 'tools'])
  })
})
