import type { Connection } from '@toolway/contract/admin'
import { describe, expect, test } from 'vitest'
import { pairLines, pairsIn } from '../../../ui/pair-lines.ts'
import { ownChange } from './connection-own-words.ts'
import { backOf, changeOf, draftOf, endsOf } from './connection-draft.ts'
import { namedBy } from './connection-names.ts'
import { fixesFor, sentence, stateOf, tabsOf } from './connection-states.ts'

const auth: NonNullable<Connection['auth']> = {
  ...{ kind: 'oauth', owners: ['member'], accounts: 'one', brought: false },
  ...{ header: 'authorization', prefix: 'Bearer ' },
}
const connection = {
  ...{ id: 'con_1', alias: 'notes', title: 'Notes', description: null, connector: 'mcp.http', enabled: true },
  ...{
    status: 'connected',
    needs: null,
    people: null,
    stale_reason: null,
    url: 'https://a.example/mcp',
    private: false,
    command: null,
    args: null,
  },
  ...{
    auth,
    openapi: null,
    header_names: ['x-team', 'x-old'],
    environment_names: [],
    revision: 'auto',
    checks: 'none',
  },
  timeout: 60,
} as unknown as Connection

describe('a form of settings', () => {
  test('says what was changed and nothing else; what is sealed stays unless it is said', () => {
    const draft = draftOf(connection)
    expect(changeOf(connection, draft)).toEqual({})
    const [team, old] = draft.pairs
    if (team === undefined || old === undefined) throw new Error('two headers')
    const pairs = [
      { ...team, value: 'red', state: 'typed' as const },
      { ...old, state: 'gone' as const },
      { id: 7, name: 'x-new', value: 'n', state: 'typed' as const, known: false },
      { id: 8, name: 'x-dropped', value: 'n', state: 'gone' as const, known: false },
    ]
    expect(changeOf(connection, { ...draft, description: 'Ours', pairs })).toEqual({
      description: 'Ours',
      headers: { 'x-team': 'red', 'x-old': null, 'x-new': 'n' },
    })
  })

  test('knows what a change ends, and takes back only what it knows', () => {
    expect(endsOf(connection, { url: 'https://b.example/mcp' })).toEqual(['accounts'])
    expect(endsOf(connection, { url: 'https://a.example/other' })).toEqual([])
    expect(endsOf(connection, { auth: { ...auth, owners: ['member'], kind: 'key' } })).toEqual(['accounts'])
    const program = { ...connection, command: 'node', args: ['a'], auth: null, connector: 'mcp.process' } as Connection
    expect(endsOf(program, { args: ['b'] })).toEqual(['process'])
    expect(endsOf(program, { title: 'New' })).toEqual([])
    expect(backOf(connection, { title: 'New', timeout: 5 })).toEqual({ title: 'Notes', timeout: 60 })
    expect(backOf(connection, { title: 'New', url: 'https://b.example/mcp' })).toBeUndefined()
  })
})

describe('how a connection is', () => {
  test('is one word, and leads to what may mend it', () => {
    const broken = { ...connection, status: 'error' }
    const program = { ...broken, connector: 'mcp.process', auth: null } as Connection
    expect(stateOf({ ...connection, enabled: false })).toMatchObject({ tone: 'off' })
    expect(stateOf({ ...connection, stale_reason: 'timeout' })).toMatchObject({ tone: 'warn' })
    expect(fixesFor({ ...connection, enabled: false })).toEqual(['enable'])
    expect(fixesFor({ ...connection, status: 'needs_auth' })).toEqual(['account', 'settings'])
    expect(fixesFor(broken, 'upstream.needs-auth')).toEqual(['account', 'settings'])
    expect(fixesFor(broken, 'upstream.unreachable')).toEqual(['settings'])
    expect(fixesFor(program, 'upstream.given-up')).toEqual(['restart', 'process', 'settings'])
    expect(fixesFor({ ...broken, connector: 'openapi' }, 'openapi.missing')).toEqual(['document'])
    expect(tabsOf(program)).toEqual(['overview', 'tools', 'changes', 'process', 'settings'])
    expect([sentence('it broke'), sentence('Why?')]).toEqual(['It broke.', 'Why?'])
  })

  test('toolsets and rules that name it are found, and those that name a longer name are not', () => {
    const toolset = (title: string, settings: object) => ({
      title,
      settings: { include: ['*'], exclude: [], ...settings },
    })
    const rule = (name: string, more: object) => ({
      name,
      scope: 'organization' as const,
      of: null,
      match: {},
      ...more,
    })
    expect(
      namedBy(
        'notes',
        [
          toolset('all', {}),
          toolset('own', { connections: ['notes'] }),
          toolset('pattern', { exclude: ['notes__*'] }),
          toolset('other', { include: ['notesy__*'] }),
        ],
        [
          rule('its', { scope: 'connection', of: 'notes' }),
          rule('tools', { match: { tools: ['NOTES__write'] } }),
          rule('all', { match: { tools: ['*'] } }),
        ],
      ),
    ).toEqual({ toolsets: ['own', 'pattern'], rules: ['its', 'tools'] })
  })
})

test('words of a contract backend are what was typed, and only what changed is said', () => {
  const aliases = { old: 'new', a_b: 'c' }
  expect(pairsIn(`${pairLines(aliases)}\nhalf =\n`)).toEqual(aliases)
  const kept = { exposes: 'agent', aliases, allows: ['x'] } as const
  const draft = { exposes: 'all', organization: '', aliases: { ...aliases }, allows: ['x'] } as const
  expect(ownChange({ ...kept, allows: ['x'] }, { ...draft, allows: ['x'] })).toEqual({ exposes: 'all' })
})
