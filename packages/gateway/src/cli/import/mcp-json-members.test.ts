import { describe, expect, test } from 'vitest'
import { describeImport } from './describe-import.ts'
import { readMcpJson, type ImportedServer, type ImportOptions } from './mcp-json.ts'

const read = (file: unknown, options: Partial<ImportOptions> = {}) =>
  readMcpJson(typeof file === 'string' ? file : JSON.stringify(file), { home: '/home/ada', ...options })

const only = (entry: unknown, options?: Partial<ImportOptions>): ImportedServer => {
  const [server] = read({ mcpServers: { thing: entry } }, options).servers
  if (server === undefined) throw new Error('no server')
  return server
}
const url = 'https://x.example/mcp'

describe('a credential', () => {
  test.each([
    [{ bearerToken: 'abc' }, { Authorization: 'Bearer abc' }],
    [{ bearer_token: 'Bearer abc' }, { Authorization: 'Bearer abc' }],
    [{ authorization_token: 'abc' }, { Authorization: 'Bearer abc' }],
    [{ bearer_token_env_var: 'KEY' }, { Authorization: 'Bearer v' }],
    [{ http_headers: { 'X-Key': 'abc' } }, { 'X-Key': 'abc' }],
    [{ env_http_headers: { 'X-Key': 'KEY' } }, { 'X-Key': 'v' }],
    [{ requestInit: { headers: { 'X-Key': 'abc' } } }, { 'X-Key': 'abc' }],
    [{ requestOptions: { headers: { 'X-Key': 'abc' } } }, { 'X-Key': 'abc' }],
    [{ transport: { type: 'sse', headers: { 'X-Key': 'abc' } } }, { 'X-Key': 'abc' }],
    [{ apiKey: 'abc' }, { Authorization: 'Bearer abc' }],
    [{ apiKey: { key: 'abc', authorization_type: 'basic' } }, { Authorization: 'Basic abc' }],
    [{ bearerToken: 'abc', headers: { authorization: 'Basic x' } }, { authorization: 'Basic x' }],
  ])('in %j becomes a header', (members, headers) => {
    const server = only({ url, ...members }, { variables: { KEY: 'v' } })
    expect(server).toMatchObject({ kind: 'http', headers, problems: [], notes: [] })
    expect(describeImport(read({ mcpServers: { thing: { url, ...members } } })).join('\n')).not.toContain('abc')
  })

  test.each([[{ bearerToken: { from: 'x' } }], [{ http_headers: ['a'] }], [{ apiKey: { source: 'user' } }]])(
    'in %j that cannot be read holds the server back',
    (members) => {
      expect(only({ url, ...members }).problems).toHaveLength(1)
    },
  )
})

describe('a limit on tools', () => {
  test.each([
    [{ tools: ['a'] }, { only: ['a'] }],
    [{ tools: ['*'] }, undefined],
    [{ tools: [] }, { only: [] }],
    [{ includeTools: ['a', 'b'], excludeTools: ['b'] }, { only: ['a'] }],
    [{ excludeTools: ['b'] }, { except: ['b'] }],
    [{ enabled_tools: ['a'] }, { only: ['a'] }],
    [{ enabledTools: ['a'] }, { only: ['a'] }],
    [{ allowedTools: ['a'], enabled_tools: ['a', 'b'] }, { only: ['a'] }],
    [{ allowed_tools: 'a, b' }, { only: ['a', 'b'] }],
    [{ disabledTools: ['b', 'c'] }, { except: ['b', 'c'] }],
    [{ disabled_tools: ['b'] }, { except: ['b'] }],
    [{ available_tools: [] }, undefined],
    [{ tools: { a: true, b: false, c: { enabled: false } } }, { except: ['b', 'c'] }],
    [{ disabledTools: ['b*'] }, { only: [] }],
    [{ includeTools: ['a', 'get_*'] }, { only: ['a'] }],
    [{ tools: 7 }, { only: [] }],
  ])('%j never becomes more than the file allowed', (members, tools) => {
    const server = only({ url, ...members })
    expect(server).toMatchObject({ kind: 'http', problems: [] })
    expect('tools' in server ? server.tools : undefined).toEqual(tools)
    expect(server.notes).toHaveLength(tools === undefined ? 0 : 1)
  })

  test('of mcp-remote carries over', () => {
    const args = ['mcp-remote', url, '--ignore-tool', 'a', '--ignore-tool=b']
    expect(only({ command: 'npx', args })).toMatchObject({ kind: 'http', tools: { except: ['a', 'b'] } })
  })

  test('that stands beside the servers holds for the server that it names', () => {
    const file = {
      mcpServers: { a: { command: 'a' }, b: { command: 'b' }, c: { command: 'c' } },
      permissions: { deny: ['mcp__a__drop', 'mcp__b'] },
      disabledMcpjsonServers: ['c'],
    }
    expect(read(file).servers).toMatchObject([
      { enabled: true, tools: { except: ['drop'] } },
      { enabled: false },
      { enabled: false },
    ])
  })
})

test('a member that nobody reads is named, whatever it is', () => {
  expect(
    only({ url, headers: {}, timeout: 5, retries: { max: 2 }, proxy: '', 'sk-live-abcdefghijkl': 1 }).notes,
  ).toEqual(['Not carried over: "timeout", "retries", "•••".'])
})

describe('a placeholder', () => {
  const fill = (text: string, options: Partial<ImportOptions> = {}) => {
    const server = only({ command: 'x', env: { A: text } }, { variables: { KEY: 'v', EMPTY: '' }, ...options })
    return server.kind === 'process' ? [server.environment['A'], server.problems.length] : undefined
  }
  test.each([
    ['$KEY', 'v'],
    ['Bearer $KEY', 'Bearer v'],
    ['$env:KEY', 'v'],
    ['${KEY}', 'v'],
    ['${env:KEY}', 'v'],
    ['${env.KEY}', 'v'],
    ['${KEY:-x}', 'v'],
    ['${NONE:-x}', 'x'],
    ['${EMPTY:-x}', 'x'],
    ['${env:NONE:-x}', 'x'],
    ['%KEY%', 'v'],
    ['{env:KEY}', 'v'],
    ['{{KEY}}', 'v'],
    ['${{ secrets.KEY }}', 'v'],
    ['~', '/home/ada'],
    ['~/data', '/home/ada/data'],
    ['--dir=~/data', '--dir=/home/ada/data'],
    ['$HOME/data', '/home/ada/data'],
    ['%USERPROFILE%\\data', '/home/ada\\data'],
    ['${userHome}/data', '/home/ada/data'],
  ])('%s is filled', (text, value) => {
    expect(fill(text)).toEqual([value, 0])
  })

  test.each([
    '$NONE',
    '%NONE%',
    '{env:NONE}',
    '{file:~/key}',
    '{{NONE}}',
    '${{ secrets.NONE }}',
    '${NONE:?set it}',
    '${command:x}',
  ])('%s without a value holds the server back and is told by name', (text) => {
    expect(fill(text)).toEqual([text, 1])
  })

  test.each([
    'pa$$WORD',
    'a$WORD',
    '100%',
    '50%OFF%x',
    'a~b',
    '~user',
    '{"a":1}',
    '$5',
    '{name}',
    '$(KEY)',
    'https://x.example/%AB%CD',
  ])('%s is none and stays', (text) => {
    expect(fill(text)).toEqual([text, 0])
  })

  test('of a header is filled from variables that are only looked up, too', () => {
    const variables = new Proxy<Record<string, string>>(
      {},
      {
        getOwnPropertyDescriptor: (_, name) => ({ value: `v-${String(name)}`, configurable: true, enumerable: true }),
        get: (_, name) => `v-${String(name)}`,
      },
    )
    expect(only({ url, headers: { A: '${KEY}' } }, { variables })).toMatchObject({
      headers: { A: 'v-KEY' },
      problems: [],
    })
  })

  test('is not looked for in a value', () => {
    expect(fill('$KEY', { variables: { KEY: '${OTHER}' } })).toEqual(['${OTHER}', 0])
  })
})

describe('a file', () => {
  test.each([
    ['[mcp_servers.a]\ncommand = "x"\ncommand = "y"', /^The file is not TOML\. Line 3/],
    ['mcpServers:\n  a: { command: "s3cret\n', /^The file is not YAML\. Line/],
    ['mcpServers:\n  a: { command: x }\n  a: { command: y }\n', /^The file is not YAML\. Line 3, .*twice/],
    ['mcpServers:\n  a: *nothing\n', /^The file is not YAML/],
    ['a: b\n', /^No servers found/],
  ])('%j that cannot be read says where', (text, message) => {
    expect(() => read(text)).toThrow(message)
    expect(() => read(text)).not.toThrow(/s3cret/)
  })

  test('of Claude Code names the folder of a server, and the same server once', () => {
    const servers = { a: { command: 'a' } }
    const file = {
      mcpServers: servers,
      projects: { '/p': { mcpServers: servers }, '/q': { mcpServers: { b: { command: 'b' } } } },
    }
    expect(read(file).servers.map(({ alias, notes }) => [alias, notes])).toEqual([
      ['a', []],
      ['b', ['It is set for the folder /q alone; here it is for all.']],
    ])
  })
})
