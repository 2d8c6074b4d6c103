import { describe, expect, test } from 'vitest'
import { readMcpJson, type ImportedServer, type ImportOptions } from './mcp-json.ts'

const read = (file: unknown, options: Partial<ImportOptions> = {}) =>
  readMcpJson(typeof file === 'string' ? file : JSON.stringify(file), { home: '/home/ada', ...options })

const only = (file: unknown, options?: Partial<ImportOptions>) => {
  const { servers } = read(file, options)
  expect(servers).toHaveLength(1)
  return servers[0] as ImportedServer
}

const one = (entry: unknown) => ({ mcpServers: { thing: entry } })

describe('mcp-remote', () => {
  const remote = (args: string[], env?: object, command = 'npx') => only(one({ command, args, ...(env && { env }) }))

  test('becomes a direct connection with its headers filled from its own variables', () => {
    expect(
      remote(
        [
          '-y',
          'mcp-remote@0.15.1',
          'https://r.example/mcp',
          '9696',
          '--header',
          'Authorization:${AUTH}',
          '--allow-http',
        ],
        {
          AUTH: 'Bearer t',
        },
      ),
    ).toMatchObject({
      kind: 'http',
      url: 'https://r.example/mcp',
      headers: { Authorization: 'Bearer t' },
      problems: [],
      notes: ['It was reached through mcp-remote; Toolway connects to the address directly.'],
    })
  })

  test.each([
    ['cmd', ['/c', 'npx', '-y', 'mcp-remote', 'https://r.example/mcp']],
    ['C:\\Program Files\\nodejs\\npx.cmd', ['mcp-remote@latest', 'https://r.example/mcp']],
    ['/usr/local/bin/mcp-remote', ['https://r.example/mcp']],
    ['pnpm', ['dlx', 'mcp-remote', 'https://r.example/mcp']],
    ['bunx', ['mcp-remote', '--debug', 'https://r.example/mcp']],
    ['npx', ['--package', 'mcp-remote', 'mcp-remote', '--resource', 'https://other.example', 'https://r.example/mcp']],
  ])('is seen through %s %j', (command, args) => {
    expect(remote(args, undefined, command)).toMatchObject({ kind: 'http', url: 'https://r.example/mcp', problems: [] })
  })

  test('says what a direct connection does not carry over', () => {
    expect(remote(['mcp-remote', 'https://r.example/mcp', '--resource', 'https://o.example'])).toMatchObject({
      notes: [expect.any(String), 'Not carried over from mcp-remote: --resource.'],
    })
    expect(remote(['mcp-remote', 'https://r.example/sse', '--transport', 'sse-only'])).toMatchObject({
      kind: 'http',
      url: 'https://r.example/sse',
      problems: [],
      notes: [expect.any(String)],
    })
    expect(remote(['mcp-remote', 'https://r.example/mcp', '--header-file', '/h.txt'])).toMatchObject({
      problems: [{ code: 'not-carried-over' }],
    })
    expect(remote(['mcp-remote', 'https://r.example/mcp', '--header', 'Authorization:${NOT_SET}'])).toMatchObject({
      problems: [{ code: 'unknown-variable', message: expect.stringContaining('NOT_SET') }],
    })
  })

  test('carries headers over that are written with an equals sign, and names the flags that it does not carry', () => {
    const args = [
      'mcp-remote',
      '--transport=http-only',
      '--header=Authorization: Bearer t',
      '--header=X-A:b=c',
      'https://r.example/mcp',
      '--resource=https://o.example',
    ]
    expect(remote(args)).toMatchObject({
      kind: 'http',
      url: 'https://r.example/mcp',
      headers: { Authorization: 'Bearer t', 'X-A': 'b=c' },
      problems: [],
      notes: [expect.any(String), 'Not carried over from mcp-remote: --resource.'],
    })
  })

  test('without an address stays the command that it is', () => {
    expect(remote(['mcp-remote'])).toMatchObject({ kind: 'process', command: 'npx' })
  })
})

describe('entries of this product', () => {
  test.each([
    [{ command: 'npx', args: ['-y', 'toolway', 'bridge'] }],
    [{ command: 'npx', args: ['-y', 'toolway@0.1.0'] }],
    [{ command: 'npx', args: ['@toolway/bridge@latest'] }],
    [{ command: 'npx', args: ['-y', 'toolway-bridge@0.1.0'] }],
    [{ command: '/usr/bin/toolway', args: [] }],
    [{ command: 'cmd', args: ['/c', 'npx', 'toolway'] }],
    [{ type: 'http', url: 'http://localhost:4117/mcp' }],
    [{ command: 'npx', args: ['mcp-remote', 'http://127.0.0.1:4117/mcp/other'] }],
  ])('%j is left out with a note', (entry) => {
    expect(read(one(entry), { gateway: 'http://127.0.0.1:4117' })).toMatchObject({
      servers: [],
      notes: ['thing is Toolway itself and is left out.'],
    })
  })

  test('another server on this machine is not mistaken for it', () => {
    expect(read(one({ url: 'http://localhost:4118/mcp' }), { gateway: 'http://127.0.0.1:4117' }).servers).toHaveLength(
      1,
    )
    expect(read(one({ command: 'npx', args: ['toolway-something'] })).servers).toHaveLength(1)
  })
})
