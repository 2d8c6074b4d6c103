/** A gateway of its own, as a process, under everything at once: bodies of all kinds, endless ones, and servers that drop dead. */
// @module-tag long
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { makeInstallation } from '../cli/installation.ts'
import { ask, callTool, requestOf, textIn } from './caller.ts'
import { startFaultyUpstream } from './faulty-upstream.ts'

const KEY = `uru_${'ab'.repeat(32)}`
const CHILD = join(import.meta.dirname, 'faulty-child.script.ts')
const MIB = 1024 * 1024
const patiently = { interval: 100 }

/** Good requests, broken by one cut, one repetition or one foreign byte. */
const good = [
  'tools/list',
  'tools/call',
  'initialize',
  'ping',
  'server/discover',
  'resources/read',
  'completion/complete',
].map((method) => requestOf(method, { name: 'demo__calculate', arguments: { expression: '1' }, uri: 'x' }, KEY).body)
const broken = fc
  .tuple(fc.constantFrom(...good), fc.nat(), fc.nat(), fc.string({ unit: 'binary', maxLength: 6 }))
  .map(([body, from, to, text]) => body.slice(0, from % body.length) + text + body.slice(to % body.length))
/** JSON of any shape, and messages whose members are anything. */
const message = fc.record(
  {
    jsonrpc: fc.constantFrom('2.0', '1.0', 2),
    id: fc.jsonValue(),
    method: fc.oneof(fc.constantFrom('tools/list', 'tools/call', 'initialize', 'ping'), fc.string()),
    params: fc.jsonValue(),
    result: fc.jsonValue(),
    error: fc.jsonValue(),
  },
  { requiredKeys: ['jsonrpc'] },
)
const bodies = fc.oneof(
  broken,
  fc.json(),
  message.map((value) => JSON.stringify(value)),
  fc.array(message, { maxLength: 5 }).map((value) => JSON.stringify(value)),
  fc.string({ unit: 'binary' }),
)

test('S1-ERR-04: nothing crashes it: fuzzed bodies, huge JSON, servers that drop; it stays up and its memory bounded', async () => {
  await using upstream = await startFaultyUpstream()
  await using here = await makeInstallation({ TOOLWAY_BOOTSTRAP_KEY: KEY, LOG_LEVEL: 'error' })
  const file = join(here.folder, 'toolway.yaml')
  const child = { command: process.execPath, args: [CHILD, 'well'], revision: '2025-11-25' }
  await writeFile(
    file,
    JSON.stringify({ connections: { http: { url: upstream.url, revision: '2026-07-28', timeout: 5 }, child } }),
  )
  const running = await here.start({ TOOLWAY_CONFIG: file })
  const target = { url: `${running.address}/mcp`, key: KEY }
  const works = async () => textIn(await callTool(target, 'demo__calculate', { expression: '6*7' }))
  await expect.poll(works, patiently).toContain('42')
  const resident = async () =>
    Number(/VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${running.pid}/status`, 'utf8'))?.[1]) / 1024
  const post = (body: string | Uint8Array, headers: Record<string, string> = {}) =>
    fetch(target.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${KEY}`, ...headers },
      body: body as string,
    })

  const statuses = new Set<number>()
  await fc.assert(
    fc.asyncProperty(
      bodies,
      fc.constantFrom('', '2024-11-05', '2025-11-25', '2026-07-28', 'x'),
      async (body, version) => {
        const { status } = await post(body, version === '' ? {} : { 'mcp-protocol-version': version })
        statuses.add(status)
        // An error caused by a client's message is reported as the client's, never as the gateway's.
        expect(status).toBeLessThan(500)
      },
    ),
    { numRuns: 600 },
  )
  expect([...statuses]).toEqual(expect.arrayContaining([200, 400]))

  const huge = [
    Buffer.alloc(16 * MIB, 0x5b),
    Buffer.from(`{"a":"${'x'.repeat(4 * MIB)}"}`),
    Buffer.from(`[${'{},'.repeat(300_000)}{}]`),
    Buffer.from(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"x":${'['.repeat(60)}${']'.repeat(60)}}}`),
  ]
  // The connection may be cut while the rest is still on its way: that is an answer too.
  for (const body of [...huge, ...huge, ...huge])
    await post(body).then(
      (answer) => answer.text(),
      () => '',
    )
  const nasty = [
    'http__huge',
    'http__huge-said',
    'http__huge-event',
    'http__reset',
    'http__cut',
    'http__flood',
    'http__half',
    'child__crash',
    'child__long-line',
    'child__flood',
    'child__stderr-flood',
    'child__segfault',
  ]
  for (let round = 0; round < 3; round++) await Promise.all(nasty.map((name) => callTool(target, name)))

  await upstream[Symbol.asyncDispose]()
  expect((await callTool(target, 'http__good')).message.result?.['isError']).toBe(true)
  expect(await works()).toContain('42')
  expect((await ask(target, 'tools/list')).status).toBe(200)
  await expect.poll(resident, patiently).toBeLessThan(700)
  expect(await running.stop()).toBe(0)
  expect(running.err()).not.toMatch(/"code":"internal"|nobody handled|"level":"fatal"/)
})
