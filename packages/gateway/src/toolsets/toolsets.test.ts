import { ToolsetSettings } from '@toolway/contract'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { addTestOrganization } from '../testing/organization.ts'
import { describeEachPostgres } from '../testing/database.ts'
import { patternOf } from '../lib/pattern.ts'
import { EVERYTHING, listToolsets, putToolset, removeToolset, selectionOf } from './toolsets.ts'

describe('a pattern', () => {
  const cases: [pattern: string, fits: string[], not: string[]][] = [
    ['*', ['', 'a', 'a__b'], []],
    ['a__b', ['a__b'], ['a__bc', 'xa__b', 'a__B', '']],
    ['github__*', ['github__', 'github__x'], ['github_x', 'xgithub__y']],
    ['*__read', ['a__read', '__read'], ['a__reads', 'read']],
    ['*issue*', ['issue', 'an_issue_here'], ['isue']],
    ['a*b', ['ab', 'aXb', 'abb'], ['a', 'b', 'ba', 'aXc']],
    ['a*a', ['aa', 'aXa'], ['a']],
    ['ab*ba', ['abba', 'abXba'], ['aba']],
    ['*a*a*', ['aa', 'xaxax'], ['a']],
    ['**', ['', 'a'], []],
    ['a.c', ['a.c'], ['abc']],
    ['a?[b]', ['a?[b]'], ['axb']],
    ['', [''], ['a']],
  ]
  test.each(cases)('%j means what it says', (pattern, fits, not) => {
    expect(fits.filter((text) => !patternOf(pattern)(text))).toEqual([])
    expect(not.filter((text) => patternOf(pattern)(text))).toEqual([])
  })

  test('says the same as the slow way to ask', () => {
    const letters = (extra: string) => fc.string({ unit: fc.constantFrom('a', 'b', ...extra), maxLength: 8 })
    fc.assert(
      fc.property(letters('*'), letters(''), (pattern, text) => {
        const slow = new RegExp(`^${pattern.replaceAll('*', '.*')}$`, 's')
        expect(patternOf(pattern)(text)).toBe(slow.test(text))
      }),
      { numRuns: 2000 },
    )
  })
})

describe('a selection', () => {
  const selection = (settings: object) => selectionOf(ToolsetSettings.parse(settings))

  test('that names nothing has everything in', () => {
    for (const one of [selection({}), EVERYTHING])
      expect([one.connection('a'), one.tool('a', 'a__b')]).toEqual([true, true])
  })

  test('of connections has nothing of another in, whatever its tools are called', () => {
    const one = selection({ connections: ['a'], include: ['*'] })
    expect([one.connection('a'), one.connection('b'), one.tool('a', 'a__x'), one.tool('b', 'a__x')]).toEqual([
      true,
      false,
      true,
      false,
    ])
  })

  test('of no connections, or of no patterns, has nothing in', () => {
    expect(selection({ connections: [] }).tool('a', 'a__b')).toBe(false)
    expect(selection({ include: [] }).tool('a', 'a__b')).toBe(false)
  })

  test('has out what is excluded, even where it is included by name', () => {
    const one = selection({ include: ['a__*', 'b__read'], exclude: ['*__delete*', 'b__read'] })
    const asked = ['a__read', 'a__delete_all', 'b__read', 'b__write']
    expect(asked.filter((name) => one.tool(name.charAt(0), name))).toEqual(['a__read'])
  })

  test('has a connection whole, its resources too, only where no pattern narrows it', () => {
    const whole = (settings: object) => ['a', 'b'].filter((alias) => selection(settings).whole(alias))
    expect(whole({})).toEqual(['a', 'b'])
    expect(whole({ connections: ['a'] })).toEqual(['a'])
    expect(whole({ include: ['a__*'] })).toEqual(['a'])
    for (const include of [['a__read'], ['a__re*'], ['*__read'], ['a*'], []]) expect(whole({ include })).toEqual([])
    expect(whole({ exclude: ['a__delete'] })).toEqual([])
  })
})

describeEachPostgres('kept toolsets', (createDatabase) => {
  test('are added, changed by their slug, listed in order and removed', async () => {
    await using database = await createDatabase()
    const { db } = database
    const organization = await addTestOrganization(db, 'acme')
    const put = (slug: string, title: string, settings: object) =>
      db.organization(organization.id, (sql) =>
        putToolset(sql, {
          organizationId: organization.id,
          slug,
          title,
          settings: ToolsetSettings.parse(settings),
          origin: 'file',
        }),
      )
    const [added] = await put('work', 'Work', { include: ['a__*'] })
    await put('home', 'Home', {})
    const [changed] = await put('work', 'Work again', { exclude: ['b__*'] })
    expect(changed?.id).toBe(added?.id)
    const rows = await db.organization(organization.id, listToolsets)
    expect(rows.map(({ slug, title, settings }) => ({ slug, title, settings }))).toEqual([
      { slug: 'home', title: 'Home', settings: { include: ['*'], exclude: [] } },
      { slug: 'work', title: 'Work again', settings: { include: ['*'], exclude: ['b__*'] } },
    ])
    await db.organization(organization.id, (sql) => removeToolset(sql, 'work'))
    expect(await db.organization(organization.id, (sql) => removeToolset(sql, 'work'))).toEqual([])
    expect(await db.organization(organization.id, listToolsets)).toHaveLength(1)
  })

  test('of another organization are neither seen, changed nor removed', async () => {
    await using database = await createDatabase()
    const { db } = database
    const [mine, theirs] = [await addTestOrganization(db, 'mine'), await addTestOrganization(db, 'theirs')]
    const settings = ToolsetSettings.parse({})
    const put = (id: typeof mine.id, title: string) =>
      db.organization(id, (sql) =>
        putToolset(sql, { organizationId: id, slug: 'work', title, settings, origin: 'file' }),
      )
    await put(theirs.id, 'Theirs')
    expect(await db.organization(mine.id, listToolsets)).toEqual([])
    await db.organization(mine.id, (sql) => removeToolset(sql, 'work'))
    await put(mine.id, 'Mine')
    expect((await db.organization(theirs.id, listToolsets)).map(({ title }) => title)).toEqual(['Theirs'])
    const forged = db.organization(mine.id, (sql) =>
      putToolset(sql, { organizationId: theirs.id, slug: 'x', title: 'x', settings, origin: 'file' }),
    )
    await expect(forged).rejects.toThrow('row-level security')
  })
})
