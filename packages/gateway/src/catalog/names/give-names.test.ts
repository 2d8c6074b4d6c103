import fc from 'fast-check'
import { joinName } from '@toolway/protocol'
import { describe, expect, test } from 'vitest'
import { giveNames, type GivenName } from './give-names.ts'

const aliases = fc.stringMatching(/^[a-z][a-z0-9-]{0,30}$/)
const odd = fc.oneof(
  fc.stringMatching(/^[A-Za-z0-9_.-]{1,128}$/),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 200 }),
  // Names that would meet: of the same beginning, of the form that the rule gives to others.
  fc.constantFrom('a.b', 'a b', 'a_b', 'a/b', 'read.file', 'read_file_4bad66', 'x'.repeat(200), `${'x'.repeat(199)}y`),
)
const many = fc.uniqueArray(odd, { minLength: 1, maxLength: 25 })

/** As the database keeps them, one look after another. */
function after(alias: string, looks: readonly (readonly string[])[]): Map<string, string> {
  const given: GivenName[] = []
  for (const look of looks) given.push(...giveNames(alias, given, look))
  return new Map(given.map(({ original, name }) => [original, name]))
}

describe('U-08: the names of what a connection offers', () => {
  test('fit every client, lead to one thing each, and that for good, whatever comes and goes in whatever order', () => {
    fc.assert(
      fc.property(aliases, fc.array(many, { minLength: 1, maxLength: 5 }), (alias, looks) => {
        const seen = new Map<string, string>()
        for (let upTo = 1; upTo <= looks.length; upTo++)
          for (const [original, name] of after(alias, looks.slice(0, upTo))) {
            expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/)
            expect(name.startsWith(`${alias}__`)).toBe(true)
            expect(seen.get(name) ?? original).toBe(original)
            seen.set(name, original)
          }
        const names = after(alias, looks)
        expect(new Set(names.values()).size).toBe(names.size)
        expect([...names.keys()].toSorted()).toEqual([...new Set(looks.flat())].toSorted())
      }),
    )
  })

  test('do not depend on the order in which a server lists them', () => {
    fc.assert(
      fc.property(aliases, many, (alias, list) => {
        expect(after(alias, [list.toReversed()])).toEqual(after(alias, [list]))
      }),
    )
  })

  test('of two connections to one host never meet', () => {
    fc.assert(
      fc.property(fc.uniqueArray(aliases, { minLength: 2, maxLength: 2 }), many, ([one = 'a', other = 'b'], list) => {
        const both = [...after(one, [list]).values(), ...after(other, [list]).values()]
        expect(new Set(both).size).toBe(both.length)
      }),
    )
  })

  const taken = joinName('files', 'read.file')
  const squatter = taken.slice('files__'.length)

  test('are not taken by a tool that is called like the name of another', () => {
    const first = after('files', [['read.file'], [squatter, 'read.file'], [squatter]])
    expect(first.get('read.file')).toBe(taken)
    expect(first.get(squatter)).not.toBe(taken)
    // Nor after the one that had it is gone, nor the other way round.
    const second = after('files', [[squatter], [], ['read.file']])
    expect(second.get(squatter)).toBe(taken)
    expect(second.get('read.file')).not.toBe(taken)
  })
})

describe('the names of the source system, of at most 64 characters,', () => {
  const atAgent = (alias: string, tool: string) => `mcp__${after(alias, [[tool]]).get(tool)}`

  test.each([
    ['notion', 'search', 'mcp__notion__search'],
    // Its own examples, as an alias has no dot (ADR 49).
    ['github-com', 'search_repos', 'mcp__github-com__search_repos'],
    ['linear-app', 'create_issue', 'mcp__linear-app__create_issue'],
    ['github', 'create_issue', 'mcp__github__create_issue'],
    ['brave-search', 'web_search', 'mcp__brave-search__web_search'],
  ])('%s and %s are %s', (alias, tool, name) => expect(atAgent(alias, tool)).toBe(name))

  test('long ones are cut, and stay distinct', () => {
    const names = after('files', [['x'.repeat(200), `${'x'.repeat(199)}y`]])
    expect([...names.values()].map(({ length }) => length)).toEqual([64, 64])
    expect(new Set(names.values()).size).toBe(2)
  })

  test('two accounts on one host stay distinct', () => {
    expect(atAgent('gmail', 'send')).not.toBe(atAgent('gmail_2', 'send'))
  })
})
