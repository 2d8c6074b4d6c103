/** Work of three gateways that is done once: lists of a server, webhooks, and the count of a limit that they share. */
// @module-tag long
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { askAdmin } from '../../packages/gateway/src/testing/people.ts'
import { callTool } from '../e2e/peers/clients/raw-client.ts'
import { addKey } from '../e2e/peers/people/administrators.ts'
import { changingTool } from '../e2e/peers/servers/changing-server.ts'
import { startCounted } from '../e2e/peers/servers/counted-server.ts'
import { startEffects } from '../e2e/peers/servers/effects-server.ts'
import { until } from '../e2e/peers/until.ts'
import { startCluster } from './cluster.ts'

/** A receiver of webhooks: the ids of what came, in order. */
async function startReceiver() {
  const ids: string[] = []
  const server = createServer((request, response) => {
    ids.push(String(request.headers['webhook-id']))
    request.resume().once('end', () => response.writeHead(204).end())
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    ids,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const LIMIT = 60

test('of three gateways one asks a server for its lists, one sends each webhook, and with Redis a limit is that of all', async () => {
  await using counted = await startCounted({ tools: [changingTool('one')] })
  await using effects = await startEffects()
  await using receiver = await startReceiver()
  await using cluster = await startCluster({
    redis: true,
    declared: {
      connections: { counted: { url: counted.url('/open/a') }, effects: { url: effects.url, trusted: true } },
      keys: { limited: { value: `uru_${'cd'.repeat(32)}` } },
    },
    settings: { TOOLWAY_LIMIT_KEY: String(LIMIT) },
  })
  // Each heard the answer of one fetch.
  expect(counted.lists('/open/a')).toBe(1)
  await until('each gateway listens', () => counted.streams('/open/a') === 3)
  counted.offer('/open/a', [changingTool('two')])
  counted.announce('/open/a')
  await until('it is asked anew', () => counted.lists('/open/a') > 1)

  const token = await addKey(cluster, { role: 'platform_admin' })
  await until('the key is known', async () => {
    const { status } = await askAdmin(cluster.address, 'GET /admin/tenants/default/connectors', { token })
    return status === 200
  })
  const added = await askAdmin(cluster.address, 'POST /admin/tenants/default/webhooks', {
    token,
    body: { url: receiver.url, private: true, events: ['connection.changed'] },
  })
  expect([added.status, JSON.stringify(added.body)]).toEqual([201, expect.any(String)])
  for (let turn = 0; turn < 10; turn++) {
    const changed = await askAdmin(cluster.address, 'PUT /admin/tenants/default/connectors/effects', {
      token,
      body: { title: `Turn ${turn}` },
    })
    expect(changed.status).toBe(200)
  }
  await until('all are told', () => receiver.ids.length >= 10)
  await sleep(1_000)
  expect(receiver.ids).toHaveLength(10)
  expect(new Set(receiver.ids).size).toBe(10)
  expect(counted.lists('/open/a')).toBe(2)

  const began = performance.now()
  const peer = { url: cluster.connectionUrl('effects'), key: `uru_${'cd'.repeat(32)}`, era: 'modern' as const }
  const answers = await Promise.all(Array.from({ length: 3 * LIMIT }, () => callTool(peer, 'look_up')))
  const passed = answers.filter(({ answer }) => answer.result?.content?.[0]?.text === 'did look_up').length
  const refilled = Math.ceil(((performance.now() - began) / 60_000) * LIMIT)
  expect(passed).toBeLessThanOrEqual(LIMIT + refilled)
  // Up to 15 % may lie unspent with one of the gateways (ADR 0019).
  expect(passed).toBeGreaterThanOrEqual(LIMIT * 0.85)
})
