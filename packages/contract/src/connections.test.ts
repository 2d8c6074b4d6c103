import { describe, expect, test } from 'vitest'
import { ConnectionAuth } from './connection-auth.ts'
import { Alias, ConnectionSecrets, Origin, Slug, ToolsetSettings } from './connections.ts'
import { ConnectionSettings } from './kinds/kinds.ts'
import { REVISIONS } from './revisions.ts'

const takes = (shape: { safeParse(value: unknown): { success: boolean } }) => (value: unknown) =>
  shape.safeParse(value).success

describe('an alias', () => {
  test.each(['a', 'github', 'my-files_2', 'a'.repeat(31)])('may be %s', (alias) =>
    expect(takes(Alias)(alias)).toBe(true),
  )
  test.each(['', 'A', '1a', '-a', '_a', 'a b', 'a.b', 'ä', 'a/b', 'a\n', 'a'.repeat(32), 'a__b', 'a_', 'a__', 5, null])(
    'may not be %j',
    (alias) => {
      expect(takes(Alias)(alias)).toBe(false)
    },
  )
})

describe('a slug', () => {
  test.each(['a', 'my-team-2', 'a'.repeat(39)])('may be %s', (slug) => expect(takes(Slug)(slug)).toBe(true))
  test.each(['', 'A', '1a', '-a', 'a_b', 'a.b', '../a', 'a\n', 'a'.repeat(40), undefined])('may not be %j', (slug) => {
    expect(takes(Slug)(slug)).toBe(false)
  })
})

const http = { connector: 'mcp.http', url: 'https://mcp.example.com/mcp' }
const process = { connector: 'mcp.process', command: 'npx' }

describe('the settings of a connection', () => {
  test('have a revision to find out, a minute of time (half of it on this machine), and nothing private', () => {
    expect(ConnectionSettings.parse(http)).toEqual({
      ...http,
      revision: 'auto',
      timeout: 60,
      private: false,
      auth: ConnectionAuth.parse({}),
    })
    expect(ConnectionSettings.parse(process)).toEqual({ ...process, revision: 'auto', timeout: 30, args: [] })
  })

  test.each(['http', 'https', 'ws', 'wss'])('may name an address that starts with %s://', (scheme) => {
    expect(takes(ConnectionSettings)({ ...http, url: `${scheme}://mcp.example.com/mcp` })).toBe(true)
  })

  test.each(['auto', ...REVISIONS])('may pin the revision %s', (revision) => {
    expect(ConnectionSettings.parse({ ...http, revision })).toMatchObject({ revision })
  })

  const refused: [name: string, settings: unknown][] = [
    ['no connector', { url: http.url }],
    ['an unknown connector', { ...http, connector: 'mcp.sse' }],
    ['an address of another scheme', { ...http, url: 'file:///etc/passwd' }],
    ['an address that is none', { ...http, url: 'mcp.example.com' }],
    ['no address', { connector: 'mcp.http' }],
    ['an empty command', { ...process, command: '' }],
    ['arguments that are no texts', { ...process, args: [1] }],
    ['an unknown revision', { ...http, revision: '2025-01-01' }],
    ['no time', { ...http, timeout: 0 }],
    ['negative time', { ...http, timeout: -1 }],
    ['more than an hour', { ...http, timeout: 3601 }],
    ['endless time', { ...http, timeout: Infinity }],
    ['time that is a text', { ...http, timeout: '60' }],
    ['a member of the other kind', { ...process, url: http.url }],
    ['a misspelt member', { ...http, timeOut: 5 }],
    ['headers, which belong with the secrets', { ...http, headers: { authorization: 'Bearer x' } }],
  ]
  test.each(refused)('are refused with %s', (_, settings) => expect(takes(ConnectionSettings)(settings)).toBe(false))
})

describe('the secrets of a connection', () => {
  test('are empty where none are given, and keep what is', () => {
    expect(ConnectionSecrets.parse({})).toEqual({ headers: {}, environment: {} })
    const whole = { headers: { a: 'b' }, environment: { C: '' }, url: 'https://x/?k=1', args: ['--key', 'k'] }
    expect(ConnectionSecrets.parse(whole)).toEqual(whole)
  })

  test.each([{ headers: { a: 1 } }, { environment: ['a'] }, { header: {} }, { args: 'x' }, null])(
    'are refused as %j',
    (secrets) => {
      expect(takes(ConnectionSecrets)(secrets)).toBe(false)
    },
  )
})

describe('the settings of a toolset', () => {
  test('take everything where they name nothing', () => {
    expect(ToolsetSettings.parse({})).toEqual({ include: ['*'], exclude: [] })
  })

  test.each([
    { include: [''] },
    { exclude: [''] },
    { connections: ['Not An Alias'] },
    { tools: ['a'] },
    { include: '*' },
  ])('are refused as %j', (settings) => expect(takes(ToolsetSettings)(settings)).toBe(false))

  test('may select nothing at all', () => {
    expect(ToolsetSettings.parse({ connections: [], include: [] })).toEqual({
      connections: [],
      include: [],
      exclude: [],
    })
  })
})

test('a row comes from one of four places', () => {
  expect(['first run', 'command line', 'file', 'import'].map(takes(Origin))).toEqual([true, true, true, true])
  expect(takes(Origin)('elsewhere')).toBe(false)
})
