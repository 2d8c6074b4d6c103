/** The members that a condition reads, found without evaluating it. */
import { describe, expect, test } from 'vitest'
import { readsOf } from './condition-reads.ts'

const told = (text: string) => readsOf(text).reads.map(({ root, path }) => [root, ...path].join('.'))

describe('what a condition reads', () => {
  test.each([
    [`args.limit > 100 && principal.role != 'tenant_admin'`, ['args.limit', 'principal.role']],
    [`'finance' in principal.groups`, ['principal.groups']],
    [`has(args.filters.owner) && args["x-y"].startsWith("a")`, ['args.filters.owner', 'args.x-y']],
    [`args.items.exists(i, i.amount > args.most)`, ['args.items', 'args.most']],
    [`args.list[0].name == 'x'`, ['args.list']],
    [`args[context.toolset] == 1`, ['args', 'context.toolset']],
    [`size(args) > 3`, ['args']],
    [`!(`, []],
  ])('%s', (text, paths) => expect(told(text)).toEqual(paths))

  test('are also the values that it compares with', () => {
    expect(readsOf(`args.limit > 100 && 'finance' in principal.groups && args.on == true`).literals).toEqual([
      100,
      'finance',
      true,
    ])
  })
})
