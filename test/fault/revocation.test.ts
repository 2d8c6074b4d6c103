/** A key or an endpoint that is removed: what its holders have open ends at once, and nobody else's does. */
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { removeKey } from '../../packages/gateway/src/identity/keys/keys.ts'
import { startTestGateway, type TestGateway } from '../../packages/gateway/src/testing/gateway.ts'
import { removeToolset } from '../../packages/gateway/src/toolsets/toolsets.ts'
import { openSession, start } from '../e2e/peers/clients/raw-client.ts'
import { ask, requestOf } from './caller.ts'
import { headOf, openRaw } from './raw-socket.ts'

const REMOVED = `uru_${'cd'.repeat(32)}`
const patiently = { interval: 20 }

const SETTINGS = { include: ['*'], exclude: [] }
const open = () =>
  startTestGateway({
    keys: [{ name: 'removed', value: REMOVED, toolset: undefined }],
    toolsets: [{ slug: 'passing', title: 'Passing', settings: SETTINGS }],
  })
const remove = ({ db, organization }: TestGateway) =>
  db.organization(organization.id, (sql) => removeKey(sql, 'removed'))

/** A stream that is read to its end; `ended` says whether it has come. */
async function follow(opening: Promise<Response>) {
  const response = await opening
  expect(response.status).toBe(200)
  const stream = { ended: false }
  void response.text().then(
    () => (stream.ended = true),
    () => (stream.ended = true),
  )
  return stream
}

/** Persistent streams over HTTP: a modern client's listen stream and a legacy client's own stream. */
async function followBoth(url: string, key: string, signal: AbortSignal) {
  const notifications = { toolsListChanged: true }
  const { session } = await openSession(url, key)
  const headers = { authorization: `Bearer ${key}`, 'mcp-session-id': session, accept: 'text/event-stream' }
  return [
    await follow(start({ url, key, era: 'modern' }, 'subscriptions/listen', { notifications }, { signal })),
    await follow(fetch(url, { headers, signal })),
  ]
}

test('ends the streams that its holder has open, in both eras, and those of others stay open', async () => {
  await using gateway = await open()
  const leaving = new AbortController()
  const theirs = await followBoth(gateway.url, REMOVED, leaving.signal)
  const others = await followBoth(gateway.url, gateway.key, leaving.signal)
  expect(await remove(gateway)).toBe(true)
  await expect.poll(() => theirs.map(({ ended }) => ended), patiently).toEqual([true, true])
  expect(others.map(({ ended }) => ended)).toEqual([false, false])
  leaving.abort()
})

test('a toolset that is removed ends the streams at its address, and no other', async () => {
  await using gateway = await open()
  const leaving = new AbortController()
  const there = await followBoth(`${gateway.address}/o/default/t/passing/mcp`, gateway.key, leaving.signal)
  const elsewhere = await followBoth(gateway.url, gateway.key, leaving.signal)
  await gateway.db.organization(gateway.organization.id, (sql) => removeToolset(sql, 'passing'))
  await expect.poll(() => there.map(({ ended }) => ended), patiently).toEqual([true, true])
  expect(elsewhere.map(({ ended }) => ended)).toEqual([false, false])
  leaving.abort()
})

test('lets nobody in whose body was still on its way', async () => {
  await using gateway = await open()
  const { headers, body } = requestOf('tools/list', {}, REMOVED)
  const sized = { host: new URL(gateway.address).host, 'content-length': String(body.length), ...headers }
  using slow = await openRaw(gateway.address)
  slow.write(headOf('POST /mcp', { ...sized, connection: 'close' }) + body.slice(0, 20))
  // The same request, whole: it is let in, so the slow one is too, whose head came before.
  expect((await ask({ url: gateway.url, key: REMOVED }, 'tools/list')).status).toBe(200)
  await remove(gateway)
  await expect
    .poll(async () => (await ask({ url: gateway.url, key: REMOVED }, 'tools/list')).status, patiently)
    .toBe(401)
  // From this long on a body counts as slow.
  await pause(600)
  expect(slow.received()).toBe('')
  slow.write(body.slice(20))
  await slow.closed
  expect(slow.received()).toMatch(/^HTTP\/1\.1 401 /)
})
