/** The toolkit as clients have it: a process over stdio, asked by the official SDK's client. */
import { mkdtemp, readFile, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTools } from './tools/all.ts'

const BIN = fileURLToPath(new URL('../bin/toolway-toolkit.mjs', import.meta.url))
let root: string
let client: Client
beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'toolkit-')))
  client = new Client({ name: 'test', version: '1.0.0' })
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [BIN, '--root', root] }))
})
afterAll(async () => {
  await client?.close()
  await rm(root, { recursive: true, force: true })
})

interface Answer {
  readonly content: { readonly text: string }[]
  readonly structuredContent?: Record<string, unknown>
  readonly isError?: boolean
}
const call = (name: string, given: object) =>
  client.callTool({ name, arguments: given as Record<string, unknown> }) as unknown as Promise<Answer>
const textOf = ({ content }: Answer) => content[0]?.text

test('S4-TK-01: is a stdio server named local_toolkit, whose tools have schemas, annotations and words', async () => {
  expect(client.getServerVersion()).toMatchObject({ name: 'local_toolkit' })
  const { tools } = await client.listTools()
  expect(tools.map(({ name }) => name)).toEqual(createTools({ environment: {} }).map(({ name }) => name))
  for (const tool of tools) {
    expect(tool.inputSchema, tool.name).toMatchObject({ type: 'object', additionalProperties: false })
    expect(tool.outputSchema, tool.name).toMatchObject({ type: 'object' })
    expect(tool.annotations, tool.name).toMatchObject({ readOnlyHint: expect.any(Boolean) as boolean })
    expect(tool.description?.length, tool.name).toBeGreaterThan(40)
  }
})

test('S4-TK-05: write_local_file says how many characters it wrote, and where', async () => {
  const content = '# Bericht\n\nGrüße 🎉\n'
  const written = await call('write_local_file', { path: 'out/report.md', content })
  const path = join(root, 'out/report.md')
  expect(textOf(written)).toBe(`Successfully wrote ${content.length} chars to ${path}`)
  expect(written.structuredContent).toEqual({ path, chars: content.length, bytes: Buffer.byteLength(content) })
  expect(await readFile(path, 'utf8')).toBe(content)
  const absolute = await call('write_local_file', { path, content: 'new' })
  expect(textOf(absolute)).toBe(`Successfully wrote 3 chars to ${path}`)
  const refused = await call('write_local_file', { path: '../x', content })
  expect([refused.isError, textOf(refused)]).toEqual([true, expect.stringMatching(/^Error writing file: .*"\.\."/)])
})

test('S4-TK-02, S4-TK-04: save_corpus writes expanded_corpus.json and counts what it saved', async () => {
  const articles = Array.from({ length: 25 }, (_, at) => ({
    url: `https://example.com/${at}`,
    title: `Page ${at}`,
    content: at < 22 ? `Grüße ${at}` : '',
    ...(at === 24 ? {} : { status: at < 22 ? 'success' : 'failed' }),
  }))
  const saved = await call('save_corpus', { articles, workspace_path: 'session' })
  const path = join(root, 'session/expanded_corpus.json')
  const bytes = articles.slice(0, 22).reduce((sum, { content }) => sum + Buffer.byteLength(content), 0)
  const expected = { success: true, corpus_path: path, articles_saved: 25, successful: 22, failed: 3 }
  expect(saved.structuredContent).toEqual({ ...expected, total_content_bytes: bytes })
  expect(JSON.parse(textOf(saved) ?? '')).toEqual(saved.structuredContent)
  const corpus = JSON.parse(await readFile(path, 'utf8')) as Record<string, unknown>
  expect(corpus).toMatchObject({ total_articles: 25, successful: 22, failed: 3 })
  expect((corpus['articles'] as object[])[24]).toEqual({ ...articles[24], status: 'failed' })
})

test('S4-TK-03: an article is kept as it is, however long', async () => {
  const content = 'ä'.repeat(1024 * 1024)
  const article = { url: 'https://example.com', title: 'Long', content, status: 'success' }
  const saved = await call('save_corpus', { articles: [article], workspace_path: 'long' })
  expect(saved.structuredContent).toMatchObject({ total_content_bytes: 2 * 1024 * 1024 })
  const corpus = JSON.parse(await readFile(join(root, 'long/expanded_corpus.json'), 'utf8')) as { articles: unknown[] }
  expect(corpus.articles).toEqual([article])
  const wrong = await call('save_corpus', { articles: [{ ...article, status: 'done' }], workspace_path: 'long' })
  expect(wrong.isError).toBe(true)
})

test('text is added to a file, a folder is listed, and files are read in batches that begin where the last one ended', async () => {
  for (const word of ['one', 'two']) await call('append_to_file', { path: 'research/a.md', content: word.repeat(500) })
  await call('write_local_file', { path: 'research/b.md', content: 'b'.repeat(700) })
  const listed = await call('list_directory', { path: 'research' })
  expect(listed.structuredContent).toMatchObject({
    path: join(root, 'research'),
    entries: [
      { name: 'a.md', type: 'file', size: 3_000 },
      { name: 'b.md', type: 'file', size: 700 },
    ],
    left: 0,
  })
  const paths = ['research/a.md', 'research/b.md']
  const read: string[] = []
  let at = { index: 0, offset: 0 }
  for (let batch = 0; batch < 10; batch++) {
    const answer = await call('read_research_files', {
      paths: paths.slice(at.index),
      offset: at.offset,
      max_chars: 1_000,
    })
    const { files, next } = answer.structuredContent as {
      files: { text: string }[]
      next: { index: number; offset: number } | null
    }
    read.push(...files.map(({ text }) => text))
    expect(files.reduce((sum, { text }) => sum + text.length, 0)).toBeLessThanOrEqual(1_000)
    if (next === null) break
    at = { index: at.index + next.index, offset: next.offset }
  }
  expect(read.join('')).toBe(`${'one'.repeat(500)}${'two'.repeat(500)}${'b'.repeat(700)}`)
})
