import { ConnectionAuth, ConnectionSecrets, ConnectionSettings } from '@toolway/contract'
import { ConnectionChange, NewConnection } from '@toolway/contract/admin'
import { describe, expect, test } from 'vitest'
import type { OpenedConnection } from '../../kinds/kind.ts'
import { connectorOf, describe as describeWords } from './describe-connection.ts'

const said = (words: object) => NewConnection.parse(words)

describe('what kind of connection is described', () => {
  test.each([
    [{ connector: 'mcp.http' }, 'mcp.http'],
    [{ connector_type: 'mcp.process' }, 'mcp.process'],
    [{ connector_type: 'custom', runtime_type: 'external_go' }, 'mcp.process'],
    [{ url: 'https://x.example' }, 'mcp.http'],
    [{ command: 'x' }, 'mcp.process'],
    [{ connector_type: 'custom', runtime_command: ['x'] }, 'mcp.process'],
    [{ connector_type: 'github' }, 'native'],
    [{ connector_type: 'github', runtime_type: 'native' }, 'native'],
    [{ connector_type: 'github', runtime_type: 'external_nodejs' }, 'mcp.process'],
  ])('%j is %s', (words, connector) => expect(connectorOf(said(words))).toBe(connector))

  test.each([
    { connector_type: 'no-vendor' },
    { connector: 'mcp.pipe' },
    { runtime_type: 'wasm' },
    { runtime_type: 'external_' },
  ])('%j is none, and the refusal says which there are', (words) =>
    expect(() => connectorOf(said(words))).toThrow(
      expect.objectContaining({ code: 'connector.unknown', mend: expect.stringContaining('external_python') }),
    ),
  )
})

describe('a command line in the words of the source system', () => {
  const wire = (words: object) => {
    const { words: described } = describeWords('mcp.process', said(words), undefined)
    if (described.wire.kind !== 'process') throw new Error('it is no process')
    return [described.wire.command, ...described.wire.args]
  }
  test.each([
    [{ runtime_command: ['npx', '-y', 'a b'] }, ['npx', '-y', 'a b']],
    [{ runtime_command: ' ["uvx", "a"] ' }, ['uvx', 'a']],
    [{ runtime_command: 'node  server.js --x' }, ['node', 'server.js', '--x']],
    [{ package_path: 'a', runtime_type: 'external_nodejs' }, ['npx', '-y', 'a']],
    [{ package_path: 'a', runtime_type: 'external_python' }, ['uvx', 'a']],
    [{ package_path: '/opt/a', runtime_type: 'external_go' }, ['/opt/a']],
  ])('%j is %j', (words, expected) => expect(wire(words)).toEqual(expected))

  test.each([
    [{ runtime_command: '[1]' }, '/runtime_command'],
    [{ runtime_command: '["a"' }, '/runtime_command'],
    [{ runtime_command: '  ' }, '/runtime_command'],
    [{ runtime_command: 'a', package_path: 'b' }, '/package_path'],
    [{ command: 'a', package_path: 'b' }, '/command'],
    [{ command: 'a', url: 'https://x.example' }, '/url'],
    [{}, '/command'],
  ])('%j is refused at %s', (words, place) =>
    expect(() => wire(words)).toThrow(expect.objectContaining({ facts: expect.objectContaining({ place }) })),
  )
})

describe('a change of a connection', () => {
  const http: OpenedConnection = {
    settings: ConnectionSettings.parse({ connector: 'mcp.http', url: 'https://a.example/x?key=•••', timeout: 9 }),
    secrets: ConnectionSecrets.parse({
      headers: { 'X-Key': 'one', 'X-Team': 'two' },
      url: 'https://a.example/x?key=1',
    }),
  }
  const changed = (words: object, held = http) => describeWords('mcp.http', ConnectionChange.parse(words), held)

  test('keeps what is not named', () => {
    expect(changed({})).toEqual({
      words: {
        ...{ revision: 'auto', timeout: 9 },
        wire: {
          ...{ kind: 'http', url: 'https://a.example/x?key=1', headers: { 'X-Key': 'one', 'X-Team': 'two' } },
          auth: ConnectionAuth.parse({}),
        },
      },
      moved: false,
      keeps: true,
    })
  })

  test('takes headers by name, in any case; null takes one away', () => {
    const { words, keeps } = changed({ headers: { 'x-key': 'new', 'x-team': null } })
    expect(words.wire).toMatchObject({ headers: { 'x-key': 'new' } })
    // The true address is a secret, too.
    expect(keeps).toBe(true)
  })

  test('of a command or its arguments moves it, and of anything else does not', () => {
    const held: OpenedConnection = {
      settings: ConnectionSettings.parse({ connector: 'mcp.process', command: 'a', args: ['--key', '•••'] }),
      secrets: ConnectionSecrets.parse({ environment: { K: 'v' }, args: ['--key', 'true'] }),
    }
    const of = (words: object) => describeWords('mcp.process', ConnectionChange.parse(words), held)
    expect(of({ args: ['--key', '•••'] })).toMatchObject({ moved: false, words: { wire: { args: ['--key', 'true'] } } })
    expect(of({ timeout: 3 }).moved).toBe(false)
    expect(of({ args: ['--key', 'other'] }).moved).toBe(true)
    expect(of({ command: 'b' })).toMatchObject({ moved: true, keeps: true })
    expect(of({ command: 'b', environment: { K: null } })).toMatchObject({ moved: true, keeps: true })
    expect(of({ command: 'b', args: [], environment: { K: null } })).toMatchObject({ moved: true, keeps: false })
    expect(() => of({ args: ['--other', '•••'] })).toThrow(/contains a mask/)
    expect(() => of({ environment: { K: 'x•••' } })).toThrow(/contains a mask/)
  })
})
