/**
 * Describes the database after all migrations: one text, the same for the same schema, read from the catalogs (pg_dump does not
 * come with the embedded server). It is for readers and for the test that keeps `schema.sql` current; no program runs it.
 *
 * `node packages/gateway/src/db/schema.ts` writes schema.sql again.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { startEmbeddedPostgres } from './embedded-postgres.ts'
import { migrate } from './migrate.ts'

export const schemaFile = fileURLToPath(new URL('schema.sql', import.meta.url))

const heading = `-- The shape of the database after all migrations. Generated: node packages/gateway/src/db/schema.ts
-- Read it, do not run it. The role that connects and owns everything is written as owner.
`

/** Every line of one kind of thing, in an order that depends on names only. Each query answers rows of one text column. */
const parts: readonly { title: string; query: string }[] = [
  {
    title: 'Tables',
    query: `
      select format(E'create %stable %I (\\n%s\\n);', case when c.relpersistence = 'u' then 'unlogged ' end, c.relname, string_agg(
               format('  %I %s%s%s', a.attname, format_type(a.atttypid, a.atttypmod),
                      case when a.attnotnull then ' not null' else '' end,
                      ' default ' || pg_get_expr(d.adbin, d.adrelid)), E',\\n' order by a.attnum)) as line
        from pg_class c
        join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
        left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
       where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = 'public'::regnamespace
       group by c.relname, c.relpersistence order by c.relname`,
  },
  {
    title: 'Constraints',
    query: `
      select format('alter table %I add constraint %I %s;', c.relname, k.conname, pg_get_constraintdef(k.oid)) as line
        from pg_constraint k join pg_class c on c.oid = k.conrelid
       where c.relnamespace = 'public'::regnamespace and not c.relispartition and k.contype in ('p', 'u', 'f', 'c', 'x')
       order by c.relname, k.contype = 'f', k.conname`,
  },
  {
    title: 'Indexes that no constraint makes',
    query: `
      select pg_get_indexdef(i.indexrelid) || ';' as line
        from pg_index i join pg_class c on c.oid = i.indexrelid
       where c.relnamespace = 'public'::regnamespace and not c.relispartition
         and not exists (select from pg_class t where t.oid = i.indrelid and t.relispartition)
         and not exists (select from pg_constraint k where k.conindid = i.indexrelid and k.contype in ('p', 'u', 'x'))
       order by c.relname`,
  },
  {
    title: 'Row-level security',
    query: `
      select format('alter table %I enable row level security%s;', relname,
                    case when relforcerowsecurity then ', force row level security' else '' end) as line
        from pg_class where relrowsecurity and not relispartition and relnamespace = 'public'::regnamespace order by relname`,
  },
  {
    title: 'Policies',
    query: `
      select format(E'create policy %I on %I as %s for %s to %s%s%s;', p.policyname, p.tablename, lower(p.permissive), lower(p.cmd),
                    (select string_agg(case when r = c.relowner::regrole::name then 'owner' else r::text end, ', ' order by r)
                       from unnest(p.roles) r),
                    E'\\n  using (' || p.qual || ')', E'\\n  with check (' || p.with_check || ')') as line
        from pg_policies p join pg_class c on c.relname = p.tablename and c.relnamespace = p.schemaname::regnamespace
       where p.schemaname = 'public' and not c.relispartition order by p.tablename, p.policyname`,
  },
  {
    title: 'Functions',
    query: `
      select pg_get_functiondef(p.oid) || ';' as line
        from pg_proc p where p.pronamespace = 'public'::regnamespace and p.prokind = 'f' order by p.proname`,
  },
  {
    title: 'Aggregates',
    query: `
      select format('create aggregate %I (%s) (sfunc = %s, stype = %s);', p.proname, pg_get_function_arguments(p.oid),
                    a.aggtransfn, format_type(a.aggtranstype, null)) as line
        from pg_proc p join pg_aggregate a on a.aggfnoid = p.oid
       where p.pronamespace = 'public'::regnamespace order by p.proname`,
  },
  {
    title: 'Triggers',
    query: `
      select pg_get_triggerdef(t.oid) || ';' as line
        from pg_trigger t join pg_class c on c.oid = t.tgrelid
       where not t.tgisinternal and not c.relispartition and c.relnamespace = 'public'::regnamespace order by c.relname, t.tgname`,
  },
  {
    title: 'Grants',
    query: `
      with given as (
        select c.relname, null::name as attname, g.grantee, g.privilege_type, c.relowner
          from pg_class c, aclexplode(c.relacl) g where c.relnamespace = 'public'::regnamespace and not c.relispartition
         union all
        select c.relname, a.attname, g.grantee, g.privilege_type, c.relowner
          from pg_class c join pg_attribute a on a.attrelid = c.oid, aclexplode(a.attacl) g
         where c.relnamespace = 'public'::regnamespace)
      select format('grant %s on %I to %s;',
                    string_agg(lower(privilege_type) || coalesce(' (' || quote_ident(attname) || ')', ''), ', ' order by privilege_type, attname),
                    relname, case grantee when 0 then 'public' else grantee::regrole::text end) as line
        from given where grantee <> relowner
       group by relname, grantee order by relname, grantee::regrole::text`,
  },
]

// Partitions are left out: their names are those of the months in which the database was made.
export async function describeSchema(connection: pg.ClientConfig): Promise<string> {
  const client = new pg.Client(connection)
  await client.connect()
  try {
    let text = heading
    for (const { title, query } of parts) {
      const { rows } = await client.query<{ line: string }>(query)
      text += `\n-- ${title}\n\n${rows.map(({ line }) => line).join('\n')}\n`
    }
    return text
  } finally {
    await client.end()
  }
}

async function writeSchema(): Promise<void> {
  const directory = await mkdtemp(path.join(os.tmpdir(), 'toolway-schema-'))
  const server = await startEmbeddedPostgres({ directory })
  try {
    await migrate(server.connection)
    await writeFile(schemaFile, await describeSchema(server.connection))
  } finally {
    await server.stop()
    await rm(directory, { recursive: true })
  }
}

if (import.meta.main) await writeSchema()
