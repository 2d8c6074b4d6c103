import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { describe, expect, test } from 'vitest'
import { calculate } from './calculate.ts'

const ANSWERS: [name: string, input: Record<string, unknown>, text: string][] = [
  ['world_clock', { zones: ['Asia/Tokyo', 'UTC'] }, 'Asia/Tokyo: '],
  ['wait_for', { seconds: 0, steps: 1 }, 'Waited 0 seconds'],
  ['calculate', { expression: '2^10 - 24' }, '2^10 - 24 = 1000'],
  ['compare_texts', { before: 'a\nx', after: 'b\nx' }, '-a\n+b'],
  ['hash_text', { text: 'abc' }, 'sha256 of 3 bytes: ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
  ['make_ids', { count: 2 }, '\n'],
  ['notes_search', {}, 'No note matches.'],
]

const MISTAKES: [name: string, input: Record<string, unknown>, text: string][] = [
  ['calculate', { expression: '2 * (3 + ' }, 'Column 10: expected a number'],
  ['world_clock', { zones: ['Atlantis'] }, 'Atlantis'],
  ['notes_remove', { id: '00000000-0000-4000-8000-000000000000' }, 'There is no note'],
  ['notes_remove', { id: '../../etc/passwd' }, 'Invalid'],
]

async function connect(mode: 'legacy' | { pin: string }) {
  const home = await mkdtemp(join(tmpdir(), 'toolway-demo-'))
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [join(import.meta.dirname, 'demo-server.ts')],
      env: { HOME: home, USERPROFILE: home, PATH: '' },
    }),
  )
  return {
    client,
    async [Symbol.asyncDispose]() {
      await client.close()
      await rm(home, { recursive: true, force: true })
    },
  }
}

const textIn = (result: unknown) => (result as { content: { text: string }[] }).content[0]?.text ?? ''

describe.each([{ mode: { pin: '2026-07-28' } }, { mode: 'legacy' as const }])('to a client in $mode', ({ mode }) => {
  test('each tool answers, says what was wrong, and has hints of its effect', async () => {
    await using demo = await connect(mode)
    const { tools } = await demo.client.listTools()
    expect(tools.map(({ name }) => name).sort()).toEqual(
      [...ANSWERS.map(([name]) => name), 'notes_add', 'notes_remove'].sort(),
    )
    const hints = Object.fromEntries(tools.map(({ name, annotations }) => [name, annotations]))
    expect(hints['calculate']).toMatchObject({ readOnlyHint: true, destructiveHint: false, openWorldHint: false })
    expect(hints['notes_add']).toMatchObject({ readOnlyHint: false, destructiveHint: false })
    expect(hints['notes_remove']).toMatchObject({ readOnlyHint: false, destructiveHint: true })
    for (const [name, input, text] of ANSWERS)
      expect(textIn(await demo.client.callTool({ name, arguments: input })), name).toContain(text)
    for (const [name, input, text] of MISTAKES) {
      const result = await demo.client.callTool({ name, arguments: input })
      expect(result, name).toMatchObject({ isError: true })
      expect(textIn(result)).toContain(text)
    }
  })

  test('notes are kept, found, read and removed', async () => {
    await using demo = await connect(mode)
    const call = (name: string, input: Record<string, unknown>) => demo.client.callTool({ name, arguments: input })
    const { structuredContent } = await call('notes_add', { title: 'Milk', text: 'Two litres' })
    const { id } = structuredContent as { id: string }
    expect(textIn(await call('notes_search', { words: 'LITRES' }))).toBe(`${id}  Milk`)
    expect(await demo.client.listResources()).toMatchObject({ resources: [{ uri: `note:///${id}`, title: 'Milk' }] })
    expect(await demo.client.readResource({ uri: `note:///${id}` })).toMatchObject({
      contents: [{ text: '# Milk\n\nTwo litres\n' }],
    })
    expect(await demo.client.getPrompt({ name: 'plan_my_day', arguments: { focus: 'rest' } })).toMatchObject({
      messages: [{ content: { text: expect.stringContaining('rest') } }],
    })
    expect(textIn(await call('notes_remove', { id }))).toContain(id)
    await expect(demo.client.readResource({ uri: `note:///${id}` })).rejects.toThrow()
    expect(textIn(await call('notes_search', {}))).toBe('No note matches.')
  })

  test('a wait reports progress and can be cancelled', async () => {
    await using demo = await connect(mode)
    // A client hears of no progress after the answer, and a busy one may read both at once: it must come before an end that is far.
    const heard: number[] = []
    const enough = new AbortController()
    const onprogress = ({ progress }: { progress: number }) => {
      if (heard.push(progress) === 3) enough.abort()
    }
    const wait = demo.client.callTool(
      { name: 'wait_for', arguments: { seconds: 30, steps: 100 } },
      { signal: enough.signal, onprogress, timeout: 120_000 },
    )
    await expect(wait).rejects.toThrow()
    expect(heard.slice(0, 3)).toEqual([1, 2, 3])
    // The server still answers after the cancelled call.
    expect(textIn(await demo.client.callTool({ name: 'calculate', arguments: { expression: '6*7' } }))).toContain('42')
  })
})

describe('an expression', () => {
  test.each([
    ['1 + 2 * 3', 7],
    ['(1 + 2) * 3', 9],
    ['10 - 4 - 3', 3],
    ['-2^2', -4],
    ['2^3^2', 512],
    ['2^-2', 0.25],
    ['.5 + 1.5e3', 1500.5],
    ['sqrt(16) + max(1, 3, 2) % 2', 5],
    ['ROUND(2.346, 2)', 2.35],
  ])('%s is %d', (text, value) => expect(calculate(text)).toBeCloseTo(value, 12))

  test.each([
    ['1 +', 'Column 4'],
    ['1 2', "Column 3: expected an operator, found '2'"],
    ['(1', "Column 3: expected ')'"],
    ['1/0', 'division by zero'],
    ['9^999', 'not a finite number'],
    ['constructor', "Column 1: expected a number, found 'constructor'"],
  ])('%s is refused', (text, problem) => expect(() => calculate(text)).toThrow(problem))
})
