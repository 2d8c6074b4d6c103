/** The members that a condition reads, found without evaluating it. */
import { describe, expect, test } from 'vitest'
import { createCondition } from './condition.ts'
import { conditionReadsOf, requiredArgument } from './condition-reads.ts'
import { MARIA, testFacts, TOOL } from '../testing/rules.ts'

const told = (text: string) => conditionReadsOf(text).reads.map(({ root, path }) => [root, ...path].join('.'))

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
    expect(conditionReadsOf(`args.limit > 100 && 'finance' in principal.groups && args.on == true`).literals).toEqual([
      100,
      'finance',
      true,
    ])
  })
})

describe('the argument without which a condition is false', () => {
  test.each([
    ['has(args.danger)', 'danger'],
    ['"danger" in args', 'danger'],
    ['has(args.limit) && args.limit > 5 && args.other == 1', 'limit'],
    ['(has(args.limit) && args.limit > 5) && principal.role == "viewer"', 'limit'],
    // What stands first may be true or have no answer.
    ['args.limit > 5 && has(args.limit)', undefined],
    ['has(args.limit) || args.other == 1', undefined],
    ['!has(args.limit)', undefined],
    ['has(args.filter.owner)', undefined],
    ['args.name in ["a"]', undefined],
    ['"a" in args.names', undefined],
    ['has(principal.role)', undefined],
    ['"x" in ["x"]', undefined],
    ['true', undefined],
  ])('%s', (text, name) => {
    expect(requiredArgument(text)).toBe(name)
    if (name !== undefined)
      expect(createCondition(text).holds({ ...testFacts(), principal: MARIA, tool: TOOL, args: {} })).toBe(false)
  })
})
