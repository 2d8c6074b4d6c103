/**
 * `crawl_parallel` through the toolkit's process, against a site on this machine (ledger S4-TK-13 to S4-TK-15, S4-TK-17).
 *
 * @module-tag long
 */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { PAGES, startSite } from './site.ts'
import { startToolkit } from './toolkit.ts'

const ALLOWED = { TOOLWAY_CRAWL_ALLOW_PRIVATE: 'true' }

const errorOf = (errors: readonly { url: string; error: string }[], path: string) =>
  errors.find(({ url }) => url.endsWith(path))?.error

test('S4-TK-13: pages are crawled in parallel, cleaned and saved as Markdown, and a bad one never fails the rest', async () => {
  await using site = await startSite()
  await using toolkit = await startToolkit([], ALLOWED)
  const urls = Object.keys(PAGES).map((path) => `http://127.0.0.1:${site.port}${path}`)
  expect(urls).toHaveLength(12)
  const { saved_files: files, errors, ...counts } = await toolkit.crawl({ urls })
  expect(counts).toEqual({ total: 12, successful: 7, failed: 5, not_requested: 0 })
  const texts = new Map<string, string>()
  for (const { url, path } of files) texts.set(new URL(url).pathname, await readFile(path, 'utf8'))
  expect([...texts.keys()].toSorted()).toEqual([
    '/docs',
    '/moved',
    '/news',
    '/notes.md',
    '/paper.pdf',
    '/russian',
    '/slow',
  ])
  for (const path of ['/news', '/docs', '/moved', '/slow']) {
    const text = texts.get(path)
    expect(text, path).not.toMatch(/NAVIGATION|COOKIES|ADVERTISEMENT|RELATED|FOOTER/)
    expect(text, path).toMatch(/Paragraph 1 of[\s\S]*Paragraph 6 of[\s\S]*## Figures[\s\S]*\| 2024 \| 17 \|/)
  }
  expect(texts.get('/russian')).toContain('Новости науки сообщают о новых открытиях')
  expect(texts.get('/paper.pdf')).toMatch(/Measurements of the crawler\n\nThe second page has results/)
  expect(texts.get('/notes.md')).toContain('# Notes\n\nPlain notes stay as they are, with `code`.')

  expect(errorOf(errors, '/broken')).toBe('The server responded with HTTP 500.')
  expect(site.requests.filter((path) => path === '/broken')).toHaveLength(3)
  expect(errorOf(errors, '/wall')).toMatch(/bot check/)
  expect(errorOf(errors, '/inside')).toMatch(/always blocked/)
  expect(errorOf(errors, '/bomb')).toMatch(/larger than 10485760 bytes when it is decompressed/)
  expect(errorOf(errors, '/picture')).toMatch(/image\/png are not supported/)
})

test('S4-TK-14: the answer counts and names files, and each file says its source, title, date and word count', async () => {
  await using site = await startSite()
  await using toolkit = await startToolkit([], ALLOWED)
  const at = (path: string) => `http://127.0.0.1:${site.port}${path}`
  const hostile = '/article?: [x]'
  const crawled = await toolkit.crawl({ urls: [at('/news'), `${at('/news')}#part`, at('/none'), at(hostile)] })
  const fileOf = (url: string) => `crawl_${createHash('md5').update(url).digest('hex').slice(0, 12)}.md`
  const savedAs = (url: string) => ({
    url,
    file: fileOf(url),
    path: join(toolkit.root, 'session/search_results', fileOf(url)),
  })
  expect(crawled).toEqual({
    ...{ total: 3, successful: 2, failed: 1, not_requested: 0 },
    saved_files: [savedAs(at('/news')), savedAs(at(hostile))],
    errors: [{ url: at('/none'), error: 'The server responded with HTTP 404.' }],
  })
  expect((await toolkit.saved()).toSorted()).toEqual([fileOf(at('/news')), fileOf(at(hostile))].toSorted())
  const text = await readFile(savedAs(at('/news')).path, 'utf8')
  const [, front = '', body = ''] = /^---\n([\s\S]*?)\n---\n\n([\s\S]*)$/.exec(text) ?? []
  expect(parse(front)).toEqual({
    title: 'Weather: "sun" & rain',
    source: at('/news'),
    date: '2026-03-14',
    description: 'About "weather"',
    word_count: expect.any(Number) as number,
  })
  const count = (parse(front) as { word_count: number }).word_count
  expect(count).toBe(body.match(/[\p{L}\p{N}]+/gu)?.length)
})

test('S4-TK-15: 127.0.0.1 is refused by default and allowed by a setting; concurrency, time, redirects, size and robots are limited', async () => {
  await using site = await startSite({
    routes: {
      ...PAGES,
      '/loop': (_, response) => void response.writeHead(302, { location: '/loop' }).end(),
      '/large': (_, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('x'.repeat(200_000)),
      '/hangs': (_, response) => void response.writeHead(200, { 'content-type': 'text/html' }).write('<html>'),
    },
    robots: (_, response) => void response.end('User-agent: toolway-toolkit\nDisallow: /docs\n'),
  })
  const at = (path: string) => `http://127.0.0.1:${site.port}${path}`
  {
    await using plain = await startToolkit()
    const other = ['localhost', '2130706433', '0x7f.1', '[::ffff:7f00:1]'].map(
      (host) => `http://${host}:${site.port}/news`,
    )
    const { successful, errors } = await plain.crawl({ urls: [at('/news'), ...other] })
    expect(successful).toBe(0)
    for (const { url, error } of errors) expect(error, url).toMatch(/not public.*--allow-private/)
    expect([site.requests, site.robotsRequests]).toEqual([[], []])
    const argued = await plain.client.callTool({
      name: 'crawl_parallel',
      arguments: { urls: [at('/news')], session_dir: 'session', allow_private: true },
    })
    expect(argued.isError).toBe(true)
  }
  const limits = { TOOLWAY_CRAWL_TIMEOUT: '20', TOOLWAY_CRAWL_MAX_BYTES: '100000' }
  await using toolkit = await startToolkit([], { ...ALLOWED, ...limits })
  const urls = ['/news', '/docs', '/loop', '/large', '/hangs'].map(at)
  const { saved_files: files, errors } = await toolkit.crawl({ urls })
  expect(files.map(({ url }) => url)).toEqual([at('/news')])
  expect(errorOf(errors, '/docs')).toMatch(/site’s robots.txt does not allow/)
  expect(errorOf(errors, '/loop')).toMatch(/redirects more than 5 times/)
  expect(errorOf(errors, '/large')).toMatch(/larger than 100000 bytes/)
  expect(errorOf(errors, '/hangs')).toMatch(/stopped in the middle|took too long/)
  expect(site.requests).not.toContain('/docs')
  expect(site.requests.filter((path) => path === '/loop')).toHaveLength(6)

  await using careless = await startToolkit(['--allow-private', '--robots', 'ignore'])
  expect((await careless.crawl({ urls: [at('/docs')] })).successful).toBe(1)

  const hosts = Array.from({ length: 10 }, (_, host) => `127.0.0.${host + 1}`)
  await using spread = await startSite({ holds: true })
  const apart = toolkit.crawl({ urls: hosts.map((host) => `http://${host}:${spread.port}/article`) })
  await expect.poll(() => spread.open()).toBe(8)
  spread.release()
  expect((await apart).successful).toBe(10)
  expect(spread.most.all).toBe(8)

  await using single = await startSite({ holds: true })
  const together = toolkit.crawl({ urls: hosts.map((_, page) => `http://127.0.0.1:${single.port}/article/${page}`) })
  await expect.poll(() => single.open()).toBe(2)
  single.release()
  expect((await together).successful).toBe(10)
  expect(single.most.host).toBe(2)
})

test('S4-TK-17: pages are crawled in batches of 10, and later ones stay untouched once enough are good', async () => {
  await using site = await startSite()
  await using toolkit = await startToolkit([], ALLOWED)
  const addresses = (kind: string, count: number) =>
    Array.from({ length: count }, (_, page) => `http://127.0.0.1:${site.port}/${kind}/${page}`)
  const good = addresses('article', 30)
  const first = await toolkit.crawl({ urls: good })
  expect(first).toMatchObject({ total: 30, successful: 10, failed: 0, not_requested: 20 })
  expect(site.requests.toSorted()).toEqual(good.slice(0, 10).map((url) => new URL(url).pathname))

  site.requests.length = 0
  const mixed = [...addresses('missing', 8), ...good]
  const second = await toolkit.crawl({ urls: mixed, target_successes: 5 })
  expect(second).toMatchObject({ total: 38, successful: 5, failed: 8, not_requested: 25 })
  expect(site.requests.toSorted()).toEqual(
    mixed
      .slice(0, 13)
      .map((url) => new URL(url).pathname)
      .toSorted(),
  )
})
