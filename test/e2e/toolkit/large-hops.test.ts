/**
 * One large file over every hop: from the toolkit to the gateway, from the gateway to Composio's storage, and back to the toolkit. The
 * processes of toolkit and gateway are measured while they carry it.
 */
// @module-tag long
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeInstallation, type Installation, type Running } from '../../cli/installation.ts'
import { hashOfFile, LARGE_MIB, MIB, MOST_GROWTH_MIB, writeLarge } from '../../setup/large-files.ts'
import { memoryOf, watchMemory } from '../../setup/process-memory.ts'
import { AGENT_USER, startAgentComposio } from '../peers/composio/agent-tools.ts'
import { API_KEY, type ComposioDouble } from '../peers/composio/composio-double.ts'
import { createMachine, textOf, type Machine, type Toolkit } from './toolkit-process.ts'

const SIZE = LARGE_MIB * MIB + 1

let composio: ComposioDouble
let here: Installation
let gateway: Running
let machine: Machine
let toolkit: Toolkit
let sha256: string
beforeAll(async () => {
  composio = await startAgentComposio({ acts: true, keepsCode: false })
  here = await makeInstallation()
  const settings = {
    ...{ TOOLWAY_PRESET: 'agent', TOOLWAY_APPROVALS: 'off' },
    ...{ COMPOSIO_API_KEY: API_KEY, COMPOSIO_URL: composio.url, DEFAULT_USER_ID: AGENT_USER },
  }
  gateway = await here.start(settings)
  const key = (await here.run(['key', 'add', 'toolkit'], { settings })).out.trim()
  machine = await createMachine()
  const url = `${gateway.address}/o/default/t/main/mcp`
  toolkit = await machine.start({ TOOLWAY_URL: url, TOOLWAY_KEY: key, TOOLWAY_CRAWL_ALLOW_PRIVATE: 'true' })
  sha256 = await writeLarge(join(machine.root, 'large.bin'), SIZE)
})
afterAll(async () => {
  await machine?.[Symbol.asyncDispose]()
  await here?.[Symbol.asyncDispose]()
  await composio?.[Symbol.asyncDispose]()
})

test('a large file goes to the gateway, on to the storage of Composio, and comes back, in constant memory', async () => {
  await toolkit.call('write_local_file', { path: 'small.txt', content: 'x'.repeat(12 * MIB) })
  await carry('small.txt', 'small-back.txt')
  const processes = [
    { name: 'toolkit', pid: toolkit.pid },
    { name: 'gateway', pid: gateway.pid },
  ]
  const watched = await Promise.all(
    processes.map(async (one) => ({ ...one, before: await memoryOf(one.pid), most: watchMemory(one.pid) })),
  )
  const began = performance.now()
  const stored = await carry('large.bin', 'back.bin')
  const seconds = ((performance.now() - began) / 1000).toFixed(1)
  expect(await hashOfFile(stored)).toBe(sha256)
  expect(await hashOfFile(join(machine.root, 'back.bin'))).toBe(sha256)
  for (const { name, before, most } of watched) {
    const growth = most() - before
    console.log(`${LARGE_MIB} MiB over all hops in ${seconds} s: ${name} grew by ${growth.toFixed(0)} MiB`)
    expect(growth, name).toBeLessThan(MOST_GROWTH_MIB)
  }
})

/** Uploads to the gateway and to Composio by it, and downloads what the gateway has; returns the place in Composio's storage. */
async function carry(path: string, back: string): Promise<string> {
  const given = await succeeds('upload_file', { path })
  const put = await succeeds('upload_to_composio', { path })
  await succeeds('download_file', { uri: given?.['uri'], local_path: back })
  return composio.storage.uploads.get(String(put?.['s3_key']))?.path ?? ''
}

async function succeeds(name: string, given: object): Promise<Record<string, unknown> | undefined> {
  const done = await toolkit.call(name, given, { onprogress: () => {} })
  expect(done.isError, textOf(done)).toBeUndefined()
  return done.structuredContent
}
