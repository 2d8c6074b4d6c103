/** A contract backend by command line and by file, with the backend as a process of its own. */
// @module-tag long
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ContractSettings, ContractWords } from '@toolway/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readConfigFile } from '../../packages/gateway/src/config-file.ts'
import { callTool, textIn } from '../fault/caller.ts'
import { makeInstallation } from './installation.ts'

const BACKEND = join(import.meta.dirname, '../e2e/peers/contract-backend/backend.script.ts')
const parts = new AsyncDisposableStack()
let url = ''
beforeAll(async () => {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', BACKEND, '--key', 'k-123'], {
    env: { PATH: process.env['PATH'] },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  parts.defer(async () => {
    child.kill('SIGTERM')
    await ended
  })
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  url = String(line).trim()
})
afterAll(() => parts.disposeAsync())

test('is added by its address, tested with what it leaves out and why, and called', async () => {
  await using here = await makeInstallation()
  const running = await here.start()
  const headers = { input: 'X-API-Key: k-123\n' }
  const added = await here.run(
    ['connection', 'add', 'cwr', '--contract', url, '--org-id', 'acme', '--header-from', '-'],
    headers,
  )
  expect(added, added.err).toMatchObject({ code: 0, out: 'cwr is connected: 14 tools.\n' })
  const tested = await here.run(['connection', 'test', 'cwr'])
  expect(tested.out).toContain('Left out: analyze_solicitation, because it has side effects.\n')
  expect(tested.out).toContain('Left out: send_email, because its exposure profile leaves out "agent".\n')
  const answer = await callTool({ url: `${running.address}/mcp`, key: await here.localKey() }, 'cwr__llm_summarize', {
    text: 'a long text',
    max_tokens: 7,
  })
  expect(textIn(answer)).toBe('a long text in 7 tokens')

  const refused = await here.run(['connection', 'add', 'x', '--url', 'http://127.0.0.1:9/', '--side-effects'])
  expect(refused).toMatchObject({ code: 2, err: expect.stringContaining('require --contract') })
  const words = ['connection', 'add', 'wrong', '--contract', url, '--header', 'X-API-Key: other']
  expect(await here.run(words)).toMatchObject({
    code: 1,
    err: expect.stringMatching(/HTTP 401.*\(phase: open\) Nothing was added: check the key/),
  })
  expect((await here.run(['connection', 'list'])).out).not.toContain('wrong')
  const wrong = await here.run([...words, '--force'])
  expect(wrong).toMatchObject({
    code: 1,
    out: expect.stringMatching(/^wrong is not ready: .*HTTP 401/),
  })
  const looked = await here.run(['connection', 'test', 'wrong'])
  expect(looked.out).toContain('refused the gateway’s credential (HTTP 401)')
})

test('is declared in a file', async () => {
  await using here = await makeInstallation({ BACKEND_KEY: 'k-123' })
  const file = join(here.folder, 'toolway.yaml')
  await writeFile(
    file,
    `connections:\n  cwr:\n    type: contract\n    url: ${url}\n    headers: { X-API-Key: { env: BACKEND_KEY } }\n    allows: [analyze_solicitation]\n`,
  )
  const running = await here.start({ TOOLWAY_CONFIG: file })
  await expect
    .poll(async () => ((await here.json(['connection', 'list'])) as { tools: number }[])[0]?.tools, {
      interval: 300,
    })
    .toBe(15)
  expect(await running.stop()).toBe(0)
})

test('is declared as the guide says', async () => {
  const guide = await readFile(new URL('../../docs/guides/contracts.md', import.meta.url), 'utf8')
  const [, snippet = ''] = /```yaml\n([\s\S]*?)```/.exec(guide) ?? []
  await using here = await makeInstallation()
  const file = join(here.folder, 'guide.yaml')
  await writeFile(file, snippet)
  const [declared] = readConfigFile(file, (name) => (name === 'BACKEND_API_KEY' ? 'k' : undefined))
  const [connection] = declared?.connections ?? []
  expect(connection?.wire).toEqual({
    kind: 'contract',
    url: 'http://backend:8000',
    headers: { 'X-API-Key': 'k' },
    words: { organization: '7f6f' },
  })
  // Each word of the table, with the default that it really has.
  const settings = ContractSettings.parse({ connector: 'contract', url: 'http://backend:8000' })
  for (const word of Object.keys(ContractWords.shape)) {
    const [, told = ''] = new RegExp(`^\\| \`${word}\` \\| ([^|]*) \\|`, 'm').exec(guide) ?? []
    const value = settings[word as keyof ContractWords]
    const expected =
      value === undefined
        ? "the organization's slug in Toolway"
        : Array.isArray(value)
          ? 'none'
          : typeof value === 'object'
            ? '`materialize_text: get_content`'
            : String(value)
    expect([word, told.replaceAll(/^`(agent|true|false)`$/g, '$1')]).toEqual([word, expected])
  }
})
