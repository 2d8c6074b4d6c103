/**
 * Record streams and the change feed over what ends processes: a gateway that is killed in the middle of a delivery, and one that is
 * stopped (SIGSTOP) while another gateway changes something.
 */
// @module-tag long
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { describeWithRedis, startTestRedis } from '../../packages/gateway/src/testing/redis.ts'
import { makeInstallation } from '../cli/installation.ts'
import { ask, callTool } from './caller.ts'
import { startOutsideDatabase } from './outside-database.ts'

interface Received {
  readonly id: string
  readonly items: readonly { readonly id: string; readonly seq: number | null; readonly correlation_id: string }[]
}

/** Hears every message; answers when `answers` says so. */
async function startReceiver() {
  const received: Received[] = []
  const state = { answers: true }
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { data } = JSON.parse(Buffer.concat(chunks).toString()) as { data: { items: Received['items'] } }
      received.push({ id: String(request.headers['webhook-id']), items: data.items })
      if (state.answers) response.writeHead(204).end()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    received,
    state,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

test('a gateway that is killed in the middle of a delivery loses nothing: the next one sends the same batch and what came after', async () => {
  await using here = await makeInstallation()
  await using to = await startReceiver()
  const first = await here.start()
  const file = join(here.folder, 'siem.json')
  await writeFile(file, JSON.stringify({ name: 'siem', destination: { kind: 'webhook', url: to.url }, from: 'start' }))
  to.state.answers = false
  const added = await here.run(['record-stream', 'add', file])
  expect(added, added.err).toMatchObject({ code: 0 })
  const { key } = await here.firstSecrets()
  const correlations: string[] = []
  for (let at = 0; at < 10; at++)
    correlations.push(
      (await callTool({ url: `${first.address}/mcp`, key }, 'demo__calculate', { expression: '6*7' })).correlation,
    )
  await expect.poll(() => to.received.length).toBeGreaterThan(0)
  first.signal('SIGKILL')
  await first.ended
  const cut = to.received.at(-1)
  to.received.length = 0
  to.state.answers = true
  const second = await here.start()
  const sent = () => to.received.flatMap(({ items }) => items)
  await expect.poll(() => correlations.filter((id) => !sent().some((one) => one.correlation_id === id))).toEqual([])
  expect(to.received[0]).toEqual(cut)
  const numbers = sent().flatMap(({ seq }) => (seq === null ? [] : [seq]))
  expect(numbers).toEqual(Array.from({ length: numbers.length }, (_, at) => at + 1))
  await second.stop()
})

describeWithRedis('the change feed by Redis Streams', () => {
  test('a gateway that was stopped while another removed a key refuses the key when it goes on', async () => {
    await using database = await startOutsideDatabase()
    await using redis = await startTestRedis()
    const settings = {
      DATABASE_URL: database.url,
      MCP_ENCRYPTION_KEY: 'a7'.repeat(32),
      REDIS_URL: redis.url,
      TOOLWAY_CHANGES: 'redis',
    }
    await using one = await makeInstallation(settings)
    const first = await one.start()
    await using two = await makeInstallation(settings)
    const second = await two.start()
    const changes = async (address: string) =>
      ((await (await fetch(`${address}/health/ready`)).json()) as { checks: { changes?: string } }).checks.changes
    for (const { address } of [first, second]) await expect.poll(() => changes(address)).toBe('redis')
    const key = (await one.run(['key', 'add', 'passing'])).out.trim()
    const status = async () => (await ask({ url: `${second.address}/mcp`, key }, 'tools/list')).status
    await expect.poll(status).toBe(200)
    second.signal('SIGSTOP')
    expect(await one.run(['key', 'remove', 'passing'])).toMatchObject({ code: 0 })
    // Longer than one read of the stream, so that the server has something for a reader that does not read.
    await sleep(3_000)
    second.signal('SIGCONT')
    await expect.poll(status).toBe(401)
    await second.stop()
    await first.stop()
  })
})
