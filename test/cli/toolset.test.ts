/** Toolsets by the command line: every command of the guide runs, and each refusal says what to do. */
// @module-tag long
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ask } from '../fault/caller.ts'
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

async function names(toolset: string): Promise<string[]> {
  const url = `${running.address}/o/default/t/${toolset}/mcp`
  const { message } = await ask({ url, key }, 'tools/list')
  return ((message.result?.['tools'] ?? []) as { name: string }[]).map(({ name }) => name)
}

test('the commands of the guide run', async () => {
  await expect.poll(() => names('default'), patiently).toContain('demo__calculate')
  const guide = await readFile(join(import.meta.dirname, '../../docs/guides/toolsets.md'), 'utf8')
  const lines = [...guide.matchAll(/```sh\n([^`]*)```/g)].flatMap(([, block = '']) => block.trim().split('\n'))
  expect(lines.length).toBeGreaterThanOrEqual(5)
  for (const line of lines) {
    const words = [...line.replace(/^npx /, '').matchAll(/'([^']*)'|(\S+)/g)].map(
      ([, quoted, bare]) => quoted ?? bare ?? '',
    )
    expect(await here.run(words.slice(1)), line).toMatchObject({ code: 0, err: '' })
  }
})

test('one that is made is there for clients of the running gateway, and is gone when it is removed', async () => {
  const made = await here.run(['toolset', 'add', 'sums', '--include', 'demo__calc*', '--limit', 'read'])
  expect(made).toEqual({
    code: 0,
    err: '',
    out: 'Created the toolset sums: 1 tool, 1 listed. Its endpoint is /o/default/t/sums/mcp.\n',
  })
  await expect.poll(() => names('sums'), patiently).toEqual(['demo__calculate'])
  expect((await here.run(['toolset', 'change', 'sums', '--discovery', 'search'])).code).toBe(0)
  await expect.poll(() => names('sums'), patiently).toEqual(['search_tools', 'describe_tool', 'call_tool'])
  expect(await here.json(['toolset', 'show', 'sums'])).toMatchObject({
    slug: 'sums',
    settings: { include: ['demo__calc*'], exclude: [], limit: 'read', discovery: 'search' },
    tools: 1,
    listed: 3,
    exceeds: [],
  })
  expect((await here.run(['toolset', 'show', 'sums'])).out).toMatch(/search +~\d+ +current/)
  expect((await here.run(['toolset', 'change', 'sums', '--for-key', 'nobody'])).code).toBe(0)
  await expect.poll(() => names('sums'), patiently).toEqual([])
  expect((await here.run(['toolset', 'change', 'sums', '--for-everybody'])).code).toBe(0)
  await expect.poll(() => names('sums'), patiently).toHaveLength(3)
  expect((await here.run(['toolset', 'remove', 'sums'])).out).toBe('Removed the toolset sums.\n')
  await expect.poll(() => names('sums'), patiently).toEqual([])
  expect((await here.run(['toolset', 'list'])).out).toMatch(
    /^TOOLSET .*\nadmin .*supplied\nread-only .*supplied\nstandard/m,
  )
})

test.each([
  [['toolset', 'show', 'nope'], 1, 'There is no toolset "nope"; `toolway toolset list` lists the toolsets.'],
  [['toolset', 'change', 'nope'], 1, 'There is no toolset "nope"'],
  [['toolset', 'remove', 'standard'], 1, 'is built in'],
  [['toolset', 'add', 'Not A Slug'], 2, 'must start with a-z'],
  [['toolset', 'add', 'x', '--limit-of', 'demo'], 2, 'Use alias=read|write|execute.'],
  [['toolset', 'add', 'x', '--for-member', 'no-address'], 2, '/audience/members/0'],
  [['toolset', 'add', 'x', '--page', '0'], 2, 'Must be a whole number from 1 to 1000.'],
])('%j is refused in words', async (words, code, says) => {
  const ran = await here.run(words)
  expect(ran.code).toBe(code)
  expect(ran.err).toContain(says)
})
