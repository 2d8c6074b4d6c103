/** The lock on tools by the command line: every command of the guide runs, and each refusal says what to do. */
// @module-tag long
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ask, callTool, textIn } from '../fault/caller.ts'
import { makeInstallation, type Installation, type Running } from './installation.ts'

let here: Installation
let running: Running
let key: string
beforeAll(async () => {
  here = await makeInstallation()
  running = await here.start()
  key = await here.localKey()
})
afterAll(() => here[Symbol.asyncDispose]())
const patiently = { interval: 50 }

const endpoint = () => ({ url: `${running.address}/mcp`, key })
async function names(): Promise<string[]> {
  const { message } = await ask(endpoint(), 'tools/list')
  return ((message.result?.['tools'] ?? []) as { name: string }[]).map(({ name }) => name)
}

test('the commands of the guide run', async () => {
  await expect.poll(names, patiently).toContain('demo__calculate')
  const guide = await readFile(join(import.meta.dirname, '../../docs/guides/tool-lock.md'), 'utf8')
  const lines = [...guide.matchAll(/```sh\n([^`]*)```/g)].flatMap(([, block = '']) => block.trim().split('\n'))
  expect(lines.length).toBeGreaterThanOrEqual(5)
  for (const line of lines) {
    const words = line
      .replace(/^npx /, '')
      .split(' ')
      .slice(1)
      .map((word) => (word === 'toolway.lock.json' ? join(here.folder, word) : word))
    expect(await here.run(words), line).toMatchObject({ code: 0, err: '' })
  }
})

test('tools that are held are gone for clients, and come back when they are accepted', async () => {
  expect((await here.run(['lock', 'set', 'demo', 'all', '--hold-present'])).out).toMatch(
    /^The lock on demo is all\. \d+ tools are waiting for review/,
  )
  await expect.poll(names, patiently).not.toContain('demo__calculate')
  const shown = await here.run(['lock', 'show', 'demo'])
  expect(shown.out).toContain('calculate is held: it is new.')
  const hash = /lock accept demo "calculate" --hash ([0-9a-f]{64})/.exec(shown.out)?.[1] ?? ''
  expect(await here.run(['lock', 'accept', 'demo', 'calculate', '--hash', '0'.repeat(64)])).toMatchObject({
    code: 1,
    err: 'calculate no longer has the hash 000000000000: review it again with `toolway lock show demo`.\n',
  })
  expect(await here.run(['lock', 'accept', 'demo', 'calculate', '--hash', hash])).toMatchObject({ code: 0, err: '' })
  await expect.poll(names, patiently).toContain('demo__calculate')
  expect(textIn(await callTool(endpoint(), 'demo__calculate', { expression: '1+1' }))).toContain('2')
  expect(await here.run(['lock', 'set', 'demo', 'off'])).toMatchObject({ code: 0 })
})

test('a file that says otherwise than the servers ends the check with 1 and what drifted', async () => {
  const file = join(here.folder, 'drift.json')
  await here.run(['lock', 'export', file])
  const text = await readFile(file, 'utf8')
  expect(await here.run(['lock', 'export'])).toMatchObject({ code: 0, out: text })
  const { connections } = JSON.parse(text) as { connections: Record<string, { tools: Record<string, string> }> }
  const tools = connections['demo']?.tools ?? {}
  tools['calculate'] = 'f'.repeat(64)
  tools['gone'] = 'e'.repeat(64)
  await writeFile(file, JSON.stringify({ format: 'toolway-lock/1', connections }))
  const checked = await here.run(['lock', 'check', file])
  expect(checked.code).toBe(1)
  expect(checked.out).toMatch(
    /demo calculate: changed \(ffffffffffff → [0-9a-f]{12}\)\ndemo gone: gone \(eeeeeeeeeeee\)\n2 differences/,
  )
})

test.each([
  [
    ['lock', 'set', 'nobody', 'all'],
    1,
    'There is no connection "nobody"; `toolway connection list` lists the connections.',
  ],
  [['lock', 'show', 'nobody'], 1, 'There is no connection "nobody"'],
  [['lock', 'set', 'demo', 'some'], 2, 'Allowed choices are off, additions, descriptions, all.'],
  [['lock', 'set', 'demo', 'all', '--hold-present', '--accept-present'], 2, 'not both'],
  [['lock', 'accept', 'demo', 'nothing'], 1, 'demo has no tool "nothing"; `toolway lock show demo` lists its tools.'],
  [['lock', 'accept', 'demo', 'calculate', '--hash', 'x'], 2, '/hash must be 64 hexadecimal digits'],
  [['lock', 'check', 'nowhere.json'], 1, 'nowhere.json cannot be read: there is no such file.'],
])('%j is refused with what to do', async (words, code, problem) => {
  const ran = await here.run(words)
  expect([ran.code, ran.err]).toEqual([code, expect.stringContaining(problem)])
})
