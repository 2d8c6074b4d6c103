import { describe, expect, test } from 'vitest'
import { UNUSABLE_SERVERS } from '../../../../../test/wild/rows/settings.ts'
import { readMcpJson, type ImportedServer, type ImportOptions } from './mcp-json.ts'

const read = (file: unknown, options: Partial<ImportOptions> = {}) =>
  readMcpJson(typeof file === 'string' ? file : JSON.stringify(file), { home: '/home/ada', ...options })

const only = (file: unknown, options?: Partial<ImportOptions>) => {
  const { servers } = read(file, options)
  expect(servers).toHaveLength(1)
  return servers[0] as ImportedServer
}

const one = (entry: unknown) => ({ mcpServers: { thing: entry } })

describe('the file of', () => {
  test('Claude Desktop gives processes with their variables', () => {
    const result = read({
      globalShortcut: 'Alt+Space',
      mcpServers: {
        filesystem: { command: 'npx', args: ['-y', '@modelcontextprotocol/server-filesystem', '/home/ada/Desktop'] },
        'GitHub (work)': {
          command: 'docker',
          args: ['run', '-i', '--rm', '-e', 'GITHUB_PERSONAL_ACCESS_TOKEN', 'ghcr.io/github/github-mcp-server'],
          env: { GITHUB_PERSONAL_ACCESS_TOKEN: 'ghp_abcdefghij0123456789' },
        },
      },
    })
    expect(result).toEqual({
      client: 'claude-desktop',
      notes: [],
      servers: [
        {
          name: 'filesystem',
          alias: 'filesystem',
          kind: 'process',
          enabled: true,
          command: 'npx',
          args: ['-y', '@modelcontextprotocol/server-filesystem', '/home/ada/Desktop'],
          environment: {},
          secretArguments: [],
          problems: [],
          notes: [],
          unread: [],
        },
        expect.objectContaining({
          name: 'GitHub (work)',
          alias: 'github-work',
          kind: 'process',
          environment: { GITHUB_PERSONAL_ACCESS_TOKEN: 'ghp_abcdefghij0123456789' },
          secretArguments: [],
        }),
      ],
    })
  })

  test('Cursor gives addresses with headers, filled from the environment', () => {
    const result = read(
      {
        mcpServers: {
          linear: { url: 'https://mcp.linear.app/mcp', headers: { Authorization: 'Bearer ${env:LINEAR_TOKEN}' } },
          local: { command: 'python', args: ['${userHome}/tools/server.py'], envFile: '${workspaceFolder}/.env' },
        },
      },
      { variables: { LINEAR_TOKEN: 'lin_1' } },
    )
    expect(result.client).toBe('cursor')
    expect(result.servers).toEqual([
      expect.objectContaining({
        kind: 'http',
        url: 'https://mcp.linear.app/mcp',
        headers: { Authorization: 'Bearer lin_1' },
        problems: [],
      }),
      expect.objectContaining({
        kind: 'process',
        args: ['/home/ada/tools/server.py'],
        notes: ['The variables in its "envFile" are not read; add the ones that the server needs.'],
        problems: [],
      }),
    ])
  })

  const VSCODE = `{
    // Asked for when a server starts
    "inputs": [
      { "type": "promptString", "id": "perplexity-key", "description": "Perplexity API Key", "password": true },
    ],
    "servers": {
      "perplexity": {
        "type": "stdio",
        "command": "npx",
        "args": ["-y", "server-perplexity-ask", "--key", "\${input:perplexity-key}"],
        "env": { "PERPLEXITY_API_KEY": "\${input:perplexity-key}", "PORT": 3000, "PROXY": null },
      },
      /* a remote one */
      "context7": { "type": "http", "url": "https://mcp.context7.com/mcp" },
    },
  }`

  test('VS Code asks for its inputs by the name to supply', () => {
    const { client, servers } = read(VSCODE)
    expect(client).toBe('vscode')
    expect(servers).toEqual([
      expect.objectContaining({
        name: 'perplexity',
        problems: [
          {
            code: 'missing-input',
            message: "It needs the input 'perplexity-key' (Perplexity API Key).",
            supply: '--input perplexity-key=…',
            asks: 'perplexity-key',
          },
        ],
      }),
      expect.objectContaining({ name: 'context7', kind: 'http', url: 'https://mcp.context7.com/mcp', problems: [] }),
    ])
  })

  test('VS Code is complete once its inputs are given, and knows where they went', () => {
    const [perplexity] = read(VSCODE, { inputs: { 'perplexity-key': 'pplx' } }).servers
    expect(perplexity).toMatchObject({
      problems: [],
      args: ['-y', 'server-perplexity-ask', '--key', 'pplx'],
      secretArguments: [3],
      environment: { PERPLEXITY_API_KEY: 'pplx', PORT: '3000' },
    })
  })

  test('VS Code settings keep their servers one level down', () => {
    const settings = {
      'editor.tabSize': 2,
      mcp: { inputs: [{ id: 'k', description: 'Key' }], servers: { a: { command: 'a', env: { K: '${input:k}' } } } },
    }
    expect(read(settings)).toMatchObject({
      client: 'vscode',
      servers: [{ problems: [{ message: "It needs the input 'k' (Key)." }] }],
    })
  })

  test('Claude Code expands variables and their defaults', () => {
    const file = {
      mcpServers: {
        api: {
          type: 'http',
          url: '${API_BASE:-https://api.example.com}/mcp',
          headers: { Authorization: 'Bearer ${API_KEY}' },
        },
        db: {
          type: 'stdio',
          command: '${HOME}/bin/db',
          args: ['--dsn', '${DSN:-postgres://localhost/x}'],
          env: { EMPTY: '${NOTHING:-}' },
        },
      },
    }
    const result = read(file, { variables: { API_KEY: 'k1' } })
    expect(result.client).toBe('claude-code')
    expect(result.servers).toEqual([
      expect.objectContaining({
        url: 'https://api.example.com/mcp',
        headers: { Authorization: 'Bearer k1' },
        problems: [],
      }),
      expect.objectContaining({ command: '/home/ada/bin/db', environment: { EMPTY: '' }, problems: [] }),
    ])
    expect(read(file, { variables: { API_KEY: 'k1', API_BASE: '' } }).servers[0]).toMatchObject({
      url: 'https://api.example.com/mcp',
    })
    expect(read(file).servers[0]?.problems).toEqual([
      {
        code: 'unknown-variable',
        message: 'It uses the variable API_KEY, which is not set; set it before you import.',
        supply: '--input API_KEY=…',
        asks: 'API_KEY',
      },
    ])
  })

  test('Windsurf names its address serverUrl', () => {
    expect(read({ mcpServers: { x: { serverUrl: 'https://x.example/mcp', disabledTools: ['a'] } } })).toMatchObject({
      client: 'windsurf',
      servers: [{ kind: 'http', url: 'https://x.example/mcp', tools: { except: ['a'] } }],
    })
  })

  test('Cline keeps what is switched off, switched off', () => {
    const file = {
      mcpServers: { a: { type: 'streamableHttp', url: 'https://a.example/mcp', disabled: true, autoApprove: [] } },
    }
    expect(read(file)).toMatchObject({
      client: 'cline',
      servers: [{ kind: 'http', enabled: false, problems: [], notes: [] }],
    })
  })

  test('Zed is read in its present and its older form', () => {
    const file = {
      context_servers: {
        present: { source: 'custom', command: 'uvx', args: ['thing'], env: {} },
        older: { command: { path: 'node', args: ['s.js'], env: { A: '1' } }, settings: {} },
        extension: { source: 'extension', settings: {} },
        off: { enabled: false, url: 'https://x.example/mcp' },
      },
    }
    expect(read(file)).toMatchObject({
      client: 'zed',
      servers: [
        { kind: 'process', command: 'uvx', args: ['thing'] },
        { kind: 'process', command: 'node', args: ['s.js'], environment: { A: '1' } },
        {
          kind: 'unusable',
          problems: [{ code: 'wrong-shape', message: expect.stringContaining('an editor extension') }],
        },
        { kind: 'http', enabled: false },
      ],
    })
  })

  test('nobody known, only the inner part, is still read', () => {
    expect(read({ memory: { command: 'npx', args: ['-y', 'm'] } })).toMatchObject({
      client: 'unknown',
      servers: [{ name: 'memory' }],
    })
  })
})

describe('a server that cannot be added', () => {
  test.each(UNUSABLE_SERVERS)('%j says why', (entry, kind, code, message) => {
    const server = only(one(entry))
    expect(server.kind).toBe(kind)
    expect(server.problems).toContainEqual(expect.objectContaining({ code, message: expect.stringContaining(message) }))
  })

  test('does not hold back the others', () => {
    const { servers } = read({ mcpServers: { bad: 1, good: { command: 'x' } } })
    expect(servers.map(({ name, problems }) => [name, problems.length])).toEqual([
      ['bad', 1],
      ['good', 0],
    ])
  })
})

test.each([
  { type: 'sse', url: 'https://x.example/sse' },
  { url: 'https://x.example/sse' },
  { type: 'ws', url: 'wss://x.example/mcp' },
  { type: 'websocket', url: 'ws://localhost:9000' },
])('a server over HTTP+SSE or WebSocket is a remote server like any other: %j', (entry) => {
  expect(only(one(entry))).toMatchObject({ kind: 'http', url: entry.url, problems: [], notes: [] })
})

test('a command wrapped for Windows stays so there and is unwrapped elsewhere', () => {
  const file = one({ command: 'cmd', args: ['/c', 'npx', '-y', 'thing'] })
  expect(only(file, { platform: 'win32' })).toMatchObject({
    command: 'cmd',
    args: ['/c', 'npx', '-y', 'thing'],
    notes: [],
  })
  expect(only(file, { platform: 'linux' })).toMatchObject({
    command: 'npx',
    args: ['-y', 'thing'],
    notes: [expect.stringContaining('cmd /c')],
  })
})
