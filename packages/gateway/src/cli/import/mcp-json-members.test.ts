import { describe, expect, test } from 'vitest'
import { describeImport } from './describe-import.ts'
import {
  CREDENTIALS,
  FILLED_PLACEHOLDERS,
  NO_PLACEHOLDERS,
  OPEN_PLACEHOLDERS,
  SETTINGS_URL,
  TOOL_LIMITS,
  UNREADABLE_CREDENTIALS,
  VARIABLES,
} from '../../../../../test/wild/rows/settings.ts'
import { readMcpJson, type ImportedServer, type ImportOptions } from './mcp-json.ts'

const read = (file: unknown, options: Partial<ImportOptions> = {}) =>
  readMcpJson(typeof file === 'string' ? file : JSON.stringify(file), { home: '/home/ada', ...options })

const only = (entry: unknown, options?: Partial<ImportOptions>): ImportedServer => {
  const [server] = read({ mcpServers: { thing: entry } }, options).servers
  if (server === undefined) throw new Error('no server')
  return server
}
const url = SETTINGS_URL

describe('a credential', () => {
  test.each(CREDENTIALS)('in %j becomes a header', (members, headers) => {
    const server = only({ url, ...members }, { variables: { KEY: 'v' } })
    expect(server).toMatchObject({ kind: 'http', headers, problems: [], notes: [] })
    expect(describeImport(read({ mcpServers: { thing: { url, ...members } } })).join('\n')).not.toContain('abc')
  })

  test.each(UNREADABLE_CREDENTIALS)('in %j that cannot be read holds the server back', (members, words) => {
    expect(only({ url, ...members }).problems).toEqual([
      expect.objectContaining({ message: expect.stringMatching(words) }),
    ])
  })
})

describe('a limit on tools', () => {
  test.each(TOOL_LIMITS)('%j never becomes more than the file allowed', (members, tools, words) => {
    const server = only({ url, ...members })
    expect(server).toMatchObject({ kind: 'http', problems: [] })
    expect('tools' in server ? server.tools : undefined).toEqual(tools)
    expect(server.notes).toEqual(words === undefined ? [] : [expect.stringMatching(words)])
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
    const server = only({ command: 'x', env: { A: text } }, { variables: VARIABLES, ...options })
    return server.kind === 'process' ? [server.environment['A'], server.problems.length] : undefined
  }
  test.each(FILLED_PLACEHOLDERS)('%s is filled', (text, value) => {
    expect(fill(text)).toEqual([value, 0])
  })

  test.each(OPEN_PLACEHOLDERS)('%s without a value holds the server back and is told by name', (text, words) => {
    expect(fill(text)).toEqual([text, 1])
    expect(only({ command: 'x', env: { A: text } }).problems[0]?.message).toMatch(words)
  })

  test.each(NO_PLACEHOLDERS)('%s is none and stays', (text) => {
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
