/** The toolkit's words of the protocol, in both eras and with both SDKs. */
// @module-tag long
import { randomBytes } from 'node:crypto'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createTools } from './tools/all.ts'
import {
  ERAS,
  faultOf,
  makeFolder,
  startByHand,
  startToolkit,
  startWithSdkOne,
  textOf,
} from './testing/toolkit-client.ts'

const TOOLS = createTools({ environment: {} })

/** Read-only, destructive, idempotent, open world. */
const HINTS: Readonly<Record<string, readonly [boolean, boolean | undefined, boolean, boolean]>> = {
  save_corpus: [false, true, true, false],
  write_local_file: [false, true, true, false],
  append_to_file: [false, false, false, false],
  list_directory: [true, undefined, true, false],
  read_research_files: [true, undefined, true, false],
  compress_files: [false, true, true, false],
  extract_files: [false, true, false, false],
}

test('every tool has schemas, annotations, a description and examples that fit, in both eras', async () => {
  await using base = await makeFolder()
  for (const era of ERAS) {
    await using toolkit = await startToolkit({ era, args: ['--root', base.path] })
    const { tools } = await toolkit.client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(TOOLS.map(({ name }) => name))
    for (const { name, inputSchema, outputSchema, annotations, title, description } of tools) {
      const tool = TOOLS.find((one) => one.name === name)
      expect(inputSchema, name).toMatchObject({ type: 'object', additionalProperties: false })
      expect(outputSchema, name).toMatchObject({ type: 'object' })
      expect([title, description?.length], name).toEqual([tool?.title, expect.any(Number)])
      const { readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = annotations ?? {}
      const hints = [readOnlyHint, destructiveHint, idempotentHint, openWorldHint]
      if (name in HINTS) expect(hints, name).toEqual(HINTS[name])
      else expect(hints.filter((hint) => hint === undefined).length, name).toBe(readOnlyHint === true ? 1 : 0)
      const examples = inputSchema['examples'] as unknown[]
      expect(examples.length, name).toBeGreaterThan(0)
      for (const example of examples) expect(tool?.input.safeParse(example).success, name).toBe(true)
    }
  }
})

test('progress is told in both eras, in growing steps before the answer, to a client that asks for it', async () => {
  await using base = await makeFolder()
  await mkdir(join(base.path, 'in'))
  for (let at = 0; at < 5; at++) await writeFile(join(base.path, 'in', `${at}.txt`), 'x')
  const given = { paths: ['in'], archive_path: 'out.zip' }
  for (const era of ERAS) {
    await using toolkit = startByHand(['--root', base.path], era)
    const told = await toolkit.call(1, 'compress_files', given, { progressToken: 'p1' })
    const steps = Array.from({ length: 5 }, (_, at) => ({
      ...{ jsonrpc: '2.0', method: 'notifications/progress' },
      params: { progressToken: 'p1', progress: at + 1, total: 5, message: `in/${at}.txt` },
    }))
    expect(told.slice(0, -1), era).toMatchObject(steps)
    expect(told.at(-1), era).toMatchObject({ id: 1, result: { structuredContent: { files: 5 } } })
    expect(await toolkit.call(2, 'compress_files', given, {}), era).toHaveLength(1)
  }
})

/** Files that take seconds to compress: a cancellation comes in time, also on a busy machine. */
async function writeHeavy(folder: string) {
  for (let at = 0; at < 60; at++) await writeFile(join(folder, `${at}.bin`), randomBytes(1_000_000))
}

test('a call that is cancelled stops, and leaves no half file, in both eras', async () => {
  await using base = await makeFolder()
  await mkdir(join(base.path, 'in'))
  await writeHeavy(join(base.path, 'in'))
  for (const era of ERAS) {
    await using toolkit = await startToolkit({ era, args: ['--root', base.path] })
    const controller = new AbortController()
    const call = toolkit.call(
      'compress_files',
      { paths: ['in'], archive_path: 'out.zip' },
      { signal: controller.signal, onprogress: () => controller.abort() },
    )
    await expect(call).rejects.toThrow()
    // The part goes when the work has stopped.
    await expect.poll(() => readdir(base.path)).toEqual(['in'])
    expect((await toolkit.call('list_directory', {})).structuredContent).toMatchObject({ entries: [{ name: 'in' }] })
  }
})

test('a client that goes away stops its calls, and the process leaves no half file', async () => {
  await using base = await makeFolder()
  await mkdir(join(base.path, 'in'))
  await writeHeavy(join(base.path, 'in'))
  const toolkit = await startToolkit({ args: ['--root', base.path] })
  const begun = new Promise<void>((resolve) => {
    const given = { paths: ['in'], archive_path: 'out.zip' }
    void toolkit.call('compress_files', given, { onprogress: () => resolve() }).catch(() => {})
  })
  await begun
  await toolkit.client.close()
  await expect.poll(() => readdir(base.path)).toEqual(['in'])
})

test('a failed call is told to programs too, without breaking clients that check results against the output schema', async () => {
  await using base = await makeFolder()
  const args = ['--root', base.path]
  const expected = { code: 'NOT_FOUND', message: `${base.path}/none.txt does not exist.`, retryable: false }
  for (const era of ERAS) {
    await using toolkit = await startToolkit({ era, args })
    await toolkit.client.listTools()
    const failed = await toolkit.call('read_research_files', { paths: ['none.txt'] })
    expect([failed.isError, textOf(failed)]).toEqual([true, `Error reading files: ${expected.message}`])
    expect(faultOf(failed)).toEqual(expected)
    expect(failed.structuredContent).toBeUndefined()
    const wrong = await toolkit.call('write_local_file', { path: 1, other: true })
    expect(faultOf(wrong)).toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: expect.stringContaining('path: ') as string,
    })
    await expect(toolkit.call('none', {})).rejects.toThrow('no tool none')
  }
  // SDK 1 checks the structured content of a failed call as well.
  await using one = await startWithSdkOne(args)
  await one.client.listTools()
  expect(faultOf(await one.call('read_research_files', { paths: ['none.txt'] }))).toEqual(expected)
  expect((await one.call('list_directory', {})).structuredContent).toMatchObject({ path: base.path })
})

test(
  'U-16: the toolkit takes texts of 16 MiB or of --max-text, and a message that is larger than it takes ends the connection with a reason',
  { tags: 'long' },
  async () => {
    await using base = await makeFolder()
    await using toolkit = await startToolkit({ args: ['--root', base.path] })
    const long = await toolkit.call('write_local_file', { path: 'a.txt', content: 'x'.repeat(16 * 1024 * 1024) })
    expect(long.structuredContent).toMatchObject({ chars: 16 * 1024 * 1024 })
    const longer = await toolkit.call('write_local_file', { path: 'a.txt', content: 'x'.repeat(16 * 1024 * 1024 + 1) })
    expect(faultOf(longer)).toMatchObject({ code: 'INVALID_ARGUMENT' })
    await using short = await startToolkit({ args: ['--root', base.path, '--max-text', '2000'] })
    for (const tool of ['write_local_file', 'append_to_file']) {
      const write = (length: number) => short.call(tool, { path: `${tool}.txt`, content: 'x'.repeat(length) })
      expect((await write(2_000)).structuredContent).toMatchObject({ chars: 2_000 })
      expect(faultOf(await write(2_001))).toMatchObject({ code: 'INVALID_ARGUMENT' })
    }
    await using wide = await startToolkit({ args: ['--root', base.path, '--max-text', '20000000'] })
    const widest = await wide.call('write_local_file', { path: 'a.txt', content: 'x'.repeat(20_000_000) })
    expect(widest.structuredContent).toMatchObject({ chars: 20_000_000 })
    await expect(
      toolkit.call('write_local_file', { path: 'a.txt', content: 'x'.repeat(65 * 1024 * 1024) }),
    ).rejects.toThrow()
    await expect.poll(() => toolkit.told.join('')).toContain('a message from the client is larger than')
    await using small = await startToolkit({ args: ['--root', base.path, '--max-message', '20000'] })
    await small.call('write_local_file', { path: 'b.txt', content: 'x'.repeat(19_000) })
    await expect(small.call('write_local_file', { path: 'b.txt', content: 'x'.repeat(20_000) })).rejects.toThrow()
    await expect.poll(() => small.told.join('')).toContain('is larger than 20000 bytes')
  },
)
