/** The package `uru-mcp` as a client starts it: options, tools, resources, errors, and its end. */
// @module-tag long
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as LegacyTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { ResultSchema } from '@modelcontextprotocol/sdk/types.js'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import manifest from '../../../packages/uru-mcp/package.json' with { type: 'json' }
import type { TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { connectOver } from '../peers/clients/client.ts'
import { openGateway } from '../peers/open-gateway.ts'
import { httpWire } from '../peers/servers/real-servers.ts'
import { startToolsServer, type ToolsServer } from '../peers/servers/tools-server.ts'
import { until } from '../peers/until.ts'

const BIN = join(import.meta.dirname, '../../../packages/uru-mcp/bin/uru-mcp.mjs')
const tool = (name: string) => ({
  name,
  description: `Does ${name}.`,
  inputSchema: { type: 'object' as const, properties: { id: { type: 'string' } }, required: ['id'] },
})

let gateway: TestGateway
let servers: ToolsServer
let home: string

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'uru-mcp-'))
  servers = await startToolsServer(
    [
      { alias: 'company', title: 'Company', tools: [tool('client_query'), tool('fails')] },
      { alias: 'slack', title: 'Slack', tools: [tool('SLACK_SEND_MESSAGE')] },
    ],
    ({ name, arguments: given }) =>
      name === 'fails'
        ? { content: [{ type: 'text', text: 'the client is not known' }], isError: true }
        : { structuredContent: { did: name, given } },
  )
  gateway = await openGateway({
    connections: ['company', 'slack'].map((alias) => ({ alias, wire: httpWire(servers.urlOf(alias)) })),
  })
})
afterAll(async () => {
  await gateway?.[Symbol.asyncDispose]()
  await servers?.[Symbol.asyncDispose]()
  if (home !== undefined) await rm(home, { recursive: true, force: true })
})

/** Of its variables only these, and a home of its own. */
const environment = (more: Record<string, string> = {}) => ({
  PATH: process.env['PATH'] ?? '',
  HOME: home,
  URU_PROXY_URL: gateway.address,
  URU_API_KEY: gateway.key ?? '',
  ...more,
})
const program = (args: readonly string[] = [], more: Record<string, string> = {}) => ({
  command: process.execPath,
  args: [BIN, ...args],
  env: environment(more),
  stderr: 'pipe' as const,
})

async function connectLegacy(args: readonly string[] = [], more: Record<string, string> = {}) {
  const client = new LegacyClient({ name: 'desktop', version: '1.0.0' })
  const transport = new LegacyTransport(program(args, more))
  await client.connect(transport)
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.close() })
}

/** One run to its end. */
async function run(args: readonly string[], more: Record<string, string> = {}, input = '') {
  const child = spawn(process.execPath, [BIN, ...args], { env: environment(more) })
  child.stdin.end(input)
  const [out, err] = [child.stdout, child.stderr].map((stream) => {
    const chunks: Buffer[] = []
    stream.on('data', (chunk: Buffer) => chunks.push(chunk))
    return chunks
  })
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, out: Buffer.concat(out ?? []).toString(), err: Buffer.concat(err ?? []).toString() }
}

const greeting = (id = 1) =>
  `${JSON.stringify({
    jsonrpc: '2.0',
    id,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
  })}\n`

describe('a client of the official SDKs', () => {
  test('S0-PKG-02, S0-PKG-06, S0-ARC-06: every advertised capability answers, and no prompts are advertised', async () => {
    await using client = await connectLegacy()
    expect(client.getServerCapabilities()).toEqual({ tools: { listChanged: true }, resources: { listChanged: true } })
    expect((await client.listTools()).tools).toHaveLength(4)
    expect((await client.listResources()).resources).toHaveLength(2)
    expect((await client.listResourceTemplates()).resourceTemplates).toEqual([])
    await client.ping()
    await using modern = await connectOver(new StdioClientTransport(program()))
    expect((await modern.tools()).map(({ name }) => name)).toContain('company__list_tools')
  })

  test('S0-PKG-13, S0-PKG-10: each namespace has two tools with valid schemas, and direct names are accepted in calls', async () => {
    await using client = await connectLegacy()
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual([
      'company__list_tools',
      'company__execute_tool',
      'slack__list_tools',
      'slack__execute_tool',
    ])
    for (const { inputSchema } of tools) {
      expect(inputSchema.type).toBe('object')
      expect(() => new Ajv2020({ strict: false }).compile(inputSchema)).not.toThrow()
    }
    const listed = JSON.stringify(
      await client.callTool({ name: 'company__list_tools', arguments: { filter: 'query' } }),
    )
    expect(listed).toContain('company__client_query')
    expect(listed).toContain('1 of the 2 tools')
    const [{ name: listedName = '' } = {}] = [...listed.matchAll(/## (?<name>\w+)/g)].map(({ groups }) => groups ?? {})
    const given = { id: 'i1' }
    for (const [name, args] of [
      ['company__execute_tool', { tool_name: listedName, parameters: given }],
      ['company__execute_tool', { tool_name: 'client_query', parameters: given }],
      ['company__client_query', given],
      ['uru:company__client_query', given],
    ] as const) {
      const result = await client.callTool({ name, arguments: args })
      expect(result, name).toMatchObject({
        structuredContent: { successful: true, data: { did: 'client_query', given } },
      })
    }
  })

  test('S0-PKG-04: the old name tools/execute is answered as tools/call is', async () => {
    await using client = await connectLegacy()
    const params = { name: 'slack__SLACK_SEND_MESSAGE', arguments: { id: 'i1' } }
    const old = await client.request({ method: 'tools/execute', params }, ResultSchema)
    const { structuredContent: said } = (await client.callTool(params)) as { structuredContent: object }
    expect(old).toMatchObject({ structuredContent: { ...said, log_id: expect.any(String) } })
    expect(servers.called.filter(({ name }) => name === 'SLACK_SEND_MESSAGE')).toHaveLength(2)
  })

  test('S0-PKG-05: apps are resources, and each is read as its tools', async () => {
    await using client = await connectLegacy()
    const { resources } = await client.listResources()
    expect(resources.map(({ uri }) => uri)).toEqual(['app://Company', 'app://Slack'])
    const { contents } = await client.readResource({ uri: 'app://Company' })
    expect(contents[0]).toMatchObject({ uri: 'app://Company', mimeType: 'application/json' })
    expect(JSON.stringify(contents)).toContain('client_query')
  })

  test('S0-PKG-03, S0-PKG-14: a new tool of the proxy is told and listed without a restart', async () => {
    await using client = await connectLegacy([], { URU_TOOL_SYNC_POLL_MS: '1000' })
    let told = 0
    client.fallbackNotificationHandler = async ({ method }) =>
      void (told += Number(method.endsWith('tools/list_changed')))
    await client.listTools()
    servers.change('slack', [tool('SLACK_SEND_MESSAGE'), tool('SLACK_NEW')])
    await until('it is told', async () => told > 0)
    expect(JSON.stringify(await client.callTool({ name: 'slack__list_tools', arguments: {} }))).toContain('SLACK_NEW')
  })

  test('a page of tools ends with a cursor, and the cap on namespaces is said', async () => {
    await using client = await connectLegacy([], { URU_MAX_TOOLS_PER_PAGE: '3' })
    const first = await client.listTools()
    expect(first.tools).toHaveLength(3)
    expect((await client.listTools({ cursor: first.nextCursor })).tools).toHaveLength(1)
    const list = `${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n${JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/list' })}\n`
    const child = spawn(process.execPath, [BIN], { env: environment({ URU_MAX_NAMESPACES: '1' }) })
    child.stdin.write(greeting() + list)
    const [said] = (await once(child.stderr, 'data')) as [Buffer]
    expect(said.toString()).toContain('1 of 2 namespaces are not listed')
    child.kill()
  })
})

describe('errors', () => {
  test('S0-PKG-11: a wrong key is -32001 with advice, a failed tool is an error result, and what there is not is -32601', async () => {
    await using client = await connectLegacy([], { URU_API_KEY: 'uru_wrong' })
    await expect(client.listTools()).rejects.toMatchObject({
      code: -32_001,
      message: expect.stringContaining('Check URU_API_KEY'),
    })
    await using good = await connectLegacy()
    const failed = await good.callTool({
      name: 'company__execute_tool',
      arguments: { tool_name: 'fails', parameters: { id: 'x' } },
    })
    expect(failed).toMatchObject({ isError: true, structuredContent: { successful: false } })
    const text = (failed.content as { text: string }[])[0]?.text ?? ''
    expect(text.split('\n').map((line) => line.split(':')[0])).toEqual([
      'the client is not known',
      'Code',
      'Recovery tools',
      'Available workspaces',
      'Tip',
    ])
    await expect(good.callTool({ name: 'nothing__here', arguments: {} })).rejects.toMatchObject({ code: -32_601 })
    await expect(
      good.callTool({ name: 'company__execute_tool', arguments: { tool_name: 'nothing' } }),
    ).rejects.toMatchObject({ code: -32_601 })
    await expect(good.callTool({ name: 'company__execute_tool', arguments: {} })).rejects.toMatchObject({
      code: -32_602,
    })
    await using away = await connectLegacy([], { URU_PROXY_URL: 'http://127.0.0.1:9' })
    await expect(away.listTools()).rejects.toMatchObject({ code: -32_003 })
  })

  test('S0-PKG-08, S0-PKG-09: the key goes with every request and nowhere else, and stdout has JSON-RPC only', async () => {
    const heard: { path: string; headers: IncomingHttpHeaders; body: string }[] = []
    const proxy = createServer((request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => {
        heard.push({ path: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks).toString() })
        const { url = '' } = request
        const answer = url.startsWith('/namespaces')
          ? { namespaces: [{ name: 'a', displayName: 'A' }] }
          : url.includes('version')
            ? { version: 1 }
            : url.startsWith('/execute')
              ? { detail: 'broken by uru_secretkey', error: 'broken by uru_secretkey' }
              : []
        response.writeHead(url.startsWith('/execute/refuse') ? 500 : 200, { 'content-type': 'application/json' })
        response.end(JSON.stringify(answer))
      })
    })
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
    const address = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
    const lines = [
      { id: 2, method: 'tools/list' },
      { id: 3, method: 'tools/call', params: { name: 'a__list_tools', arguments: {} } },
      {
        id: 4,
        method: 'tools/call',
        params: { name: 'a__execute_tool', arguments: { tool_name: 'refuse', parameters: { api_key: 'x' } } },
      },
      { id: 5, method: 'resources/list' },
      { id: 6, method: 'resources/read', params: { uri: 'app://A' } },
      { id: 7, method: 'nothing' },
    ]
    const child = spawn(process.execPath, [BIN, '--debug'], {
      env: environment({ URU_PROXY_URL: address, URU_API_KEY: 'uru_secretkey' }),
    })
    const said = collect(child)
    child.stdin.write(greeting())
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`)
    for (const line of lines) child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...line })}\n`)
    await until('all is answered', async () => said.out().split('\n').length > lines.length + 1)
    child.kill()
    await once(child, 'close')
    for (const line of said.out().trim().split('\n')) expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' })
    expect(heard.length).toBeGreaterThan(4)
    for (const { headers } of heard) expect(headers['authorization']).toBe('Bearer uru_secretkey')
    expect(heard.find(({ path }) => path.startsWith('/execute'))).toMatchObject({
      headers: { 'x-app-context': 'a' },
      body: JSON.stringify({ api_key: 'x', _app_context: 'a' }),
    })
    expect(said.out() + said.err()).not.toContain('uru_secretkey')
    expect(said.err()).toContain('GET /namespaces 200')
    proxy.closeAllConnections()
    proxy.close()
  })

  test('a proxy that is still loading is asked three times at most', async () => {
    let asked = 0
    const proxy = createServer((request, response) => {
      if (request.url?.startsWith('/namespaces') === true) asked++
      response.writeHead(409, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ code: 'TOOLS_NOT_READY', retry_after_ms: 1 }))
    })
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
    await using client = await connectLegacy([], {
      URU_PROXY_URL: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    })
    await expect(client.listTools()).rejects.toMatchObject({ code: -32_000 })
    expect(asked).toBe(3)
    proxy.closeAllConnections()
    proxy.close()
  })
})

/** What a child has said so far. */
function collect({ stdout, stderr }: ChildProcessWithoutNullStreams) {
  const [out, err]: [Buffer[], Buffer[]] = [[], []]
  stdout.on('data', (chunk: Buffer) => out.push(chunk))
  stderr.on('data', (chunk: Buffer) => err.push(chunk))
  return { out: () => Buffer.concat(out).toString(), err: () => Buffer.concat(err).toString() }
}

describe('the command line', () => {
  test('S0-PKG-16: the version is the same in the package, on the command line and in serverInfo', async () => {
    expect((await run(['--version'])).out).toBe(`${manifest.version}\n`)
    await using client = await connectLegacy()
    expect(client.getServerVersion()).toMatchObject({ name: 'uru-mcp', version: manifest.version })
  })

  test(
    'S0-PKG-07: the key is taken from --key, from URU_API_KEY and from the file, in this order',
    { tags: 'long' },
    async () => {
      const good = gateway.key ?? ''
      const file = join(home, '.uru-mcp.json')
      await writeFile(file, JSON.stringify({ token: good }))
      const tried = async (args: readonly string[], more: Record<string, string>) =>
        (await run(['--test', ...args], more)).code
      expect(await tried([], { URU_API_KEY: '' })).toBe(0)
      expect(await tried([], { URU_API_KEY: 'uru_wrong' })).toBe(1)
      expect(await tried(['--key', good], { URU_API_KEY: 'uru_wrong' })).toBe(0)
      expect(await tried(['-k', 'uru_wrong'], {})).toBe(1)
      await rm(file)
      expect(await tried([], { URU_API_KEY: '' })).toBe(1)
    },
  )

  test(
    'S0-PKG-12: options, variables and the file have the stated meaning, order and bounds',
    { tags: 'long' },
    async () => {
      const config = JSON.parse((await run(['--claude-config', '-p', 'https://uru.example/base/'])).out)
      expect(config.mcpServers.uru).toEqual({
        command: 'npx',
        args: ['-y', 'uru-mcp'],
        env: { URU_API_KEY: 'YOUR_KEY', URU_PROXY_URL: 'https://uru.example/base' },
      })
      const tested = await run(['--test'])
      expect([tested.code, tested.out]).toEqual([0, expect.stringContaining('Apps: Company, Slack')])
      for (const [name, value] of [
        ['URU_TOOL_SYNC_POLL_MS', '999'],
        ['URU_MAX_TOOLS_PER_PAGE', 'many'],
        ['URU_MAX_NAMESPACES', '0'],
        ['URU_DEBUG', 'perhaps'],
        ['URU_PROXY_URL', 'ftp://x'],
      ] as const) {
        const refused = await run(['--test'], { [name]: value })
        expect([refused.code, refused.err], name).toEqual([2, expect.stringContaining(name)])
      }
      expect(await run(['--sing'])).toMatchObject({ code: 2, out: '', err: expect.stringContaining('--help') })

      const answers = `${gateway.address}\nuru_fromsetup\n`
      expect((await run(['--setup'], { URU_API_KEY: '', URU_PROXY_URL: '' }, answers)).out).toContain('Written to')
      const file = join(home, '.uru-mcp.json')
      expect((await stat(file)).mode & 0o777).toBe(0o600)
      expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({
        token: 'uru_fromsetup',
        proxyUrl: gateway.address,
      })
      await writeFile(file, JSON.stringify({ proxyUrl: 'http://127.0.0.1:9', maxToolsPerPage: 3, token: gateway.key }))
      // The environment comes before the file, and the command line before both.
      expect((await run(['--test'], { URU_API_KEY: '' })).code).toBe(0)
      expect((await run(['--test'], { URU_PROXY_URL: '' })).code).toBe(1)
      expect((await run(['--test', '-p', gateway.address], { URU_PROXY_URL: 'http://127.0.0.1:9' })).code).toBe(0)
      await using client = await connectLegacy()
      expect((await client.listTools()).tools).toHaveLength(3)
      await writeFile(file, 'not json')
      expect(await run(['--test'])).toMatchObject({ code: 2, err: expect.stringContaining('.uru-mcp.json') })
      await rm(file)
    },
  )
})

describe('the end', () => {
  const ways: [name: string, end: (child: ChildProcessWithoutNullStreams) => void][] = [
    ['the end of stdin', (child) => child.stdin.end()],
    [
      'EPIPE',
      (child) => (
        child.stdout.destroy(),
        child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 9, method: 'ping' })}\n`)
      ),
    ],
    ['SIGINT', (child) => child.kill('SIGINT')],
    ['SIGTERM', (child) => child.kill('SIGTERM')],
    ['SIGHUP', (child) => child.kill('SIGHUP')],
  ]

  test.each(ways)(
    'S0-PKG-15: after %s the process is gone within two seconds, with a call under way',
    async (_, end) => {
      const held = createServer(() => {})
      await new Promise<void>((resolve) => held.listen(0, '127.0.0.1', resolve))
      const address = `http://127.0.0.1:${(held.address() as AddressInfo).port}`
      const child = spawn(process.execPath, [BIN], { env: environment({ URU_PROXY_URL: address }) })
      child.stdin.on('error', () => {})
      child.stdin.write(greeting())
      await once(child.stdout, 'data')
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/list' })}\n`)
      await once(held, 'request')
      const gone = once(child, 'exit').then(() => true)
      end(child)
      const ended = await Promise.race([gone, new Promise((resolve) => setTimeout(resolve, 2_000, false))])
      expect(ended).toBe(true)
      expect(() => process.kill(child.pid ?? 0, 0)).toThrow()
      held.closeAllConnections()
      held.close()
    },
  )
})
