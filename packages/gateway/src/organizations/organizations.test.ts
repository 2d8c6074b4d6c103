import { expect, test } from 'vitest'
import { describeEachPostgres } from '../testing/database.ts'
import { ensureOrganization, listOrganizations } from './organizations.ts'

describeEachPostgres('organizations', (createDatabase) => {
  test('are made when they are missing, and stay themselves afterwards', async () => {
    await using database = await createDatabase()
    const { db } = database
    const ensure = (slug: string, name?: string) => db.system((sql) => ensureOrganization(sql, slug, name, 'file'))
    const made = await ensure('acme')
    expect(made).toMatchObject({ slug: 'acme', name: 'acme' })
    expect(await ensure('acme', 'Acme Ltd')).toEqual({ ...made, name: 'Acme Ltd' })
    expect(await ensure('acme')).toEqual({ ...made, name: 'Acme Ltd' })
    await ensure('aardvark')
    expect((await db.system(listOrganizations)).map(({ slug }) => slug)).toEqual(['aardvark', 'acme'])
  })

  test('are one for all who make them at once', async () => {
    await using database = await createDatabase()
    const { db } = database
    const made = await Promise.all(
      Array.from({ length: 8 }, () => db.system((sql) => ensureOrganization(sql, 'acme', undefined, 'file'))),
    )
    expect(new Set(made.map(({ id }) => id)).size).toBe(1)
  })

  test('are never called what is not a valid slug', async () => {
    await using database = await createDatabase()
    for (const slug of ['', 'Acme', 'a b', '../acme', '1a']) {
      const made = database.db.system((sql) => ensureOrganization(sql, slug, undefined, 'file'))
      await expect(made, slug).rejects.toThrow('organizations_slug_check')
    }
  })
})
