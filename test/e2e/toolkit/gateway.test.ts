/** The toolkit with a gateway: Composio's tools behind it, and upload, list, download and remove files. */
// @module-tag long
import { randomBytes } from 'node:crypto'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { callTool } from '../peers/clients/raw-client.ts'
import { API_KEY, startComposio, type ComposioDouble } from '../peers/composio/composio-double.ts'
import { startHeldLine } from '../peers/held-line.ts'
import { addKey, createAsk } from '../peers/people/administrators.ts'
import { openGateway } from '../peers/open-gateway.ts'
import { createMachine, faultOf, textOf, type Machine, type Progress, type Toolkit } from './toolkit-process.ts'

const USER = 'everybody'
const FILE = {
  type: 'object',
  file_uploadable: true,
  properties: { name: { type: 'string' }, mimetype: { type: 'string' }, s3key: { type: 'string' } },
  required: ['name', 'mimetype', 's3key'],
}
const MAIL = { type: 'object', properties: { to: { type: 'string' }, text: { type: 'string' }, attachment: FILE } }
const Multi = z.object({
  data: z.object({ results: z.array(z.object({ response: z.object({ data: z.unknown() }) })) }),
})
const WORKBENCH = ['COMPOSIO_REMOTE_WORKBENCH', 'CODEINTERPRETER_GET_FILE_CMD']

let composio: ComposioDouble
let gateway: TestGateway
let machine: Machine
beforeAll(async () => {
  composio = await startComposio(
    [
      { slug: 'GMAIL_SEND_EMAIL', toolkit: 'gmail', input: MAIL },
      { slug: 'CODEINTERPRETER_GET_FILE_CMD', toolkit: 'codeinterpreter', noAuth: true, input: { type: 'object' } },
    ],
    { acts: true },
  )
  composio.accounts.push({ id: 'ca_all', user: USER, toolkit: 'gmail', status: 'ACTIVE' })
  const words = {
    way: 'session' as const,
    toolkits: ['gmail', 'codeinterpreter'],
    default_user: USER,
    servers_at: composio.url,
  }
  gateway = await openGateway({
    connections: [
      { alias: 'composio', wire: { kind: 'composio', url: composio.url, headers: { 'x-api-key': API_KEY }, words } },
    ],
    toolsets: [
      { slug: 'all', title: 'All', settings: { include: ['*'], exclude: [], discovery: 'direct' } },
      { slug: 'search', title: 'Search', settings: { include: ['*'], exclude: [], discovery: 'search' } },
    ],
  })
  // Composio signs addresses of a storage of its own: the permission for a private network is for its server alone.
  const platform = createAsk(gateway, await addKey(gateway, { role: 'platform_admin' }))
  await platform('PUT /api/v1/admin/tenants/default/egress', { networks: ['127.0.0.1/32'], hosts: [] })
  machine = await createMachine()
})
afterAll(async () => {
  await machine?.[Symbol.asyncDispose]()
  await gateway?.[Symbol.asyncDispose]()
  await composio?.[Symbol.asyncDispose]()
})

const at = (toolset: string) => `${gateway.address}/o/default/t/${toolset}/mcp`
const start = (url = at('all')): Promise<Toolkit> => machine.start({ TOOLWAY_URL: url, TOOLWAY_KEY: gateway.key })

/** Files of this name that the gateway does not have whole. */
async function uploading(name: string, { address }: Pick<TestGateway, 'address'> = gateway): Promise<{ id: string }[]> {
  const url = `${address}/api/v1/organizations/default/files?search=${name}`
  const response = await fetch(url, { headers: { authorization: `Bearer ${gateway.key}` } })
  const { items } = (await response.json()) as { items: { id: string; name: string; state: string }[] }
  return items.filter((one) => one.name === name && one.state === 'uploading')
}

describe('the workbench behind a gateway', () => {
  test.each([
    ['an endpoint of all connections', () => at('all')],
    ['an endpoint whose tools are searched', () => at('search')],
    ['the endpoint of the connection itself', () => gateway.connectionUrl('composio')],
  ])('is reached through %s', async (_, url) => {
    const toolkit = await start(url())
    const bytes = randomBytes(1_500_000)
    await writeFile(join(machine.root, 'through.bin'), bytes)
    const up = await toolkit.call('workbench_upload', {
      local_path: 'through.bin',
      remote_path: '/home/user/through.bin',
    })
    expect(textOf(up)).toContain('Successfully uploaded')
    expect(up.structuredContent).toMatchObject({ session_id: null })
    const down = await toolkit.call('workbench_download', {
      remote_path: '/home/user/through.bin',
      local_path: 'back.bin',
    })
    expect(textOf(down)).toContain('Successfully downloaded')
    expect((await readFile(join(machine.root, 'back.bin'))).equals(bytes)).toBe(true)
    const slugs = new Set(composio.executed.map(({ slug, user }) => `${slug} ${user}`))
    for (const slug of WORKBENCH) expect(slugs).toContain(`${slug} ${USER}`)
  })

  test('gives files of Composio’s storage, which the gateway keeps in place of their addresses', async () => {
    const toolkit = await start()
    const bytes = randomBytes(300_000)
    await writeFile(join(machine.root, 'stored.bin'), bytes)
    await toolkit.call('workbench_upload', { local_path: 'stored.bin', remote_path: '/home/user/stored.bin' })
    composio.getFile = 'address'
    const given = { remote_path: '/home/user/stored.bin', local_path: 'stored-back.bin' }
    const down = await toolkit.call('workbench_download', given)
    composio.getFile = 'text'
    expect(composio.storage.requests.at(-1)).toMatch(/^GET \/storage\/downloads\//)
    expect(textOf(down)).toContain('Successfully downloaded')
    expect((await readFile(join(machine.root, 'stored-back.bin'))).equals(bytes)).toBe(true)
  })

  test('says what the gateway says, and names the key that it refuses', async () => {
    await writeFile(join(machine.root, 'a'), 'a')
    const given = { local_path: 'a', remote_path: '/home/user/a' }
    const wrong = await machine.start({ TOOLWAY_URL: at('all'), TOOLWAY_KEY: 'uru_wrong_key' })
    const refused = await wrong.call('workbench_upload', given)
    expect([refused.isError, textOf(refused)]).toEqual([true, expect.stringContaining('Check TOOLWAY_KEY')])
    expect(textOf(refused)).not.toContain('uru_wrong_key')
    const elsewhere = await machine.start({
      TOOLWAY_URL: at('all'),
      TOOLWAY_KEY: gateway.key,
      TOOLWAY_COMPOSIO: 'other',
    })
    // Another alias is no hindrance where one connection alone has the tool.
    expect(textOf(await elsewhere.call('workbench_upload', given))).toContain('Successfully uploaded')
  })
})

test('a session of Composio is reached by its own MCP address', async () => {
  const made = await fetch(`${composio.url}/api/v3.1/tool_router/session`, {
    method: 'POST',
    headers: { 'x-api-key': API_KEY, 'content-type': 'application/json' },
    body: JSON.stringify({ user_id: 'ada' }),
  })
  const { mcp } = (await made.json()) as { mcp: { url: string } }
  const toolkit = await machine.start({ COMPOSIO_API_KEY: API_KEY, COMPOSIO_MCP_URL: mcp.url })
  const bytes = randomBytes(1_200_000)
  await writeFile(join(machine.root, 'mcp.bin'), bytes)
  const up = await toolkit.call('workbench_upload', { local_path: 'mcp.bin', remote_path: '/home/user/mcp.bin' })
  expect(textOf(up)).toContain('Successfully uploaded')
  const down = await toolkit.call('workbench_download', {
    remote_path: '/home/user/mcp.bin',
    local_path: 'mcp-back.bin',
  })
  expect(textOf(down)).toContain('Successfully downloaded')
  expect((await readFile(join(machine.root, 'mcp-back.bin'))).equals(bytes)).toBe(true)
})

describe('files by reference', () => {
  test('upload_file gives a reference, and download_file writes the same bytes', async () => {
    const toolkit = await start()
    const bytes = randomBytes(5_000_001)
    await writeFile(join(machine.root, 'data.csv'), bytes)
    const told: Progress[] = []
    const up = await toolkit.call('upload_file', { path: 'data.csv' }, { onprogress: (one) => void told.push(one) })
    expect(up.structuredContent, textOf(up)).toMatchObject({
      name: 'data.csv',
      media_type: 'text/csv',
      size: bytes.length,
    })
    const uri = String(up.structuredContent?.['uri'])
    expect(uri).toMatch(/^toolway:\/\/files\/file_/)
    expect(told.at(-1)).toMatchObject({ progress: bytes.length, total: bytes.length })
    const down = await toolkit.call('download_file', { uri, local_path: 'copy.csv' })
    expect(textOf(down)).toContain(`Successfully downloaded ${uri}`)
    expect((await readFile(join(machine.root, 'copy.csv'))).equals(bytes)).toBe(true)
    const unknown = await toolkit.call('download_file', {
      uri: 'toolway://files/file_01k00000000000000000000000',
      local_path: 'x',
    })
    expect(unknown.isError).toBe(true)
    const strange = await toolkit.call('download_file', { uri: 'https://example.com/x', local_path: 'x' })
    expect(faultOf(strange)).toMatchObject({ code: 'INVALID_ARGUMENT' })
  })

  test('the tools for references are offered only with a gateway', async () => {
    const names = async (toolkit: Toolkit) => (await toolkit.client.listTools()).tools.map(({ name }) => name)
    expect(await names(await start())).toEqual(expect.arrayContaining(['upload_file', 'download_file']))
    const bare = await names(await machine.start({ TOOLWAY_URL: at('all') }))
    expect(bare).not.toContain('upload_file')
  })

  test('an upload that was cut off goes on with the same file', async () => {
    await using line = await startHeldLine(1_500_000)
    await using behind = await openGateway({ settings: { TOOLWAY_PUBLIC_URL: line.address } })
    line.leadTo(behind.address)
    const toolkit = await start(`${line.address}/mcp`)
    const bytes = randomBytes(3_000_000)
    await writeFile(join(machine.root, 'cut.bin'), bytes)
    const controller = new AbortController()
    const cut = toolkit.call(
      'upload_file',
      { path: 'cut.bin' },
      { signal: controller.signal, onprogress: () => controller.abort() },
    )
    await expect(cut).rejects.toThrow()
    const begun = await uploading('cut.bin', behind)
    expect(begun).toHaveLength(1)
    line.cut()
    const up = await toolkit.call('upload_file', { path: 'cut.bin' })
    expect(String(up.structuredContent?.['uri'])).toBe(`toolway://files/${begun[0]?.id}`)
    expect(await uploading('cut.bin', behind)).toEqual([])
    expect(up.isError, textOf(up)).toBeUndefined()
    const down = await toolkit.call('download_file', {
      uri: String(up.structuredContent?.['uri']),
      local_path: 'cut-back.bin',
    })
    expect(textOf(down)).toContain('Successfully downloaded')
    expect((await readFile(join(machine.root, 'cut-back.bin'))).equals(bytes)).toBe(true)
  })
})

describe('the process is killed', { tags: 'long' }, () => {
  test('in the middle of upload_file and download_file: the next call goes on, and nothing half is seen', async () => {
    const bytes = randomBytes(64_000_000)
    await writeFile(join(machine.root, 'kill.bin'), bytes)
    const killedAt = async (name: string, given: object): Promise<void> => {
      const toolkit = await start()
      const call = toolkit.call(name, given, {
        onprogress: ({ progress }) => void (progress >= 8_000_000 && process.kill(toolkit.pid, 'SIGKILL')),
      })
      await expect(call).rejects.toThrow()
    }
    const toolkit = await start()
    await killedAt('upload_file', { path: 'kill.bin' })
    const [begun] = await uploading('kill.bin')
    const told: Progress[] = []
    const up = await toolkit.call('upload_file', { path: 'kill.bin' }, { onprogress: (one) => void told.push(one) })
    const uri = String(up.structuredContent?.['uri'])
    expect(uri, textOf(up)).toBe(`toolway://files/${begun?.id}`)
    // The first part that is sent again is not the first of the file.
    expect(told[0]?.progress).toBeGreaterThan(2 * 1024 * 1024)

    const given = { uri, local_path: 'killed/back.bin' }
    await killedAt('download_file', given)
    const listed = await toolkit.call('list_directory', { path: 'killed' })
    expect(listed.structuredContent).toMatchObject({ entries: [] })
    const again: Progress[] = []
    const down = await toolkit.call('download_file', given, { onprogress: (one) => void again.push(one) })
    expect(textOf(down)).toContain('Successfully downloaded')
    expect(again[0]?.progress).toBeGreaterThan(8_000_000)
    expect(await readdir(join(machine.root, 'killed'))).toEqual(['back.bin'])
    expect((await readFile(join(machine.root, 'killed/back.bin'))).equals(bytes)).toBe(true)
  })
})

test('S4-CMP-09: a report is written here, uploaded through the gateway and to the workbench, and sent with its attachment', async () => {
  const toolkit = await start()
  const content = '<h1>Report</h1><p>Grüße</p>'
  const written = await toolkit.call('write_local_file', { path: 'work_products/report.html', content })
  expect(textOf(written)).toContain('Successfully wrote')
  const atWorkbench = await toolkit.call('workbench_upload', {
    local_path: 'work_products/report.html',
    remote_path: '/home/user/report.html',
  })
  expect(textOf(atWorkbench)).toContain('Successfully uploaded')
  const uploaded = await toolkit.call('upload_to_composio', { path: 'work_products/report.html' })
  expect(uploaded.structuredContent, textOf(uploaded)).toMatchObject({
    name: 'report.html',
    mimetype: 'text/html',
    s3_url: null,
  })
  const { name, mimetype, s3_key: s3key } = uploaded.structuredContent ?? {}
  const peer = { url: at('all'), key: gateway.key, era: 'modern' } as const
  const attachment = { name, mimetype, s3key }
  const sent = await callTool(peer, 'composio__GMAIL_SEND_EMAIL', { to: 'bob@example.com', text: 'See.', attachment })
  expect(sent.answer.result, JSON.stringify(sent.answer)).toMatchObject({ structuredContent: { successful: true } })
  expect(composio.executed.at(-1)).toMatchObject({ slug: 'GMAIL_SEND_EMAIL', arguments: { attachment } })
  const stored = composio.storage.uploads.get(String(s3key))
  expect(await readFile(stored?.path ?? '', 'utf8')).toBe(content)
  const unknown = { ...attachment, s3key: 'projects/unknown' }
  const refused = await callTool(peer, 'composio__GMAIL_SEND_EMAIL', { to: 'b', text: 't', attachment: unknown })
  expect(refused.answer.result).toMatchObject({ isError: true, structuredContent: { successful: false } })
})

test('S4-CMP-10: 4 MB are answered directly, and 6 MB are kept and answered by reference', async () => {
  const peer = { url: at('all'), key: gateway.key, era: 'modern' } as const
  const given = {
    sync_response_to_workbench: false,
    tools: [{ tool_slug: 'GMAIL_SEND_EMAIL', arguments: { to: 'bob@example.com', text: 'See.' } }],
  }
  const answered = async (text: string) => {
    composio.next.push({ data: { text }, successful: true, error: null, log_id: 'log_1' })
    const { answer } = await callTool(peer, 'composio__COMPOSIO_MULTI_EXECUTE_TOOL', given)
    const { data } = Multi.parse(answer.result?.['structuredContent'])
    return data.results[0]?.response.data
  }
  const direct = 'a'.repeat(4_000_000)
  expect(await answered(direct)).toEqual({ text: direct })
  const large = await answered('b'.repeat(6_000_000))
  expect(JSON.stringify(large).length).toBeLessThan(10_000)
  const { file } = z.object({ file: z.object({ uri: z.string() }) }).parse(large)
  const toolkit = await start()
  const down = await toolkit.call('download_file', { uri: file.uri, local_path: 'large.json' })
  expect(textOf(down)).toContain('Successfully downloaded')
  const whole = JSON.parse(await readFile(join(machine.root, 'large.json'), 'utf8')) as unknown
  expect(whole).toMatchObject({ data: { text: 'b'.repeat(6_000_000) } })
})
