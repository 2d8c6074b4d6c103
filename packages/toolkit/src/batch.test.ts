/** Batches and budgets of a session, and the later tools as a client has them. */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { Workspace } from './files/workspace.ts'
import { Session } from './session.ts'
import { createBatchToolExecute } from './tools/batch-tool-execute.ts'
import { tool, type ToolCall } from './tools/tool.ts'
import { ERAS, faultOf, makeFolder, startToolkit, textOf, type Answer } from './testing/toolkit-client.ts'

interface BatchResult {
  readonly index: number
  readonly tool: string
  readonly success: boolean
  readonly result: string
  readonly characters: number
  readonly truncated: boolean
  readonly error?: Record<string, unknown>
}
const resultsOf = ({ structuredContent }: Answer) => structuredContent?.['results'] as BatchResult[]
const writing = (path: string, content = 'x') => ({ tool: 'write_local_file', arguments: { path, content } })

test('S4-FUT-01: folders are listed, text is added, files are compressed and read in batches, calls run in batches, and a session has budgets', async () => {
  for (const era of ERAS) {
    await using base = await makeFolder()
    const args = ['--root', base.path, '--max-tool-calls', '60', '--max-calls', 'append_to_file=22']
    await using toolkit = await startToolkit({ era, args })

    // append_to_file, twenty at once, each whole.
    const lines = Array.from({ length: 20 }, (_, at) => `line ${at} ${'x'.repeat(500)}\n`)
    const batch = await toolkit.call('batch_tool_execute', {
      calls: lines.map((content) => ({ tool: 'append_to_file', arguments: { path: 'notes/log.txt', content } })),
    })
    expect(batch.structuredContent).toMatchObject({ total: 20, successful: 20, failed: 0 })
    expect(resultsOf(batch)[7]?.result).toBe(
      `Successfully appended ${lines[7]?.length} chars to ${base.path}/notes/log.txt`,
    )
    const log = await readFile(join(base.path, 'notes/log.txt'), 'utf8')
    expect(log.split('\n').sort()).toEqual(lines.join('').split('\n').sort())
    const many = { calls: Array.from({ length: 21 }, (_, at) => writing(`${at}.txt`)) }
    expect(faultOf(await toolkit.call('batch_tool_execute', many))).toMatchObject({ code: 'INVALID_ARGUMENT' })

    // list_directory and read_research_files, cut to 5,000 characters within a batch.
    const read = await toolkit.call('batch_tool_execute', {
      calls: [
        { tool: 'list_directory', arguments: { path: 'notes' } },
        { tool: 'read_research_files', arguments: { paths: ['notes/log.txt'] } },
        { tool: 'read_research_files', arguments: { paths: ['none.txt'] } },
        { tool: 'write_local_file', arguments: { path: '../out.txt', content: 'x' } },
      ],
    })
    const [listed, text, missing, outside] = resultsOf(read)
    expect(listed).toMatchObject({
      success: true,
      truncated: false,
      result: expect.stringContaining('log.txt') as string,
    })
    expect(text).toMatchObject({
      success: true,
      truncated: true,
      result: expect.stringMatching(/^[^]{5000}$/) as string,
    })
    expect(missing).toMatchObject({ success: false, error: { code: 'NOT_FOUND', retryable: false } })
    expect(outside).toMatchObject({ success: false, error: { code: 'INVALID_ARGUMENT' } })

    // read_research_files gives a batch of the size that is asked for, and where the next one begins.
    await writeFile(join(base.path, 'long.md'), 'word '.repeat(30_000))
    const first = await toolkit.call('read_research_files', { paths: ['long.md'], max_chars: 50_000 })
    expect(first.structuredContent).toMatchObject({
      files: [{ from: 0, to: 50_000 }],
      next: { index: 0, offset: 50_000 },
    })
    const next = await toolkit.call('read_research_files', { paths: ['long.md'], offset: 50_000, max_chars: 75_000 })
    expect(next.structuredContent).toMatchObject({ files: [{ from: 50_000, to: 125_000 }] })

    // compress_files keeps two files of one name apart.
    for (const [folder, content] of Object.entries({ one: '1', two: '2' })) {
      await mkdir(join(base.path, folder))
      await writeFile(join(base.path, folder, 'same.md'), content)
    }
    const packed = await toolkit.call('compress_files', { paths: ['one/same.md', 'two'], archive_path: 'out.zip' })
    expect(packed.structuredContent).toMatchObject({ archive_path: join(base.path, 'out.zip'), files: 2, bytes: 2 })
    await toolkit.call('extract_files', { archive_path: 'out.zip', folder: 'back' })
    expect(await readFile(join(base.path, 'back/one/same.md'), 'utf8')).toBe('1')
    expect(await readFile(join(base.path, 'back/two/same.md'), 'utf8')).toBe('2')

    // Budgets of one tool and of all, within batches and outside. 31 calls were made: 20 + 1, 4 + 1, 2, 2, and 1 more below.
    const more = Array.from({ length: 4 }, () => ({ tool: 'append_to_file', arguments: { path: 'log', content: 'x' } }))
    const over = resultsOf(await toolkit.call('batch_tool_execute', { calls: more }))
    expect(over.filter(({ success }) => success)).toHaveLength(2)
    expect(over[3]).toMatchObject({ error: { code: 'POLICY_VIOLATION', blocked_by: 'max_calls', limit: 22 } })
    expect(await readFile(join(base.path, 'log'), 'utf8')).toBe('xx')
    let made = 33
    for (; made < 60; made++) expect((await toolkit.call('list_directory', {})).isError).toBeUndefined()
    const refused = await toolkit.call('write_local_file', { path: 'late.txt', content: 'x' })
    expect([refused.isError, textOf(refused)]).toEqual([true, expect.stringContaining('blocked_by max_tool_calls')])
    expect(faultOf(refused)).toMatchObject({
      code: 'POLICY_VIOLATION',
      blocked_by: 'max_tool_calls',
      limit: 60,
      retryable: false,
    })
    expect(await readdir(base.path)).not.toContain('late.txt')
  }
})

test('a budget of a tool that does not exist, or that is no number, ends the start', async () => {
  await using base = await makeFolder()
  for (const args of [
    ['--max-calls', 'nothing=3'],
    ['--max-calls', 'list_directory'],
    ['--max-tool-calls', '-1'],
    ['--max-tool-calls=x'],
  ])
    await expect(startToolkit({ args: ['--root', base.path, ...args] })).rejects.toThrow()
})

/** A session with a batch tool over tools of the test. */
async function sessionOf(base: string, run: (given: string, call: ToolCall) => Promise<string>, timeout = 60_000) {
  const workspace = await Workspace.open([base])
  const one = tool({
    ...{ name: 'one', title: 'One', description: 'For the test.', examples: [], failure: 'Error' },
    ...{ readOnly: true, destructive: false, idempotent: true, openWorld: false },
    input: z.strictObject({ given: z.string() }),
    output: z.strictObject({}),
    run: async ({ given }, call) => ({ text: await run(given, call), structured: {} }),
  })
  const batch = createBatchToolExecute({ tools: [one], timeout })
  const session = new Session({ tools: [one, batch], budgets: { byTool: new Map() } })
  const call = (given: readonly string[], signal: AbortSignal, told: number[] = []) =>
    session.call(
      batch,
      { calls: given.map((word) => ({ tool: 'one', arguments: { given: word } })) },
      {
        ...{ workspace, signal },
        progress: (done: number) => void told.push(done),
      },
    )
  return { call, session, batch, workspace, [Symbol.asyncDispose]: () => workspace[Symbol.asyncDispose]() }
}

test('ten calls of a batch run at a time, and the results have the order of the calls', async () => {
  await using base = await makeFolder()
  let [running, most] = [0, 0]
  await using parts = await sessionOf(base.path, async (given) => {
    most = Math.max(most, ++running)
    await new Promise((resolve) => setTimeout(resolve, Number(given)))
    running--
    return given
  })
  const told: number[] = []
  const outcome = await parts.call(
    Array.from({ length: 20 }, (_, at) => String(20 - at)),
    new AbortController().signal,
    told,
  )
  const { results } = outcome.structured as unknown as { results: BatchResult[] }
  expect(most).toBe(10)
  expect(results.map(({ result }) => result)).toEqual(Array.from({ length: 20 }, (_, at) => String(20 - at)))
  expect(told).toEqual(Array.from({ length: 20 }, (_, at) => at + 1))
})

test('a call that takes too long is stopped, also one that does not listen, and the others are not', async () => {
  await using base = await makeFolder()
  const stopped: string[] = []
  const run = (given: string, { signal }: ToolCall) =>
    new Promise<string>((resolve, reject) => {
      if (given === 'quick') return resolve('done')
      signal.addEventListener('abort', () => {
        stopped.push(given)
        if (given === 'listens') reject(signal.reason as Error)
      })
    })
  await using parts = await sessionOf(base.path, run, 50)
  const outcome = await parts.call(['quick', 'listens', 'deaf'], new AbortController().signal)
  const { results } = outcome.structured as unknown as { results: BatchResult[] }
  expect(results.map(({ success, error }) => error?.['code'] ?? success)).toEqual([true, 'TIMEOUT', 'TIMEOUT'])
  expect(stopped.sort()).toEqual(['deaf', 'listens'])
})

test('a batch that is cancelled stops its calls, and begins no other', async () => {
  await using base = await makeFolder()
  const controller = new AbortController()
  let begun = 0
  const run = (_: string, { signal }: ToolCall) =>
    new Promise<string>((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error))
      if (++begun === 10) controller.abort()
    })
  await using parts = await sessionOf(base.path, run)
  const outcome = await parts.call(
    Array.from({ length: 20 }, () => 'x'),
    controller.signal,
  )
  expect([begun, outcome.fault?.code]).toEqual([10, 'CANCELLED'])
})

test('a batch calls no tool but those of its list, and not itself', async () => {
  await using base = await makeFolder()
  await using toolkit = await startToolkit({ args: ['--root', base.path] })
  for (const name of ['batch_tool_execute', 'none', '__proto__', 'constructor', 'toString', '']) {
    const refused = await toolkit.call('batch_tool_execute', { calls: [{ tool: name, arguments: {} }] })
    expect(faultOf(refused), name).toMatchObject({ code: 'INVALID_ARGUMENT' })
  }
})
