/** Many runs of the crawler at once share their turns. */
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { crawl } from './crawl.ts'
import { createCrawlTurns } from './crawl-turns.ts'
import { DEFAULTS } from './settings.ts'

test('calls at once make no more requests, and have no more pages under way, than one call', async () => {
  let [now, most, asked] = [0, 0, 0]
  const answer = async (response: ServerResponse) => {
    most = Math.max(most, ++now)
    asked++
    await pause(20)
    now--
    response.writeHead(404).end()
  }
  const server = createServer((_, response) => void answer(response)).listen(0, '127.0.0.1')
  await new Promise((listening) => server.once('listening', listening))
  const { port } = server.address() as AddressInfo
  const settings = { ...DEFAULTS, allowPrivate: true, robots: 'ignore', concurrency: 3, perHost: 2 } as const
  const turns = createCrawlTurns(settings)
  const { signal } = new AbortController()
  const run = async (name: number) =>
    crawl(
      {
        urls: Array.from({ length: 10 }, (_, at) => `http://127.0.0.1:${port}/${name}-${at}`),
        ...{ batchSize: 10, target: 10, signal, progress() {}, save: () => expect.fail('no page is good') },
      },
      settings,
      turns,
    )
  const results = await Promise.all([1, 2, 3, 4].map(run))
  expect(results.map(({ errors }) => errors.length)).toEqual([10, 10, 10, 10])
  expect([asked, most]).toEqual([40, 2])
  server.close()
})
