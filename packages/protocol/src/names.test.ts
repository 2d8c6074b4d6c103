import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { joinName, joinNameApart, shortHash } from './names.ts'

const aliases = fc.stringMatching(/^[a-z][a-z0-9-]{0,30}$/)
const names = fc.oneof(fc.stringMatching(/^[A-Za-z0-9_.-]{1,128}$/), fc.string({ unit: 'grapheme', maxLength: 200 }))

describe('U-08: a joined name', () => {
  test('is alias, two underscores and the tool name, where that fits', () => {
    expect(joinName('github', 'create_issue')).toBe('github__create_issue')
    expect(joinName('a', '')).toBe('a__')
    expect(joinName('a', 'b__c')).toBe('a__b__c')
  })

  test('has at most 64 characters of A-Z a-z 0-9 _ -, and begins with its alias', () => {
    fc.assert(
      fc.property(aliases, names, (alias, name) => {
        for (const joined of [joinName(alias, name), joinNameApart(alias, name)]) {
          expect(joined).toMatch(/^[A-Za-z0-9_-]{1,64}$/)
          expect(joined.startsWith(`${alias}__`)).toBe(true)
        }
      }),
    )
  })

  test('is the same whenever it is asked for', () => {
    fc.assert(
      fc.property(aliases, names, (alias, name) => {
        expect(joinName(alias, name)).toBe(joinName(alias, name))
        expect(joinNameApart(alias, name)).toBe(joinNameApart(alias, name))
      }),
    )
    // Clients keep names in their own configuration: these may not change from one version to the next.
    expect(joinName('files', 'read.file')).toBe('files__read_file_4bad66')
    expect(joinName('files', 'x'.repeat(80))).toBe(`files__${'x'.repeat(50)}_${shortHash(`files__${'x'.repeat(80)}`)}`)
  })

  test('differs for two different tools of one connection', () => {
    fc.assert(
      fc.property(aliases, fc.uniqueArray(names, { minLength: 2, maxLength: 20 }), (alias, many) => {
        expect(new Set(many.map((name) => joinName(alias, name))).size).toBe(many.length)
      }),
    )
  })

  test('differs for the tools of two connections', () => {
    fc.assert(
      fc.property(fc.uniqueArray(aliases, { minLength: 2, maxLength: 5 }), names, (many, name) => {
        expect(new Set(many.map((alias) => joinName(alias, name))).size).toBe(many.length)
      }),
    )
  })

  test('of 64 characters stays whole and of 65 is cut, with a hash of what it was', () => {
    expect(joinName('a', 'x'.repeat(61))).toBe(`a__${'x'.repeat(61)}`)
    const cut = joinName('a', 'x'.repeat(62))
    expect(cut).toMatch(/^a__x{54}_[0-9a-f]{6}$/)
    expect(joinName('a', `${'x'.repeat(61)}y`)).not.toBe(cut)
  })

  test('tells apart what differs only in characters that do not fit', () => {
    const made = ['a.b', 'a/b', 'a b', 'a:b', 'aüb', 'a_b'].map((name) => joinName('c', name))
    expect(new Set(made).size).toBe(made.length)
    expect(made.at(-1)).toBe('c__a_b')
  })

  test('that is taken by another pair has a second form that says which pair it is', () => {
    expect(joinName('a', 'b__c')).toBe(joinName('a__b', 'c'))
    expect(joinNameApart('a', 'b__c')).not.toBe(joinNameApart('a__b', 'c'))
    expect(joinNameApart('a', 'b__c')).toMatch(/^a__b__c_[0-9a-f]{6}$/)
  })
})

test('the short hash is six hex digits of FNV-1a', () => {
  expect([shortHash(''), shortHash('a'), shortHash('foobar')]).toEqual(['1c9dc5', '0c292c', '9cf968'])
})
