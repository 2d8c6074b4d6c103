/**
 * The database itself, queried with raw SQL as faulty code would do: every table that has an organization, every function that
 * runs with its owner's rights, every way to act as another caller. The lists come from the database's own catalog.
 */
import { expect, test } from 'vitest'
import { z } from 'zod'
import type { Db, OrgSql } from '../../packages/gateway/src/db/db.ts'
import { describeEachTown } from './each-town.ts'
import { SIDES, otherOf, type Side } from './sides.ts'
import { createTally } from './tally.ts'
import type { Town } from './town.ts'

const Name = z.object({ name: z.string() })
const Row = z.object({ row: z.string() })
const Count = z.object({ count: z.int() })
const Nothing = z.object({})
const raw = (text: string) => Object.assign([text], { raw: [] })

const tablesOf = (db: Db) =>
  db.system(
    (sql) => sql(Name)`
    select c.relname::text as name from pg_class c
     where c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace
       and exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'organization_id' and not a.attisdropped)
     order by 1`,
  )

/** Undoes itself: what was tried leaves nothing. */
class Undone extends Error {}
async function tried(db: Db, id: string, work: (sql: OrgSql) => Promise<unknown>): Promise<string | undefined> {
  return db
    .organization(id, async (sql) => {
      await work(sql)
      throw new Undone()
    })
    .catch((thrown: { code?: string; message: string }) =>
      thrown instanceof Undone ? undefined : (thrown.code ?? thrown.message),
    )
}

const count = async (db: Db, table: string, id: string) => {
  const text = `select count(*)::int as count from ${table} where organization_id = '${id}'`
  const [row] = await db.system((sql) => sql(Count)(raw(text)))
  return row?.count ?? 0
}

/**
 * Functions that run with their owner's rights and that an organization may call: how each is asked, by the one, about the other.
 * One that is not here fails; each must refuse, or touch nothing.
 */
const DEFINERS: Readonly<Record<string, (other: string, key: string) => string>> = {
  announce_change: (other) => `select announce_change('{"organization":"${other}"}')`,
  key_maker: (_, key) => `select key_maker('${key}')`,
  append_records: (other) => {
    const texts = Array(12).fill('null::text[]')
    const ints = Array(3).fill(`array[0]`)
    return `select append_records('${other}', array['rec_planted'], array[now()], array['call'], array['x'], ${texts.slice(0, 3).join()},
      array['x'], ${texts.slice(0, 4).join()}, ${ints.join()}, array['ok'], null::text[], array['allow'], array['x'],
      array['user'], ${texts.slice(0, 4).join()}, null::jsonb[])`
  },
}

const Id = z.object({ id: z.string() })

describeEachTown('the store', {}, (town) => {
  const sides = (): { side: Side; id: string; other: string }[] =>
    SIDES.map((side) => ({
      ...{ side, id: town().names[side].organizationId, other: town().names[otherOf(side)].organizationId },
    }))

  test('shows an organization, of every table there is, its rows and none of the other, and lets it write no other', async (context) => {
    const tally = createTally(context)
    const { db } = town().gateway
    const tables = await tablesOf(db)
    expect(tables.length).toBeGreaterThanOrEqual(8)
    for (const { side, id, other } of sides()) {
      const word = new RegExp(`${other}|${markOf(town(), otherOf(side))}`)
      for (const { name } of tables) {
        const before = await count(db, name, other)
        const told = (what: string, code: unknown) => `${side} ${what} ${name}: ${String(code)}`
        await db
          .organization(id, async (sql) => {
            const rows = await sql(Row)(raw(`select to_jsonb(t)::text as row from ${name} t`)).catch(denied)
            tally.check(
              rows.every(({ row }) => !word.test(row)),
              told('reads', 'a row of the other'),
            )
          })
          .catch(ignoreRolledBack)
        for (const [what, text] of [
          ['deletes', `delete from ${name} where organization_id = '${other}'`],
          ['deletes all of', `delete from ${name}`],
          ['changes', `update ${name} set organization_id = '${other}'`],
          ['takes', `update ${name} set organization_id = '${id}' where organization_id = '${other}'`],
          [
            'writes',
            `insert into ${name} select (jsonb_populate_record(null::${name}, to_jsonb(t) || '{"organization_id": "${other}"}')).* from ${name} t`,
          ],
        ] as const) {
          const own = await count(db, name, id)
          const code = await tried(db, id, (sql) => sql(Nothing)(raw(text)))
          // 42501: no right, or refused by the policy; P0001: a trigger of the table's. Where nothing is one's own, nothing happens.
          const isEmpty = own === 0 && code === undefined
          const isHarmless = what.startsWith('deletes') || what === 'takes'
          const isRefused = code === '42501' || code === 'P0001'
          tally.check(isRefused || isEmpty || (isHarmless && [undefined, '23503'].includes(code)), told(what, code))
          tally.check((await count(db, name, other)) === before, told(what, 'the other has other rows now'))
        }
      }
    }
    tally.close()
  })

  test('lets nobody speak as somebody else inside an organization’s transaction', async (context) => {
    const tally = createTally(context)
    const { db } = town().gateway
    for (const { id, other } of sides()) {
      for (const text of [
        'reset role',
        'set role none',
        'set local role postgres',
        'set session authorization default',
        ` /* harmless */ reset all`,
        '-- harmless\nreset role',
        `set local app.organization = '${other}'`,
        `select set_config('app.organization', '${other}', true)`,
        `select set_config('role', 'none', true)`,
        `with taken as (select set_config('app.organization', '${other}', true)) select count(*)::int as count from taken`,
        `do $$ begin execute 'reset role'; end $$`,
        'commit',
        'rollback',
        'discard all',
      ])
        tally.check((await tried(db, id, (sql) => sql(Nothing)(raw(text)))) !== undefined, `${text} was carried out`)
      for (const text of [
        'create table mine (id text)',
        'create function mine() returns int language sql as $$ select 1 $$',
        'alter table keys disable row level security',
        'drop policy organization_own on keys',
        'grant toolway_organization to current_user',
        'create temporary table organizations (id text)',
        'select id into temporary organizations from keys',
      ])
        tally.check((await tried(db, id, (sql) => sql(Nothing)(raw(text)))) !== undefined, `${text} was carried out`)
      // A transaction after all that is an organization's as before, and the pool has no connection that remembers another.
      const seen = await db.organization(id, (sql) => sql(z.object({ id: z.string() }))`select id from organizations`)
      tally.check(seen.length === 1 && seen[0]?.id === id, 'another organization is seen afterwards')
    }
    tally.close()
  })

  test('runs nothing with its owner’s rights for the other organization', async (context) => {
    const tally = createTally(context)
    const { db } = town().gateway
    const functions = await db.system(
      (sql) => sql(Name)`
      select p.proname::text as name from pg_proc p
       where p.pronamespace = 'public'::regnamespace and p.prosecdef and p.prorettype <> 'trigger'::regtype
         and has_function_privilege('toolway_organization', p.oid, 'execute')
       order by 1`,
    )
    tally.check(
      functions.every(({ name }) => name in DEFINERS),
      `untried: ${functions.map(({ name }) => name).join()}`,
    )
    for (const { name } of functions) {
      for (const { id, other } of sides()) {
        const [key] = await db.system((sql) => sql(Id)`select id from keys where organization_id = ${other} limit 1`)
        const text = DEFINERS[name]?.(other, key?.id ?? '')
        if (text === undefined) continue
        const code = await tried(db, id, (sql) => sql(z.looseObject({}))(raw(text)))
        tally.check(code === '42501', `${name} was run for another: ${String(code)}`)
      }
    }
    tally.close()
  })

  test('belongs to a role that no policy lets through, and organizations to one that cannot sign in', async (context) => {
    const tally = createTally(context)
    const roles = await town().gateway.db.system(
      (sql) => sql(z.object({ name: z.string(), all: z.boolean(), login: z.boolean() }))`
      select rolname::text as name, rolsuper or rolbypassrls as all, rolcanlogin as login from pg_roles
       where rolname in (current_user, 'toolway_organization')`,
    )
    tally.check(roles.length === 2 && roles.every(({ all }) => !all), JSON.stringify(roles))
    const organization = roles.find(({ name }) => name === 'toolway_organization')
    tally.check(organization?.login === false, JSON.stringify(roles))
    tally.close()
  })

  test('S3-DATA-03: is a PostgreSQL of version 15 or later, the embedded one and a server alike, reached by 5 to 20 connections', async () => {
    const { db } = town().gateway
    const Version = z.object({ version: z.int() })
    const [found] = await db.system((sql) => sql(Version)`select current_setting('server_version_num')::int as version`)
    expect(found?.version).toBeGreaterThanOrEqual(150_000)
    const Pid = z.object({ pid: z.int() })
    const pids = await Promise.all(
      Array.from({ length: 60 }, () =>
        db.system((sql) => sql(Pid)`select pg_backend_pid() as pid from pg_sleep(0.02)`),
      ),
    )
    const connections = new Set(pids.flat().map(({ pid }) => pid)).size
    expect(connections).toBeGreaterThanOrEqual(5)
    expect(connections).toBeLessThanOrEqual(20)
  })
})

/** A table that an organization has no right to at all shows nothing. */
const denied = (thrown: Error & { code?: string }): never[] => {
  if (thrown.code !== '42501') throw thrown
  return []
}
/** The transaction of a statement that was denied ends undone, which is all it can do. */
const ignoreRolledBack = (thrown: Error) => {
  if (!/rolled back/.test(thrown.message)) throw thrown
}
const markOf = (town: Town, side: Side): string => town.names[side].connection
