/** What an upgrade makes of keys that call on behalf of members: who made each decides whether it still may. */
import { readdir } from 'node:fs/promises'
import pg from 'pg'
import { expect, test } from 'vitest'
import { createTestDatabase } from '../testing/database.ts'
import { migrate } from './migrate.ts'

const FILL = `
  insert into organizations (id, slug, name, origin) values ('org_1', 'one', 'One', 'test');
  insert into users (id, email, name, platform_admin)
    values ('usr_root', 'root@example.com', 'Root', true), ('usr_ann', 'ann@example.com', 'Ann', false);
  insert into keys (id, organization_id, name, hint, hash, origin, role)
    values ('key_platform', null, 'platform', '', 'platform', 'admin', 'platform_admin');
  insert into keys (id, organization_id, name, hint, hash, origin, created_by, trusted)
    select 'key_' || n, 'org_1', n, '', n::bytea, o, c, t from (values
      ('file', 'file', null, true), ('root', 'admin', 'usr_root', true), ('machine', 'command line', 'command line', true),
      ('program', 'admin', 'key_platform', true), ('ann', 'admin', 'usr_ann', true), ('gone', 'admin', 'key_gone', true),
      ('unknown', 'admin', null, true), ('plain', 'admin', 'usr_root', false)) as v (n, o, c, t);`

test('a key for calls on behalf of members that a platform administrator or the file made stays one, and others wait', async () => {
  await using database = await createTestDatabase({ empty: true })
  const { connection } = database
  const all = (await readdir(new URL('migrations/', import.meta.url))).map((file) => file.replace(/\.sql$/, ''))
  await migrate(connection, { only: new Set(all.filter((name) => name < '0069')) })
  const client = new pg.Client(connection)
  await client.connect()
  await client.query(FILL)
  await migrate(connection)
  const { rows } = await client.query<{ name: string }>(
    'select name from keys where trusted and trusted_by is not null order by name',
  )
  expect(rows.map(({ name }) => name)).toEqual(['file', 'machine', 'program', 'root'])
  const waiting = await client.query<{ name: string }>(
    'select name from keys where trusted and trusted_by is null order by name',
  )
  expect(waiting.rows.map(({ name }) => name)).toEqual(['ann', 'gone', 'unknown'])
  await client.end()
})
