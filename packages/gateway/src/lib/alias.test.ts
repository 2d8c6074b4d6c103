import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createAliasAllotment } from './alias.ts'

test('each name gets an alias of its own, as near to it as the rule allows', () => {
  const aliasFor = createAliasAllotment(['taken'])
  const names = [
    'Git Hub',
    'git-hub',
    'GIT_HUB',
    '日本',
    '1st',
    '__proto__',
    'Café',
    'x'.repeat(40),
    'x'.repeat(41),
    'taken',
    'Größere Łódź',
  ]
  expect(names.map(aliasFor)).toEqual([
    'git-hub',
    'git-hub_2',
    'git_hub',
    'server',
    'server-1st',
    'proto',
    'cafe',
    'x'.repeat(31),
    `${'x'.repeat(29)}_2`,
    'taken_2',
    'grossere-lodz',
  ])
})

test('any names get fitting aliases that are all different', () => {
  fc.assert(
    fc.property(fc.array(fc.string()), (names) => {
      const aliases = names.map(createAliasAllotment())
      expect(new Set(aliases).size).toBe(names.length)
      for (const alias of aliases) expect(alias).toMatch(/^[a-z][a-z0-9_-]{0,30}$/)
    }),
  )
})
