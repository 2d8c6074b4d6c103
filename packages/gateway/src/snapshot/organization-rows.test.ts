/** Rows kept in memory: a change reads what it names, and what is kept then is what the database has. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { ConnectionSettings, ToolsetSettings, type OrganizationId } from '@toolway/contract'
import { runs } from '../../../../test/setup/form.ts'
import type { Db, OrgSql, Sql, SystemSql } from '../db/db.ts'
import { joinRows, NO_ROWS, rowsOf, type ChangedRows, type WantedRows } from './wanted-rows.ts'
import { createTestDatabase } from '../testing/database.ts'
import { readAllOf, readRows, type OrganizationRows } from './organization-rows.ts'

const Nothing = z.object({})
const Said = z.object({ said: z.string() })
const ID = 'org_1' as OrganizationId
const SETTINGS = JSON.stringify(ConnectionSettings.parse({ connector: 'mcp.http', url: 'https://mcp.example.com/' }))
const SELECTION = JSON.stringify(ToolsetSettings.parse({}))

/** An organization with three connections, and what notices told of it. */
async function fixture() {
  await using parts = new AsyncDisposableStack()
  const { db } = parts.use(await createTestDatabase())
  let told: WantedRows = NO_ROWS
  let fence = 0
  const listener = await db.listen('toolway_changed', (notice) => {
    if (notice.kind === 'reconnected') return void (told = 'all')
    const said = JSON.parse(notice.payload) as ChangedRows & { organization?: string; fence?: number }
    if (said.fence !== undefined) fence = said.fence
    else if (said.organization === ID && (said.table !== undefined || said.version !== undefined))
      told = joinRows(told, rowsOf(said))
  })
  parts.defer(() => listener.close())
  await db.system(async (sql) => {
    await sql(Nothing)`insert into organizations (id, slug, name, origin) values (${ID}, 'one', 'One', 'test')`
    await sql(Nothing)`
      insert into users (id, email, name) select 'usr_' || n, n || '@example.com', 'N' from generate_series(0, 3) n`
    for (const at of [0, 1, 2]) await run(sql, { kind: 'connect', at })
  })
  let fences = 0
  /** Notices since the last time. */
  async function heard(): Promise<WantedRows> {
    fences++
    await db.system((sql) => sql(Said)`select announce_change(${JSON.stringify({ fence: fences })})::text as said`)
    await expect.poll(() => fence, { interval: 2 }).toBe(fences)
    const wanted = told
    told = NO_ROWS
    return wanted
  }
  await heard()
  const owned = parts.move()
  return { db, heard, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

const read = (db: Db, wanted: WantedRows, held?: OrganizationRows) =>
  db.organization(ID, (sql) => readRows(sql, wanted, held))

const KINDS = [
  ...['connect', 'retitle', 'rename', 'disconnect', 'catalog', 'stale', 'lock', 'unlock', 'state', 'unstate', 'many'],
  ...['toolset', 'reslug', 'untoolset', 'join', 'role', 'suspend', 'leave', 'group', 'provide', 'recall', 'ungroup'],
  ...['rule', 'unrule'],
] as const
interface Change {
  readonly kind: (typeof KINDS)[number]
  readonly at: number
}

/** One change, as the gateway's statements make it; where there is nothing to change, nothing is. */
async function run(sql: OrgSql | Parameters<Parameters<Db['system']>[0]>[0], { kind, at }: Change): Promise<void> {
  const id = `con_${at}`
  const word = Math.random().toString(36).slice(2)
  const statements: Record<Change['kind'], () => Promise<unknown>> = {
    connect: () => sql(Nothing)`
      insert into connections (id, organization_id, alias, title, connector, settings, origin)
      values (${id}, ${ID}, ${`c${word}`}, 'C', 'mcp.http', ${SETTINGS}, 'test') on conflict do nothing`,
    retitle: () => sql(Nothing)`update connections set title = ${word}, updated_at = now() where id = ${id}`,
    rename: () => sql(Nothing)`update connections set alias = ${`c${word}`} where id = ${id}`,
    disconnect: () => sql(Nothing)`delete from connections where id = ${id}`,
    catalog: () => sql(Nothing)`
      insert into catalogs (connection_id, organization_id, revision, tools, digest)
      select id, organization_id, '2025-11-25', json_build_array(json_build_object('name', ${word}::text)), ${word}
        from connections where id = ${id}
      on conflict (connection_id) do update set tools = excluded.tools, digest = excluded.digest`,
    stale: () =>
      sql(Nothing)`update catalogs set stale_reason = ${word}, stale_since = now() where connection_id = ${id}`,
    lock: () => sql(Nothing)`
      insert into tool_locks (organization_id, connection_id, tool, held_hash, held, held_at)
      select organization_id, id, ${word}, repeat('a', 64), '{}', now() from connections where id = ${id}`,
    unlock: () => sql(Nothing)`delete from tool_locks where connection_id = ${id}`,
    state: () => sql(Nothing)`
      insert into tool_states (organization_id, connection_id, tool, enabled)
      select organization_id, id, ${`t${at % 2}`}, ${word > 'h'} from connections where id = ${id}
      on conflict (organization_id, connection_id, tool) do update set enabled = excluded.enabled`,
    unstate: () => sql(Nothing)`delete from tool_states where connection_id = ${id}`,
    many: () => sql(Nothing)`
      insert into connections (id, organization_id, alias, title, connector, settings, origin)
      select ${`con_${word}_`} || n, ${ID}, ${`m${word}-`} || n, 'M', 'mcp.http', ${SETTINGS}::jsonb, 'test' from generate_series(1, 25) n`,
    toolset: () => sql(Nothing)`
      insert into toolsets (id, organization_id, slug, title, settings, origin)
      values (${`ts_${at}`}, ${ID}, ${`s${word}`}, 'T', ${SELECTION}, 'test')
      on conflict (id) do update set title = ${word}`,
    reslug: () => sql(Nothing)`update toolsets set slug = ${`s${word}`} where id = ${`ts_${at}`}`,
    untoolset: () => sql(Nothing)`delete from toolsets where id = ${`ts_${at}`}`,
    join: () => sql(Nothing)`
      insert into members (organization_id, user_id, role) values (${ID}, ${`usr_${at}`}, 'tenant_member') on conflict do nothing`,
    suspend: () => sql(Nothing)`update members set active = not active where user_id = ${`usr_${at}`}`,
    role: () => sql(Nothing)`update members set role = 'tenant_admin' where user_id = ${`usr_${at}`}`,
    leave: () => sql(Nothing)`delete from members where user_id = ${`usr_${at}`}`,
    group: async () => {
      await sql(Nothing)`
        insert into groups (organization_id, slug, title, origin) values (${ID}, ${`g${at}`}, 'G', 'test') on conflict do nothing`
      await sql(Nothing)`
        insert into group_members (organization_id, group_slug, user_id)
        select organization_id, ${`g${at}`}, user_id from members on conflict do nothing`
    },
    provide: () => sql(Nothing)`
      insert into group_members (organization_id, group_slug, user_id, source)
      select organization_id, group_slug, user_id, 'scim' from group_members where group_slug = ${`g${at}`} on conflict do nothing`,
    recall: () => sql(Nothing)`delete from group_members where group_slug = ${`g${at}`} and source = 'manual'`,
    ungroup: () => sql(Nothing)`delete from groups where slug = ${`g${at}`}`,
    rule: () => sql(Nothing)`
      insert into organization_rules (id, organization_id, scope, connection_id, name, words, origin, created_by)
      select ${`rul_${word}`}, organization_id, 'connection', id, ${`r${word}`},
             '{"match":{},"action":"deny","parameters":{},"reason":"no"}', 'test', 'test' from connections where id = ${id}`,
    unrule: () => sql(Nothing)`delete from organization_rules where connection_id = ${id}`,
  }
  await statements[kind]()
}

/** Of rows without an order of their own, the order counts for nothing. */
const comparable = ({ catalogs, states, version: _, ...ordered }: OrganizationRows) => ({
  ...ordered,
  catalogs: new Map(catalogs.map((row) => [row.connection_id, row])),
  states: new Map(states.map((row) => [`${row.connection_id} ${row.tool}`, row])),
})

test('after any changes, the rows that notices name make what the whole database says', async () => {
  await using held = await fixture()
  let rows = await read(held.db, 'all')
  const change = fc.record({ kind: fc.constantFrom(...KINDS), at: fc.nat(3) })
  const batches = fc.array(fc.array(change, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 4 })
  await fc.assert(
    fc.asyncProperty(batches, async (transactions) => {
      for (const changes of transactions)
        await held.db.system(async (sql) => {
          for (const one of changes) await run(sql, one)
        })
      const wanted = await held.heard()
      expect(wanted).not.toBe('all')
      rows = await read(held.db, wanted, rows)
      const whole = await read(held.db, 'all')
      expect(comparable(rows)).toEqual(comparable(whole))
      expect(rows.version).toBe(whole.version)
    }),
    { numRuns: runs(60) },
  )
})

/** The rows that were read, by their shape's statement. */
async function readCounted(db: Db, wanted: WantedRows, held: OrganizationRows) {
  let count = 0
  const rows = await db.organization(ID, (sql) => {
    const counted = ((shape: Parameters<OrgSql>[0]) =>
      async (...words: Parameters<ReturnType<OrgSql>>) => {
        const found = await sql(shape)(...words)
        count += found.length
        return found
      }) as unknown as OrgSql
    return readRows(counted, wanted, held)
  })
  return { rows, count }
}

test('a change of one connection among many reads its row and the row of its lists', async () => {
  await using held = await fixture()
  await held.db.system(async (sql) => {
    for (const kind of ['many', 'many', 'toolset', 'join', 'group', 'rule'] as const) await run(sql, { kind, at: 1 })
    for (const at of [0, 1, 2]) for (const kind of ['catalog', 'state', 'lock'] as const) await run(sql, { kind, at })
  })
  await held.heard()
  const before = await read(held.db, 'all')
  await held.db.system((sql) => run(sql, { kind: 'retitle', at: 1 }))
  const { rows, count } = await readCounted(held.db, await held.heard(), before)
  expect(count).toBe(2)
  expect(rows.connections).toHaveLength(53)
  expect(comparable(rows)).toEqual(comparable(await read(held.db, 'all')))
  expect(rows.version).toBe(before.version + 1)
})

/** Everything that the first organization has, in a second one, under other ids and the same names. */
async function copyTo(sql: Sql, id: string): Promise<void> {
  await sql(Nothing)`insert into organizations (id, slug, name, origin) values (${id}, 'copy', 'Copy', 'test')`
  await sql(Nothing)`
    insert into connections (id, organization_id, alias, title, connector, settings, origin)
    select ${id} || id, ${id}, alias, title || ' copied', connector, settings, origin
      from connections where organization_id = ${ID}`
  await sql(Nothing)`
    insert into catalogs (connection_id, organization_id, revision, tools, digest)
    select ${id} || connection_id, ${id}, revision, json_build_array(), 'copied' from catalogs where organization_id = ${ID}`
  await sql(Nothing)`
    insert into tool_locks (organization_id, connection_id, tool, held_hash, held, held_at)
    select ${id}, ${id} || connection_id, tool || ' copied', held_hash, held, held_at
      from tool_locks where organization_id = ${ID}`
  await sql(Nothing)`
    insert into tool_states (organization_id, connection_id, tool, enabled)
    select ${id}, ${id} || connection_id, tool, not enabled from tool_states where organization_id = ${ID}`
  await sql(Nothing)`
    insert into toolsets (id, organization_id, slug, title, settings, origin)
    select ${id} || id, ${id}, slug, 'copied', settings, origin from toolsets where organization_id = ${ID}`
  await sql(Nothing)`
    insert into members (organization_id, user_id, role) select ${id}, user_id, 'tenant_viewer' from members
     where organization_id = ${ID}`
  await sql(Nothing)`
    insert into groups (organization_id, slug, title, origin) select ${id}, 'c' || slug, title, origin from groups
     where organization_id = ${ID}`
  await sql(Nothing)`
    insert into group_members (organization_id, group_slug, user_id) select ${id}, 'c' || group_slug, user_id
      from group_members where organization_id = ${ID}`
  await sql(Nothing)`
    insert into organization_rules (id, organization_id, scope, connection_id, user_id, name, words, origin, created_by)
    select ${id} || id, ${id}, scope, ${id} || connection_id, user_id, name, words, origin, created_by
      from organization_rules where organization_id = ${ID}`
}

/** Two organizations of the same names, and one with nothing in it. */
async function street(db: Db): Promise<readonly string[]> {
  await db.system(async (sql) => {
    for (const kind of ['toolset', 'join', 'group', 'rule'] as const) await run(sql, { kind, at: 1 })
    for (const at of [0, 1, 2]) for (const kind of ['catalog', 'state', 'lock'] as const) await run(sql, { kind, at })
    await sql(Nothing)`
      insert into organization_rules (id, organization_id, scope, user_id, name, words, origin, created_by)
      values ('rul_member', ${ID}, 'member', 'usr_1', 'm',
              '{"match":{},"action":"deny","parameters":{},"reason":"no"}', 'test', 'test')`
    await copyTo(sql, 'org_2')
    await sql(Nothing)`insert into organizations (id, slug, name, origin) values ('org_3', 'three', 'Three', 'test')`
  })
  return [ID, 'org_2', 'org_3']
}

test('organizations that are read together have the rows that each reads for itself, and no others', async () => {
  await using held = await fixture()
  const ids = await street(held.db)
  const alone = new Map<string, OrganizationRows>()
  for (const id of ids) alone.set(id, await held.db.organization(id, (sql) => readRows(sql, 'all', undefined)))
  const together = await held.db.system((sql) => readAllOf(sql, ids, new Map()))
  expect([...together.keys()]).toEqual(ids)
  for (const id of ids) {
    const [one, other] = [together.get(id), alone.get(id)]
    expect(one && comparable(one)).toEqual(other && comparable(other))
    expect(one?.version).toBe(other?.version)
  }
  expect(together.get('org_2')?.rules.map(({ of }) => of)).toContain('1@example.com')
  expect((await held.db.system((sql) => readAllOf(sql, ['org_2'], new Map()))).size).toBe(1)
  // Lists that did not change are not read again.
  const again = await held.db.system((sql) => readAllOf(sql, ids, together))
  expect(again.get(ID)?.catalogs[0]?.tools).toBe(
    together.get(ID)?.catalogs.find((row) => row.connection_id === again.get(ID)?.catalogs[0]?.connection_id)?.tools,
  )
})

test('more organizations are read by no more statements', async () => {
  await using held = await fixture()
  const ids = await street(held.db)
  const statements = (of: readonly string[]) =>
    held.db.system(async (sql) => {
      let count = 0
      const counted = ((shape: Parameters<SystemSql>[0]) => {
        count++
        return sql(shape)
      }) as unknown as SystemSql
      await readAllOf(counted, of, new Map())
      return count
    })
  expect(await statements(ids)).toBe(await statements(ids.slice(0, 1)))
})
