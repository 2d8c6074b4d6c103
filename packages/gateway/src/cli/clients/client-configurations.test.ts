import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createAdaptorServer } from '@hono/node-server'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import { parse as parseToml } from 'smol-toml'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { readMcpJson } from '../import/mcp-json.ts'
import { clientConfigurations, type BridgeStart, type ConfiguredClient } from './client-configurations.ts'

// Real processes are started here, on machines that may be busy with other things.
const KEY = 'tw_Abc-123._~+/=='
const BEARER = `Bearer ${KEY}`
const URL_TEXT = 'https://tools.example.com/acme/mcp'

const BRIDGE = {
  node: process.execPath,
  file: fileURLToPath(new URL('../../../../bridge/bin/toolway-bridge.mjs', import.meta.url)),
}

const textFor = (client: ConfiguredClient, url = URL_TEXT, bridge?: BridgeStart) => {
  const found = clientConfigurations({ url, key: KEY, bridge }).find((configuration) => configuration.client === client)
  return found?.text ?? ''
}

describe('the configuration', () => {
  test('exists for each client, in order, and says where it goes', () => {
    const all = clientConfigurations({ url: URL_TEXT, key: KEY })
    expect(all.map(({ client }) => client)).toEqual([
      'Claude Desktop',
      'Claude Code',
      'Cursor',
      'VS Code',
      'Codex',
      'Gemini CLI',
      'opencode',
      'Open WebUI',
    ])
    for (const { where, text } of all) {
      expect(where).not.toContain(KEY)
      expect(text.split(KEY)).toHaveLength(2)
      expect(text.split(URL_TEXT)).toHaveLength(2)
    }
  })

  test('for Claude Desktop keeps the key out of the arguments and spaces out of them', () => {
    const entry = Desktop.parse(JSON.parse(textFor('Claude Desktop'))).mcpServers.toolway
    expect(entry).toEqual({
      command: 'npx',
      args: [
        '-y',
        'mcp-remote',
        URL_TEXT,
        '--header',
        'Authorization:${TOOLWAY_AUTHORIZATION}',
        '--transport',
        'http-only',
      ],
      env: { TOOLWAY_AUTHORIZATION: BEARER },
    })
    for (const arg of entry.args) expect(arg).not.toMatch(/\s/)
  })

  test('for Claude Desktop on the gateway’s own machine starts what is there, with the key in a variable', () => {
    const file = '/home/ada/my tools/toolway-bridge.mjs'
    const text = textFor('Claude Desktop', URL_TEXT, { node: '/opt/node/bin/node', file })
    expect(Desktop.parse(JSON.parse(text)).mcpServers.toolway).toEqual({
      command: '/opt/node/bin/node',
      args: [file, '--url', URL_TEXT],
      env: { TOOLWAY_KEY: KEY },
    })
    const others = (bridge?: BridgeStart) => clientConfigurations({ url: URL_TEXT, key: KEY, bridge }).slice(1)
    expect(others(BRIDGE)).toEqual(others())
  })

  test('for Claude Desktop allows plain http only where the address is plain http', () => {
    expect(textFor('Claude Desktop')).not.toContain('--allow-http')
    expect(textFor('Claude Desktop', 'http://127.0.0.1:4117/mcp')).toContain('"--allow-http"')
    expect(textFor('Claude Desktop', 'http://[::1]:4117/mcp')).toContain('"--allow-http"')
  })

  test('for Cursor and VS Code is JSON with the key in the header', () => {
    expect(JSON.parse(textFor('Cursor'))).toEqual({
      mcpServers: { toolway: { url: URL_TEXT, headers: { Authorization: BEARER } } },
    })
    expect(JSON.parse(textFor('VS Code'))).toEqual({
      servers: { toolway: { type: 'http', url: URL_TEXT, headers: { Authorization: BEARER } } },
    })
  })

  test('for Codex is TOML that Codex takes: no inline bearer_token, no plain headers', () => {
    expect(parseToml(textFor('Codex'))).toEqual({
      mcp_servers: { toolway: { url: URL_TEXT, http_headers: { Authorization: BEARER } } },
    })
  })

  test('for Open WebUI is a list of the fields of its form', () => {
    const fields = Object.fromEntries(
      textFor('Open WebUI')
        .split('\n')
        .map((line) => line.split(': ', 2)),
    )
    expect(fields).toEqual({
      Type: 'MCP (Streamable HTTP)',
      URL: URL_TEXT,
      Auth: 'Bearer',
      Key: KEY,
      ID: 'toolway',
      Name: 'Toolway',
    })
  })

  test.each([
    ['Gemini CLI', { mcpServers: { toolway: { httpUrl: URL_TEXT, headers: { Authorization: `Bearer ${KEY}` } } } }],
    ['opencode', { mcp: { toolway: { type: 'remote', url: URL_TEXT, headers: { Authorization: `Bearer ${KEY}` } } } }],
  ] as const)('for %s is an entry of its file', (client, file) => {
    expect(JSON.parse(textFor(client))).toEqual(file)
  })

  test('for Claude Code is a command that a shell takes apart as meant', async () => {
    expect(await shellWords(textFor('Claude Code'))).toEqual([
      'claude',
      'mcp',
      'add',
      '--scope',
      'user',
      '--transport',
      'http',
      'toolway',
      URL_TEXT,
      '--header',
      `Authorization: ${BEARER}`,
    ])
  })

  test('lets no address run anything in the shell it is pasted to', async () => {
    const words = await shellWords(textFor('Claude Code', 'https://x.example/$(touch pwned)?a=`id`&b=$HOME!1"\'\\'))
    expect(words.slice(8)).toEqual([
      'https://x.example/%24(touch%20pwned)?a=%60id%60&b=%24HOME%211%22%27%5C',
      '--header',
      `Authorization: ${BEARER}`,
    ])
  })

  test.each([['two words'], ['a"b'], ['$(id)'], ["a'b"], ['line\nbreak'], [''], ['snow☃']])(
    'is refused for the key %j',
    (key) => {
      const attempt = () => clientConfigurations({ url: URL_TEXT, key })
      expect(attempt).toThrow('not a bearer token')
      if (key !== '') expect(attempt).not.toThrow(key)
    },
  )

  test.each([['ftp://x.example'], ['x.example/mcp'], ['https://ada:pw@x.example'], ['']])(
    'is refused for the address %j',
    (url) => {
      expect(() => clientConfigurations({ url, key: KEY })).toThrow('The address of the gateway must')
    },
  )

  test('is recognised as our own when a client file that holds it is imported', () => {
    for (const client of ['Claude Desktop', 'Cursor', 'VS Code'] as const) {
      const result = readMcpJson(textFor(client), { home: '/home/ada', gateway: 'https://tools.example.com' })
      expect(result.servers, client).toEqual([])
      expect(readMcpJson(textFor(client), { home: '/home/ada' }).servers, client).toEqual([
        expect.objectContaining({ kind: 'http', url: URL_TEXT, headers: { Authorization: BEARER }, problems: [] }),
      ])
    }
    for (const bridge of [BRIDGE, { node: 'C:\\node\\node.exe', file: 'C:\\toolway\\dist\\toolway-bridge.mjs' }]) {
      expect(readMcpJson(textFor('Claude Desktop', URL_TEXT, bridge), { home: '/home/ada' }).servers).toEqual([])
    }
  })
})

const Desktop = z.object({
  mcpServers: z.object({
    toolway: z.object({ command: z.string(), args: z.array(z.string()), env: z.record(z.string(), z.string()) }),
  }),
})

/** The words a POSIX shell makes of a line; nothing of the line is run but printf. */
async function shellWords(line: string): Promise<string[]> {
  const { stdout } = await promisify(execFile)('/bin/sh', ['-c', `printf '%s\\0' ${line}`], {
    env: { HOME: '/nowhere' },
  })
  return stdout.split('\0').slice(0, -1)
}

/** A small server of both eras that answers 401 without the key and remembers who came. */
async function guardedServer(key: string) {
  const seen: { path: string; authorization: string | null }[] = []
  const handler = createMcpHandler(() => {
    const mcp = new McpServer({ name: 'guarded', version: '1' })
    mcp.registerTool('greet', { inputSchema: z.object({ name: z.string() }) }, ({ name }) => ({
      content: [{ type: 'text', text: `Hello ${name}` }],
    }))
    return mcp
  })
  const server = createAdaptorServer({
    fetch: async (request: Request) => {
      const authorization = request.headers.get('authorization')
      seen.push({ path: new URL(request.url).pathname, authorization })
      return authorization === `Bearer ${key}` ? handler.fetch(request) : new Response(null, { status: 401 })
    },
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    seen,
    async [Symbol.asyncDispose]() {
      if ('closeAllConnections' in server) server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await handler.close()
    },
  }
}

test('Claude Desktop on the gateway’s own machine, started as its configuration says, lists and calls with the key', async () => {
  await using server = await guardedServer(KEY)
  const text = textFor('Claude Desktop', server.url, BRIDGE)
  const client = new Client({ name: 'claude-desktop', version: '1' })
  try {
    await client.connect(
      new StdioClientTransport({ ...Desktop.parse(JSON.parse(text)).mcpServers.toolway, stderr: 'ignore' }),
    )
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['greet'])
    expect(await client.callTool({ name: 'greet', arguments: { name: 'Ada' } })).toMatchObject({
      content: [{ type: 'text', text: 'Hello Ada' }],
    })
    expect(new Set(server.seen.map(({ authorization }) => authorization))).toEqual(new Set([BEARER]))
  } finally {
    await client.close()
  }
})

test('Claude Desktop elsewhere, started as its configuration says, lists and calls the tools with the key', async () => {
  await using server = await guardedServer(KEY)
  const home = await mkdtemp(join(tmpdir(), 'toolway-desktop-'))
  const { command, args, env } = Desktop.parse(JSON.parse(textFor('Claude Desktop', server.url))).mcpServers.toolway
  expect([command, ...args.slice(0, 2)]).toEqual(['npx', '-y', 'mcp-remote'])
  // The installed program in place of what npx would download; everything after its name is as configured.
  const client = new Client({ name: 'claude-desktop', version: '1' })
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [mcpRemote(), ...args.slice(2)],
    env: { ...env, HOME: home, MCP_REMOTE_CONFIG_DIR: join(home, 'auth'), PATH: dirname(process.execPath) },
    stderr: 'ignore',
  })
  try {
    await client.connect(transport)
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['greet'])
    expect(await client.callTool({ name: 'greet', arguments: { name: 'Ada' } })).toMatchObject({
      content: [{ type: 'text', text: 'Hello Ada' }],
    })
    // Besides, mcp-remote looks for sign-in metadata, to which it rightly does not show the key.
    const calls = server.seen.filter(({ path }) => path === '/mcp')
    expect(calls.length).toBeGreaterThan(2)
    for (const { authorization } of calls) expect(authorization).toBe(BEARER)
  } finally {
    await client.close()
    await rm(home, { recursive: true, force: true })
  }
})

function mcpRemote(): string {
  const manifest = createRequire(import.meta.url).resolve('mcp-remote/package.json')
  return join(dirname(manifest), 'dist', 'proxy.js')
}
