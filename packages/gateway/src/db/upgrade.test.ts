/** An upgrade from the oldest supported shape, killed with -9 again and again: what was there is there afterwards, and verifies. */
// @module-tag long
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { expect, test } from 'vitest'
import { describeEachPostgres } from '../testing/database.ts'
import { migrate } from './migrate.ts'

/** The shape of 0.1.0 ended here. */
const OLDEST = '0013_vault'
const KILLS = [150, 300, 450, 600, 750]

const FILL = `
  insert into organizations (id, slug, name, origin) values ('org_1', 'one', 'One', 'test');
  select append_records('org_1', array_agg('rec_' || g), array_agg(now() - interval '90 days' + g * interval '1 hour'),
    array_agg('call'::text), array_agg('key_1'::text), array_agg(null::text), array_agg(null::text), array_agg('demo'::text),
    array_agg('tools/call'::text), array_agg('demo__now'::text), array_agg(null::text), array_agg(null::text), array_agg(null::text),
    array_agg(1), array_agg(1), array_agg(1), array_agg('ok'::text), array_agg(null::text), array_agg('allow'::text),
    array_agg('c' || g), array_agg('user'::text), array_agg(null::text), array_agg(null::text), array_agg(null::text),
    array_agg(null::text), array_agg(null::jsonb))
  from generate_series(1, 2000) g;`

describeEachPostgres('an upgrade from the oldest shape', (createDatabase) => {
  test('goes on after kill -9 at any moment, and keeps each record in its chain', async () => {
    await using database = await createDatabase({ empty: true })
    const { connection } = database
    const all = (await readdir(new URL('migrations/', import.meta.url)))
      .map((file) => file.replace(/\.sql$/, ''))
      .sort()
    await migrate(connection, { only: new Set(all.filter((name) => name <= OLDEST)) })
    const client = new pg.Client(connection)
    await client.connect()
    await client.query(FILL)
    const before = await client.query('select id, seq, hash from records order by seq')

    const script = `
      import { migrate } from ${JSON.stringify(new URL('migrate.ts', import.meta.url).href)}
      await migrate(JSON.parse(process.argv[1]))`
    for (const after of KILLS) {
      const child = spawn(process.execPath, [
        '--input-type=module-typescript',
        '-e',
        script,
        JSON.stringify(connection),
      ])
      const ended = once(child, 'exit')
      await Promise.race([ended, sleep(after)])
      child.kill('SIGKILL')
      await ended
    }
    await migrate(connection)

    const applied = await client.query<{ name: string }>('select name from migrations order by id')
    expect(applied.rows.map(({ name }) => name)).toEqual(all)
    const kept = await client.query('select id, seq, hash from records order by seq')
    expect(kept.rows).toHaveLength(2_000)
    expect(kept.rows).toEqual(before.rows)
    expect((await client.query('select name from organizations')).rows).toEqual([{ name: 'One' }])
    await client.end()
  })
})
