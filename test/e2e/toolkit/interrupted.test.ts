/** Transfers that are cancelled or whose process is killed: nothing half is seen, and the next call goes on. */
import { randomBytes } from 'node:crypto'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { API_KEY, startComposio, type ComposioDouble } from '../peers/composio/composio-double.ts'
import { until } from '../peers/until.ts'
import { createMachine, textOf, type Machine, type Progress } from './toolkit-process.ts'

const MEGABYTE = 1024 * 1024
const RUN = 'COMPOSIO_REMOTE_WORKBENCH'
const hidden = (name: string) => name.startsWith('.toolway-part-')

let composio: ComposioDouble
let machine: Machine
beforeAll(async () => {
  composio = await startComposio([{ slug: 'CODEINTERPRETER_GET_FILE_CMD', toolkit: 'codeinterpreter', noAuth: true }], {
    acts: true,
  })
  machine = await createMachine()
})
afterAll(async () => {
  await machine?.[Symbol.asyncDispose]()
  await composio?.[Symbol.asyncDispose]()
})

const start = () =>
  machine.start({
    COMPOSIO_API_KEY: API_KEY,
    COMPOSIO_BASE_URL: composio.url,
    DEFAULT_USER_ID: 'ada',
    TOOLWAY_CRAWL_ALLOW_PRIVATE: 'true',
    TOOLWAY_CRAWL_PER_HOST: '1',
    TOOLWAY_CRAWL_CONCURRENCY: '1',
  })
const runs = () => composio.executed.filter(({ slug }) => slug === RUN).length
/** Nothing more is asked of the workbench. */
async function atRest(count: () => number): Promise<number> {
  for (let before = -1; before !== count();) {
    before = count()
    await sleep(1_500)
  }
  return count()
}

test(
  'S4-TK-19: progress is told for each page and each part, and a cancelled call stops its work',
  { tags: 'long' },
  async () => {
    const toolkit = await start()
    const bytes = randomBytes(8 * MEGABYTE)
    await writeFile(join(machine.root, 'cancelled.bin'), bytes)
    const given = { local_path: 'cancelled.bin', remote_path: '/home/user/cancelled.bin' }
    const controller = new AbortController()
    const told: Progress[] = []
    const upload = toolkit.call('workbench_upload', given, {
      signal: controller.signal,
      onprogress(one) {
        told.push(one)
        if (told.length === 2) controller.abort()
      },
    })
    await expect(upload).rejects.toThrow()
    expect(told.map(({ progress, total }) => [progress, total])).toEqual(
      [1, 2].map((at) => [at * MEGABYTE, bytes.length]),
    )
    // One stat and two parts, and at most the part that was under way.
    expect(await atRest(runs)).toBeLessThanOrEqual(4)
    const resumed = await toolkit.call('workbench_upload', given)
    expect(resumed.structuredContent).toMatchObject({
      resumed_at: expect.toBeOneOf([2 * MEGABYTE, 3 * MEGABYTE]) as number,
    })

    const requested: string[] = []
    await using site = await startSite(requested)
    site.holdFrom(3)
    const pages = Array.from({ length: 10 }, (_, at) => `${site.url}/page-${at}`)
    const stop = new AbortController()
    const seen: Progress[] = []
    const crawl = toolkit.call(
      'crawl_parallel',
      { urls: pages, session_dir: 'crawled' },
      {
        signal: stop.signal,
        onprogress(one) {
          seen.push(one)
          if (seen.length === 3) stop.abort()
        },
      },
    )
    await expect(crawl).rejects.toThrow()
    expect(seen.map(({ progress }) => progress)).toEqual([1, 2, 3])
    expect(seen[0]?.total).toBe(10)
    const pagesAsked = () => requested.filter((path) => path.startsWith('/page-')).length
    expect(await atRest(pagesAsked)).toBeLessThan(10)
    site.release()
    const whole: Progress[] = []
    await toolkit.call(
      'crawl_parallel',
      { urls: pages, session_dir: 'again' },
      { onprogress: (one) => void whole.push(one) },
    )
    expect(whole).toHaveLength(10)
  },
)

describe('the process is killed', { tags: 'long' }, () => {
  test('in the middle of an upload: the file is not there, and the next call goes on', async () => {
    const bytes = randomBytes(24 * MEGABYTE)
    await writeFile(join(machine.root, 'killed.bin'), bytes)
    const given = { local_path: 'killed.bin', remote_path: '/home/user/killed/killed.bin' }
    const first = await start()
    const killed = first.call('workbench_upload', given, {
      onprogress: ({ progress }) => void (progress >= 6 * MEGABYTE && process.kill(first.pid, 'SIGKILL')),
    })
    await expect(killed).rejects.toThrow()
    const session = String(composio.executed.at(-1)?.arguments['session_id'])
    const folder = join(composio.sandboxes.homeOf(session), 'killed')
    await until('the last part is written', async () => (await readdir(folder)).length > 0)
    expect((await readdir(folder)).filter((name) => !hidden(name))).toEqual([])
    const second = await start()
    const done = await second.call('workbench_upload', given)
    expect(textOf(done)).toContain('Successfully uploaded')
    expect(done.structuredContent).toMatchObject({ session_id: session })
    expect(Number(done.structuredContent?.['resumed_at'])).toBeGreaterThanOrEqual(6 * MEGABYTE)
    expect(await readdir(folder)).toEqual(['killed.bin'])
    expect((await readFile(join(folder, 'killed.bin'))).equals(bytes)).toBe(true)
  })

  test('in the middle of a download: the file is not there, and the next call goes on', async () => {
    const toolkit = await start()
    await writeFile(join(machine.root, 'seed'), 'seed')
    const seeded = await toolkit.call('workbench_upload', { local_path: 'seed', remote_path: '/home/user/seed' })
    const bytes = randomBytes(24 * MEGABYTE)
    const home = composio.sandboxes.homeOf(String(seeded.structuredContent?.['session_id']))
    await writeFile(join(home, 'large.bin'), bytes)
    await mkdir(join(machine.root, 'down'), { recursive: true })
    const given = { remote_path: '/home/user/large.bin', local_path: 'down/large.bin' }
    const first = await start()
    const killed = first.call('workbench_download', given, {
      onprogress: ({ progress }) => void (progress >= 6 * MEGABYTE && process.kill(first.pid, 'SIGKILL')),
    })
    await expect(killed).rejects.toThrow()
    expect((await readdir(join(machine.root, 'down'))).filter((name) => !hidden(name))).toEqual([])
    const listed = await toolkit.call('list_directory', { path: 'down' })
    expect(listed.structuredContent).toMatchObject({ entries: [] })
    const done = await toolkit.call('workbench_download', given)
    expect(textOf(done)).toContain('Successfully downloaded')
    expect(Number(done.structuredContent?.['resumed_at'])).toBeGreaterThanOrEqual(6 * MEGABYTE)
    expect(await readdir(join(machine.root, 'down'))).toEqual(['large.bin'])
    expect((await readFile(join(machine.root, 'down/large.bin'))).equals(bytes)).toBe(true)
  })
})

/** A site whose pages are long enough to be articles. */
async function startSite(requested: string[]) {
  const words = 'A page about rivers and the towns beside them, with enough words to be an article of its own. '
  let held: { readonly from: number; readonly over: Promise<void>; release(): void } | undefined
  const server = createServer((request, response) => void answer(request, response))

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    requested.push(request.url ?? '')
    if (request.url === '/robots.txt') return void response.writeHead(404).end()
    if (held !== undefined && Number(request.url?.split('-').at(-1)) >= held.from) await held.over
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
    response.end(
      `<html><head><title>Page ${request.url}</title></head><body><article><h1>${request.url}</h1>${`<p>${words.repeat(4)}</p>`.repeat(6)}</article></body></html>`,
    )
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Pages from this number on are not answered until they are released. */
    holdFrom(from: number) {
      const { promise, resolve } = Promise.withResolvers<void>()
      held = { from, over: promise, release: resolve }
    },
    release() {
      held?.release()
      held = undefined
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
