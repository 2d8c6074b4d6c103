/**
 * The published package of the toolkit: built as for a release, and used under the oldest Node that this machine has. Code that is loaded
 * when a tool needs it is loaded here, too.
 */
// @module-tag long
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, realpath, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { layPublished } from './published.ts'

let folder: string
let published: string
beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'toolkit-packed-')))
  await layPublished(folder)
  published = join(folder, 'toolkit/package')
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** The Nodes of this machine that the package says it runs on, the pinned one first. */
async function findNodes(): Promise<string[]> {
  const others = (process.env['PATH'] ?? '').split(delimiter).concat('/usr/local/bin', '/usr/bin')
  const nodes = new Map<string, string>()
  for (const place of [dirname(process.execPath), ...others]) {
    const file = join(place, 'node')
    const version = await promisify(execFile)(file, ['--version']).then(
      ({ stdout }) => stdout.trim(),
      () => '',
    )
    if (/^v(?:20|2[2-9])\./.test(version) && !nodes.has(version)) nodes.set(version, file)
  }
  return [...nodes.values()]
}

test('the package holds its bundle, its licences and nothing to debug with', async () => {
  const files = await readdir(published, { recursive: true })
  expect(files).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'THIRD-PARTY-NOTICES', 'dist/main.mjs']))
  expect(files.filter((name) => /\.(?:map|ts)$/.test(name))).toEqual([])
  const notices = await readFile(join(published, 'THIRD-PARTY-NOTICES'), 'utf8')
  for (const name of ['@modelcontextprotocol/server', 'zod', 'fflate', 'undici', 'defuddle'])
    expect(notices).toContain(name)
  expect(JSON.parse(await readFile(join(published, 'package.json'), 'utf8'))).toMatchObject({
    name: 'toolway-toolkit',
    bin: { 'toolway-toolkit': 'bin/toolway-toolkit.mjs' },
  })
})

test('its tools work under each Node of this machine from 20 on, also those whose code is loaded when it is needed', async () => {
  const article = `<article><h1>Title</h1>${'<p>A paragraph of the article, with enough words to be one.</p>'.repeat(20)}</article>`
  const site = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html').end(`<title>Title</title><nav>Menu</nav>${article}`)
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => site.once('listening', resolve))
  const { port } = site.address() as AddressInfo
  for (const [index, node] of (await findNodes()).entries()) {
    const workspace = join(folder, `ws-${index}`)
    await mkdir(workspace)
    const client = new Client({ name: 'test', version: '1' })
    await client.connect(
      new StdioClientTransport({
        command: node,
        args: [join(published, 'bin/toolway-toolkit.mjs'), '--root', workspace],
        env: { PATH: process.env['PATH'] ?? '', TOOLWAY_CRAWL_ALLOW_PRIVATE: 'true' },
      }),
    )
    const call = async (name: string, given: Record<string, unknown>) => {
      const answer = await client.callTool({ name, arguments: given })
      expect(answer, `${node} ${name}`).not.toHaveProperty('isError', true)
      return answer.structuredContent as Record<string, unknown>
    }
    await call('write_local_file', { path: 'a/x.txt', content: 'hello' })
    await call('compress_files', { paths: ['a'], archive_path: 'x.zip' })
    await call('extract_files', { archive_path: 'x.zip', folder: 'out' })
    expect(await readFile(join(workspace, 'out/a/x.txt'), 'utf8')).toBe('hello')
    const crawled = await call('crawl_parallel', { urls: [`http://127.0.0.1:${port}/`], session_dir: 's' })
    expect(crawled, node).toMatchObject({ successful: 1, failed: 0 })
    const batch = await call('batch_tool_execute', { calls: [{ tool: 'list_directory', arguments: {} }] })
    expect(batch).toMatchObject({ successful: 1 })
    await client.close()
  }
  site.close()
})
