/** Large files in constant memory: the toolkit's own process is measured while it carries them. */
// @module-tag long
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { API_KEY, startComposio, type ComposioDouble } from '../peers/composio/composio-double.ts'
import { hashOfFile, LARGE_MIB, MIB, MOST_GROWTH_MIB, writeLarge } from '../../setup/large-files.ts'
import { memoryOf, watchMemory } from '../../setup/process-memory.ts'
import { createMachine, textOf, type Machine, type Toolkit } from './toolkit-process.ts'

const SIZE = LARGE_MIB * MIB + 1

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
  sha256 = await writeLarge(join(machine.root, 'large.bin'), SIZE)
})
afterAll(async () => {
  await machine?.[Symbol.asyncDispose]()
  await composio?.[Symbol.asyncDispose]()
})

test('a large file goes to the workbench and comes back', async () => {
  await warm()
  const up = await measured('workbench_upload', { local_path: 'large.bin', remote_path: '/home/user/large.bin' })
  expect(up).toMatchObject({ size: SIZE, sha256 })
  const home = composio.sandboxes.homeOf(String(up?.['session_id']))
  expect(await hashOfFile(join(home, 'large.bin'))).toBe(sha256)
})

test('a large file comes from the workbench', async () => {
  await warm()
  const down = await measured('workbench_download', { remote_path: '/home/user/large.bin', local_path: 'back.bin' })
  expect(down).toMatchObject({ size: SIZE, sha256, verified: true })
  expect(await hashOfFile(join(machine.root, 'back.bin'))).toBe(sha256)
})

test('a large file goes to the storage', async () => {
  await warm()
  const put = await measured('upload_to_composio', { path: 'large.bin' })
  expect(await hashOfFile(composio.storage.uploads.get(String(put?.['s3_key']))?.path ?? '')).toBe(sha256)
})

/** The same way with a smaller file first, so that growth is that of the large one. */
async function warm(): Promise<void> {
  await writeLarge(join(machine.root, 'small.txt'), 48 * MIB)
  await toolkit.call('workbench_upload', { local_path: 'small.txt', remote_path: '/home/user/small.txt' })
  await toolkit.call('workbench_download', { remote_path: '/home/user/small.txt', local_path: 'small-back.txt' })
  await toolkit.call('upload_to_composio', { path: 'small.txt' })
}

async function measured(name: string, given: object): Promise<Record<string, unknown> | undefined> {
  const before = await memoryOf(toolkit.pid)
  const watched = watchMemory(toolkit.pid)
  const began = performance.now()
  const done = await toolkit.call(name, given, { onprogress: () => {} })
  const most = watched()
  expect(done.isError, textOf(done)).toBeUndefined()
  const seconds = ((performance.now() - began) / 1000).toFixed(1)
  console.log(
    `${name}: ${LARGE_MIB} MiB in ${seconds} s; ${before.toFixed(0)} MiB of memory before, at most ${most.toFixed(0)}`,
  )
  expect(most - before).toBeLessThan(MOST_GROWTH_MIB)
  return done.structuredContent
}
