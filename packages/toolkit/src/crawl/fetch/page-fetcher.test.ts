/** Fetching pages: what is always blocked, what is repeated, and what ends early. Names are answered by the test, as a hostile DNS would. */
import type * as dns from 'node:dns'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { beforeEach, expect, test, vi } from 'vitest'
import { PageProblem } from '../page-problem.ts'
import { DEFAULTS, type CrawlSettings } from '../settings.ts'
import { pageAddress } from './page-address.ts'
import { PageFetcher } from './page-fetcher.ts'

const names = vi.hoisted(() => ({ answers: [] as string[][] }))
vi.mock('node:dns', async (original) => ({
  ...(await original<typeof dns>()),
  lookup(_name: string, _options: object, callback: (error: Error | null, found: dns.LookupAddress[]) => void) {
    const found = names.answers.shift() ?? []
    const error = found.length === 0 ? Object.assign(new Error('unknown'), { code: 'ENOTFOUND' }) : null
    const addresses = found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
    process.nextTick(callback, error, addresses)
  },
}))
beforeEach(() => void (names.answers = []))

async function listen(answer: RequestListener) {
  const requests: string[] = []
  const server = createServer((request, response) => {
    if (request.url !== '/robots.txt') requests.push(request.url ?? '')
    answer(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    requests,
    at: (path: string, host = '127.0.0.1') => `http://${host}:${port}${path}`,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => void (server.closeAllConnections(), server.close(() => resolve()))),
  }
}

const QUICK: CrawlSettings = {
  ...DEFAULTS,
  robots: 'ignore',
  allowPrivate: true,
  retries: { ...DEFAULTS.retries, first: 1, most: 1 },
}

/** The status of a page, or the sentence of its problem. */
async function outcome(url: string, settings: Partial<CrawlSettings> = {}): Promise<number | string> {
  await using fetcher = new PageFetcher({ ...QUICK, ...settings }, new AbortController().signal)
  try {
    return (await fetcher.fetch(pageAddress(url), () => true)).status
  } catch (thrown) {
    if (thrown instanceof PageProblem) return thrown.message
    throw thrown
  }
}

const NOT_PUBLIC = expect.stringMatching(/not public/) as string
const NEVER = expect.stringMatching(/always blocked/) as string

test('a private address is refused in every spelling, by name and by redirect, unless it is allowed', async () => {
  await using server = await listen((_, response) => void response.end('inside'))
  for (const host of ['127.0.0.1', '127.1', '0x7f.1', '0177.0.0.1', '2130706433', '[::1]', '[::ffff:127.0.0.1]'])
    expect([host, await outcome(server.at('/', host), { allowPrivate: false })]).toEqual([host, NOT_PUBLIC])
  names.answers = [['127.0.0.1'], ['8.8.8.8', '127.0.0.1'], ['::ffff:10.0.0.1'], ['100.64.0.1'], []]
  for (let answers = names.answers.length; answers > 0; answers--)
    expect(await outcome(server.at('/', 'innocent.example'), { allowPrivate: false })).toEqual(NOT_PUBLIC)
  expect(server.requests).toEqual([])
  names.answers = [['127.0.0.1']]
  expect(await outcome(server.at('/', 'innocent.example'))).toBe(200)
})

test('addresses of the system and of clouds are refused even where private ones are allowed', async () => {
  for (const host of ['169.254.169.254', '[fe80::1]', '0.0.0.0', '[64:ff9b::a9fe:a9fe]', '[::ffff:a9fe:a9fe]'])
    expect([host, await outcome(`http://${host}/`)]).toEqual([host, NEVER])
})

test('a name that changes what it leads to is judged at each connection', async () => {
  await using server = await listen((_, response) => void response.setHeader('connection', 'close').end('page'))
  await using fetcher = new PageFetcher(QUICK, new AbortController().signal)
  names.answers = [['127.0.0.1'], ['169.254.169.254'], ['127.0.0.1', '169.254.169.254']]
  const url = pageAddress(server.at('/', 'rebinding.example'))
  expect((await fetcher.fetch(url, () => true)).status).toBe(200)
  for (const _ of [1, 2]) await expect(fetcher.fetch(url, () => true)).rejects.toThrow(/always blocked/)
  expect(server.requests).toHaveLength(1)
})

test('each redirect is judged anew: address, scheme and credentials', async () => {
  const targets: Record<string, string> = {
    '/metadata': 'http://169.254.169.254/latest',
    '/file': 'file:///etc/passwd',
    '/data': 'data:text/html,hello',
    '/credentials': 'http://user:secret@example.com/',
    '/broken': 'http://[::1',
    '/twice': '/metadata',
  }
  await using server = await listen(
    ({ url = '' }, response) => void response.writeHead(302, { location: targets[url] }).end(),
  )
  expect(await outcome(server.at('/metadata'))).toEqual(NEVER)
  expect(await outcome(server.at('/twice'))).toEqual(NEVER)
  expect(await outcome(server.at('/file'))).toMatch(/file: addresses are not supported/)
  expect(await outcome(server.at('/data'))).toMatch(/not a URL|data: addresses are not supported/)
  expect(await outcome(server.at('/credentials'))).toMatch(/user name or password/)
  expect(await outcome(server.at('/broken'))).toMatch(/not a URL/)
})

test('an address is http or https, without credentials', async () => {
  for (const url of ['ftp://example.com/', 'file:///etc/passwd', 'javascript:alert(1)', 'example.com', 'http://', ''])
    expect(await outcome(url), url).toMatch(/not a URL|not supported/)
  expect(await outcome('https://user:secret@example.com/')).toMatch(/user name or password/)
})

test('what may pass is tried twice more, and nothing else is', async () => {
  const answers: Record<string, number[]> = {
    '/recovers': [503, 429, 200],
    '/stays': [500, 502, 504, 200],
    '/gone': [404, 200],
    '/unknown-method': [501, 200],
  }
  await using server = await listen(({ url = '' }, response) => {
    if (url === '/cut' && server.requests.length % 3 !== 0) return void response.destroy()
    if (url === '/busy') response.setHeader('retry-after', '3600')
    response.writeHead(url === '/busy' ? 429 : (answers[url]?.shift() ?? 200)).end('x')
  })
  const asked = async (path: string) => {
    server.requests.length = 0
    return [await outcome(server.at(path)), server.requests.length]
  }
  expect(await asked('/recovers')).toEqual([200, 3])
  expect(await asked('/stays')).toEqual([504, 3])
  expect(await asked('/gone')).toEqual([404, 1])
  expect(await asked('/unknown-method')).toEqual([501, 1])
  expect(await asked('/cut')).toEqual([200, 3])
  expect(await asked('/busy')).toEqual([429, 1])
})

test('robots.txt is read once for each site of a run, and decides about every hop', async () => {
  let read = 0
  await using server = await listen(({ url }, response) => {
    if (url === '/robots.txt') return void (read++, response.end('User-agent: *\nDisallow: /private\n'))
    response.writeHead(url === '/moved' ? 302 : 200, { location: '/private/page' }).end()
  })
  await using fetcher = new PageFetcher({ ...QUICK, robots: 'obey' }, new AbortController().signal)
  const fetch = (path: string) => fetcher.fetch(pageAddress(server.at(path)), () => true)
  await Promise.all(['/a', '/b', '/c'].map(fetch))
  for (const path of ['/private/page', '/moved'])
    await expect(fetch(path)).rejects.toThrow(/robots.txt.*does not allow/)
  expect(read).toBe(1)
  expect(server.requests.toSorted((one, other) => (one < other ? -1 : 1))).toEqual(['/a', '/b', '/c', '/moved'])
})

test('a site whose robots.txt fails is left alone', async () => {
  await using server = await listen(
    ({ url }, response) => void response.writeHead(url === '/robots.txt' ? 500 : 200).end(),
  )
  expect(await outcome(server.at('/page'), { robots: 'obey' })).toMatch(/site’s robots.txt cannot be read/)
  expect(server.requests).toEqual([])
})

test('a page that does not end is given up', async () => {
  await using server = await listen((_, response) => {
    const drip = setInterval(() => response.write('x'), 5)
    response.once('close', () => clearInterval(drip))
  })
  expect(await outcome(server.at('/'), { pageTimeout: 300 })).toMatch(/took too long/)
})
