import type { AccessMap } from '@toolway/contract/admin'
import { expect, test } from 'vitest'
import { idOf, linesBetween, pathsThrough } from './access-paths.ts'

const caller = (kind: 'role' | 'group' | 'key', id: string, toolsets: string[]): AccessMap['callers'][number] => ({
  ...{ kind, id, name: id, members: null, limit: 'execute', toolsets },
})
const MAP: AccessMap = {
  callers: [
    caller('role', 'tenant_member', ['default']),
    caller('group', 'finance', ['default', 'bills']),
    caller('key', 'k', []),
  ],
  toolsets: [
    { slug: 'default', title: '', everyone: true, connections: [{ alias: 'git', tools: 2 }] },
    { slug: 'bills', title: 'Bills', everyone: false, connections: [{ alias: 'bank', tools: 1 }] },
  ],
  connections: ['bank', 'git', 'idle'].map((alias) => ({ alias, title: alias, enabled: true, tools: 2 })),
}
const names = (selected: string | undefined) => {
  const { callers, toolsets, connections } = pathsThrough(MAP, selected)
  return [callers.map(({ id }) => id), toolsets.map(({ slug }) => slug), connections.map(({ alias }) => alias)]
}

test.each([
  [
    undefined,
    [
      ['tenant_member', 'finance', 'k'],
      ['default', 'bills'],
      ['bank', 'git', 'idle'],
    ],
  ],
  [
    'toolset:gone',
    [
      ['tenant_member', 'finance', 'k'],
      ['default', 'bills'],
      ['bank', 'git', 'idle'],
    ],
  ],
  ['caller:role:tenant_member', [['tenant_member'], ['default'], ['git']]],
  ['caller:key:k', [['k'], [], []]],
  ['toolset:bills', [['finance'], ['bills'], ['bank']]],
  ['connection:bank', [['finance'], ['bills'], ['bank']]],
  ['connection:idle', [[], [], ['idle']]],
])('%s leaves what belongs to it', (selected, expected) => {
  expect(names(selected)).toEqual(expected)
})

test('lines join the rows that belong together', () => {
  expect(linesBetween(MAP.callers, MAP.toolsets, (one, { slug }) => one.toolsets.includes(slug))).toEqual([
    [0, 0],
    [1, 0],
    [1, 1],
  ])
  expect(idOf.toolset({ slug: 'bills' })).toBe('toolset:bills')
})
