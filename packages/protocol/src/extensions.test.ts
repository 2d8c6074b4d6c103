import { describe, expect, test } from 'vitest'
import { declares, isAppOnly, isForApps, keepExtensions } from './extensions.ts'

describe('declared extensions', () => {
  const both = { sampling: {}, extensions: { a: {}, b: { c: 1 } } }

  test('are those with settings, be they empty', () => {
    expect(declares(both, 'a')).toBe(true)
    for (const odd of [
      {},
      { extensions: [] },
      { extensions: { a: true } },
      { extensions: null },
      { extensions: { b: {} } },
    ])
      expect(declares(odd, 'a')).toBe(false)
    expect(declares({ extensions: {} }, 'constructor')).toBe(false)
  })

  test('can be left out one by one; what stays stays as it was', () => {
    expect(keepExtensions(both, () => true)).toBe(both)
    expect(keepExtensions(both, (name) => name === 'b')).toEqual({ sampling: {}, extensions: { b: { c: 1 } } })
    expect(keepExtensions(both, () => false)).toEqual({ sampling: {} })
  })
})

test('a tool is for apps alone where it says so, and only so', () => {
  const withVisibility = (visibility: never) => ({ name: 't', _meta: { ui: { visibility } } })
  expect(isAppOnly(withVisibility(['app'] as never))).toBe(true)
  for (const odd of [['model', 'app'], ['model'], [], 'app', undefined])
    expect(isAppOnly(withVisibility(odd as never))).toBe(false)
  expect(isAppOnly({ name: 't' })).toBe(false)
  for (const [visibility, isTheirs] of [
    [['app'], true],
    [['model', 'app'], true],
    [[], true],
    ['app', true],
    [['model'], false],
  ])
    expect(isForApps(withVisibility(visibility as never))).toBe(isTheirs)
  expect(isForApps({ name: 't' })).toBe(true)
  expect(isAppOnly({ name: 't', _meta: { ui: null } })).toBe(false)
})
