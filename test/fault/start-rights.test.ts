/** A start with a database role that may not do enough ends in one sentence. */
// @module-tag long
import { expect, test } from 'vitest'
import { makeInstallation } from '../cli/installation.ts'
import { startOutsideDatabase } from './outside-database.ts'

test('a role without rights on the schema is told in a sentence at the start, before and after the first run', async () => {
  await using outside = await startOutsideDatabase()
  await outside.query('create role poor login')
  await outside.query('revoke all on schema public from public')
  await using first = await makeInstallation({ DATABASE_URL: outside.urlFor('poor') })
  const fresh = await first.run(['start'])
  expect([fresh.code, fresh.err]).toEqual([
    1,
    expect.stringMatching(/permission denied for schema public.*make the role in DATABASE_URL the owner/s),
  ])
  expect(fresh.err).not.toMatch(/\n\s+at /)

  await outside.query('create role rich login superuser')
  await using second = await makeInstallation({ DATABASE_URL: outside.urlFor('rich') })
  const running = await second.start()
  expect(await running.stop()).toBe(0)
  await outside.query('reassign owned by rich to postgres')
  await outside.query('grant usage on schema public to poor')
  await outside.query('grant select on migrations to poor')
  const later = await second.run(['start'], { settings: { DATABASE_URL: outside.urlFor('poor') } })
  expect([later.code, later.err]).toEqual([
    1,
    expect.stringMatching(/must be owner|lacks permissions|permission denied/),
  ])
  expect(later.err).not.toMatch(/\n\s+at /)
})
