/** A fresh gateway takes over the clients of another at once. */
// @module-tag long
import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { startTestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { ask, openSession } from '../peers/clients/raw-client.ts'

test('sixty clients with keys and sessions of their own, that come at once to a gateway that has just started, are all served', async () => {
  const keys = Array.from({ length: 60 }, (_, at) => ({
    name: `client ${at}`,
    value: `uru_${randomBytes(32).toString('hex')}`,
    toolset: undefined,
  }))
  await using gateway = await startTestGateway({ keys })
  const sessions = await Promise.all(keys.map(({ value }) => openSession(gateway.url, value)))
  await gateway.restart()
  const answers = await Promise.all(sessions.map((session) => ask(session, 'tools/list')))
  expect(answers.map(({ status }) => status)).toEqual(keys.map(() => 200))
})

test('guesses of one address are bounded by the limit of addresses, before any of them is looked up', async () => {
  await using gateway = await startTestGateway({ settings: { TOOLWAY_LIMIT_ADDRESS: '30' } })
  const began = performance.now()
  const guesses = await Promise.all(
    Array.from({ length: 60 }, async () => {
      const key = `uru_${randomBytes(32).toString('hex')}`
      return (await ask({ url: gateway.url, key, era: 'modern' }, 'tools/list')).status
    }),
  )
  // One comes back every two seconds.
  const back = Math.ceil((performance.now() - began) / 2_000)
  expect(guesses.filter((status) => status === 401).length).toBeLessThanOrEqual(30 + back)
  expect(new Set(guesses)).toEqual(new Set([401, 429]))
})
