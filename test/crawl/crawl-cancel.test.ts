/**
 * The progress and the cancellation of a crawl, and its batches (ledger S4-TK-18; the crawler's half of S4-TK-19).
 *
 * @module-tag long
 */
import { expect, test } from 'vitest'
import { startSite } from './site.ts'
import { startToolkit } from './toolkit.ts'

const ALLOWED = { TOOLWAY_CRAWL_ALLOW_PRIVATE: 'true', TOOLWAY_CRAWL_PER_HOST: '10' }
const pages = (port: number, count: number) =>
  Array.from({ length: count }, (_, page) => `http://127.0.0.1:${port}/article/${page}`)

test('a crawl tells of each page when it is done', async () => {
  await using site = await startSite()
  await using toolkit = await startToolkit([], ALLOWED)
  const heard: { progress: number; total?: number | undefined; message?: string | undefined }[] = []
  const urls = [...pages(site.port, 4), `http://127.0.0.1:${site.port}/none`]
  await toolkit.crawl({ urls }, { onprogress: (step) => void heard.push(step) })
  expect(heard.map(({ progress, total }) => [progress, total])).toEqual([1, 2, 3, 4, 5].map((done) => [done, 5]))
  const told = urls.map((url) =>
    url.endsWith('/none') ? `failed: ${url}: The server responded with HTTP 404.` : `saved: ${url}`,
  )
  expect(new Set(heard.map(({ message }) => message))).toEqual(new Set(told))
})

test('a crawl that is cancelled drops its requests and writes nothing more', async () => {
  await using site = await startSite({ holds: true })
  await using toolkit = await startToolkit([], ALLOWED)
  const leaving = new AbortController()
  const crawling = toolkit.crawl({ urls: pages(site.port, 40), target_successes: 40 }, { signal: leaving.signal })
  const ended = crawling.then(
    () => 'answered',
    () => 'cancelled',
  )
  await expect.poll(() => site.open()).toBe(8)
  leaving.abort()
  expect(await ended).toBe('cancelled')
  await expect.poll(() => site.open()).toBe(0)
  site.release()
  // The next call finds the toolkit idle; the cancelled one has asked for nothing since.
  const next = await toolkit.crawl({ urls: [`http://127.0.0.2:${site.port}/article/next`] })
  expect(next.successful).toBe(1)
  expect(site.requests.slice(8)).toEqual(['/article/next'])
  expect(await toolkit.saved()).toEqual(next.saved_files.map(({ file }) => file))
})

test('S4-TK-18: a batch size of 5 reads five pages at the same time before it begins the next', async () => {
  await using site = await startSite({ holds: true })
  await using toolkit = await startToolkit([], ALLOWED)
  const crawling = toolkit.crawl({ urls: pages(site.port, 10), batch_size: 5 })
  await expect.poll(() => site.open()).toBe(5)
  site.release()
  expect((await crawling).successful).toBe(10)
  expect(site.most.all).toBe(5)
  expect(site.requests.slice(0, 5).toSorted()).toEqual([0, 1, 2, 3, 4].map((page) => `/article/${page}`))
  const refused = await toolkit.client.callTool({
    name: 'crawl_parallel',
    arguments: { urls: ['https://example.com'], session_dir: 'session', batch_size: 11 },
  })
  expect(refused.isError).toBe(true)
})
