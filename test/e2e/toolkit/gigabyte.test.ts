/** Files of a gigabyte in constant memory: the toolkit's own process is measured while it carries them. */
// @module-tag long
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { API_KEY, startComposio, type ComposioDouble } from '../peers/composio/composio-double.ts'
import { createMachine, textOf, type Machine, type Toolkit } from './toolkit-process.ts'

const MEGABYTE = 1024 * 1024
const SIZE = 1024 * MEGABYTE + 1
const MOST_GROWTH = 64 * MEGABYTE

let composio: ComposioDouble
let machine: Machine
let toolkit: Toolkit
let sha256: string
beforeAll(async () => {
  composio = await startComposio([], { acts: true, keepsCode: false })
  machine = await createMachine()
  toolkit = await machine.start({
    COMPOSIO_API_KEY: API_KEY,
    COMPOSIO_BASE_URL: composio.url,
    DEFAULT_USER_ID: 'ada',
    TOOLWAY_CRAWL_ALLOW_PRIVATE: 'true',
  })
  sha256 = await writeLarge(join(machine.root, 'large.bin'))
})
afterAll(async () => {
  await machine?.[Symbol.asyncDispose]()
  await composio?.[Symbol.asyncDispose]()
})

test('a gigabyte goes to the workbench and comes back', async () => {
  await warm()
  const up = await measured('workbench_upload', { local_path: 'large.bin', remote_path: '/home/user/large.bin' })
  expect(up).toMatchObject({ size: SIZE, sha256 })
  const home = composio.sandboxes.homeOf(String(up?.['session_id']))
  expect(await hashOf(join(home, 'large.bin'))).toBe(sha256)
})

test('a gigabyte comes from the workbench', async () => {
  await warm()
  const down = await measured('workbench_download', { remote_path: '/home/user/large.bin', local_path: 'back.bin' })
  expect(down).toMatchObject({ size: SIZE, sha256, verified: true })
  expect(await hashOf(join(machine.root, 'back.bin'))).toBe(sha256)
})

test('a gigabyte goes to the storage', async () => {
  await warm()
  const put = await measured('upload_to_composio', { path: 'large.bin' })
  expect(await hashOf(composio.storage.uploads.get(String(put?.['s3_key']))?.path ?? '')).toBe(sha256)
})

/** The same way with a small file first, so that growth is that of the large one. */
async function warm(): Promise<void> {
  await toolkit.call('write_local_file', { path: 'small.txt', content: 'x'.repeat(3 * MEGABYTE) })
  await toolkit.call('workbench_upload', { local_path: 'small.txt', remote_path: '/home/user/small.txt' })
  await toolkit.call('workbench_download', { remote_path: '/home/user/small.txt', local_path: 'small-back.txt' })
  await toolkit.call('upload_to_composio', { path: 'small.txt' })
}

async function measured(name: string, given: object): Promise<Record<string, unknown> | undefined> {
  const before = await residentOf(toolkit.pid)
  let most = before
  const began = Date.now()
  const sample = async () => {
    most = Math.max(most, await residentOf(toolkit.pid))
  }
  const timer = setInterval(() => void sample(), 200)
  const done = await toolkit.call(name, given, { onprogress: () => {} }).finally(() => clearInterval(timer))
  expect(done.isError, textOf(done)).toBeUndefined()
  const mib = (bytes: number) => Math.round(bytes / MEGABYTE)
  console.log(
    `${name}: ${mib(SIZE)} MiB in ${Math.round((Date.now() - began) / 1000)} s; RSS ${mib(before)} MiB before, ${mib(most)} MiB at most, growth ${mib(most - before)} MiB`,
  )
  expect(most - before).toBeLessThan(MOST_GROWTH)
  return done.structuredContent
}

/** Bytes in memory of another process. */
async function residentOf(pid: number): Promise<number> {
  if (process.platform === 'linux') {
    const status = await readFile(`/proc/${pid}/status`, 'utf8')
    return Number(/VmRSS:\s*(\d+)/.exec(status)?.[1] ?? 0) * 1024
  }
  return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)]).toString()) * 1024
}

/** Bytes that differ from part to part. */
async function writeLarge(path: string): Promise<string> {
  const hash = createHash('sha256')
  await using file = await open(path, 'w')
  const block = Buffer.alloc(MEGABYTE)
  for (let at = 0; at < SIZE; at += block.length) {
    block.fill(createHash('sha256').update(String(at)).digest())
    const part = block.subarray(0, Math.min(block.length, SIZE - at))
    await file.write(part)
    hash.update(part)
  }
  return hash.digest('hex')
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer)
  return hash.digest('hex')
}
