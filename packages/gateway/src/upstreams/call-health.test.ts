import { Fault } from '@toolway/contract'
import { NOBODY } from '@toolway/protocol/client'
import { expect, test } from 'vitest'
import { refusedAccess } from './access-refused.ts'
import { CallHealth, type LetIn } from './call-health.ts'
import { GATEWAY, type OpenedCredential, type Upstream } from './upstream.ts'
import { withCounting } from './upstreams.ts'

const malformed = new Fault('upstream.malformed', { connection: 'web', problem: 'it is HTML' })

/** An upstream whose calls end as they are told to, and what was told of it. */
function played(letIn: LetIn = 'no call') {
  const heard: (string | undefined)[] = []
  let end: Fault | undefined
  const bare = { ask: () => (end === undefined ? Promise.resolve({ result: {} }) : Promise.reject(end)) }
  const upstream = withCounting(
    bare as unknown as Upstream,
    new CallHealth(
      (failure) => void heard.push(failure?.code),
      () => letIn,
    ),
  )
  const call = async (ending: Fault | undefined, times = 1, { owner = 'ann', account = false } = {}) => {
    end = ending
    for (let at = 0; at < times; at++)
      await upstream
        .ask({
          ...{ method: 'tools/call', params: {}, caller: NOBODY, session: undefined, owner, headerParameters: [] },
          ...{ signal: AbortSignal.timeout(1_000), onNotification() {} },
          ...(account ? { credential: { id: 'a' } as unknown as OpenedCredential } : {}),
          onQuestion: () => Promise.resolve({ error: { code: -32601, message: 'no' } }),
        })
        .catch(() => {})
  }
  return { heard, call }
}

test('five calls that fail in a row are told, once a minute, and the next success', async () => {
  const { heard, call } = played()
  await call(malformed, 4)
  expect(heard).toEqual([])
  await call(malformed, 7)
  expect(heard).toEqual(['upstream.malformed'])
  await call(undefined, 2)
  expect(heard).toEqual(['upstream.malformed', undefined])
})

test('a success between them begins the count anew, and what concerns one caller counts for nothing', async () => {
  const { heard, call } = played()
  await call(malformed, 4)
  await call(undefined)
  await call(malformed, 4)
  await call(new Fault('result.too-large', { connection: 'web', limit: 1 }), 9)
  await call(new Fault('upstream.needs-auth', { connection: 'web', problem: 'HTTP 401' }), 9)
  expect(heard).toEqual([])
  await call(malformed)
  expect(heard).toEqual(['upstream.malformed'])
})

test('a refusal counts where every call is let in by the same headers', async () => {
  const { heard, call } = played('every call')
  await call(new Fault('upstream.needs-auth', { connection: 'web', problem: 'HTTP 401' }), 5)
  expect(heard).toEqual(['upstream.needs-auth'])
  await call(undefined)
  expect(heard).toEqual(['upstream.needs-auth', undefined])
})

test('a refusal of a header beside accounts counts where no account was presented and none is asked for', async () => {
  const { heard, call } = played('calls without an account')
  await call(refusedAccess('web', 401, 'Bearer resource_metadata="https://web.example"'), 9)
  await call(refusedAccess('web', 401, undefined), 9, { account: true })
  expect(heard).toEqual([])
  await call(refusedAccess('web', 401, undefined), 5)
  expect(heard).toEqual(['upstream.needs-auth'])
})

test('the requests of the gateway itself say nothing of calls', async () => {
  const { heard, call } = played()
  await call(malformed, 9, { owner: GATEWAY })
  expect(heard).toEqual([])
  await call(malformed, 5)
  await call(undefined, 1, { owner: GATEWAY })
  expect(heard).toEqual(['upstream.malformed'])
})
