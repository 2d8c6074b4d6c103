/**
 * The organization leads: each table of an organization has a unique key that begins with it, and so does each of its indexes, but for
 * those that are listed here with their reason. A table that somebody adds tomorrow is in the test too.
 */
import { expect, test } from 'vitest'
import { z } from 'zod'
import { describeEachPostgres } from '../testing/database.ts'
import type { Db } from './db.ts'

/** Tables of the installation, which a distributed PostgreSQL holds on every node (reference tables) or on one. */
const GLOBAL: Readonly<Record<string, string>> = {
  agent_runs: 'one row for each run of an agent that goes on, counted over all organizations',
  authenticator_apps: 'of accounts, which are in several organizations',
  change_relay: 'one row: who moves changes to the stream',
  changes: 'a queue of the installation that is empty most of the time',
  gateways: 'one row for each gateway that runs',
  file_removals: 'content that is to be removed, of organizations that are gone, too',
  installation: 'facts about the installation',
  kept_answers: 'answers by Idempotency-Key, found before the organization is known',
  limit_buckets: 'buckets of limits, of addresses and organizations, found by a hash',
  oauth_clients: 'clients of the authorization server, which serve people of several organizations',
  oauth_tokens: 'found by the hash of the token, before the organization is known',
  organizations: 'the organizations themselves: their id is the key',
  passkeys: 'of accounts, which are in several organizations',
  password_codes: 'of accounts, which are in several organizations',
  recovery_codes: 'of accounts, which are in several organizations',
  refresh_tokens: 'of accounts',
  rules: 'rules of the platform, which count in every organization',
  sign_ins: 'of accounts',
  spent_states: 'found by hash, before the organization is known',
  users: 'accounts, which are in several organizations',
  vault_secrets: 'secrets of the installation',
}

const BY_ID = 'the id is random and unique by itself; the same key with the organization before it is unique too'
const BEFORE = 'it is looked for before its organization is known: by the hash of what the caller presents'
const JOB = 'a job of the installation finds what is due in every organization by time alone'
const LOOK = 'a look at a server, and a start, name connections, whose ids are random, and no organization'
const ACCOUNT = 'an account is looked for in every organization that it is in'

/** Indexes of tables of an organization that do not begin with it. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  alerts_pkey: BY_ID,
  approvals_pkey: BY_ID,
  catalog_looks_pkey: BY_ID,
  catalogs_pkey: BY_ID,
  connections_pkey: BY_ID,
  credentials_pkey: BY_ID,
  file_links_pkey: BEFORE,
  files_pkey: BY_ID,
  identity_providers_pkey: BY_ID,
  imports_pkey: BY_ID,
  kept_results_pkey: BY_ID,
  keys_pkey: BY_ID,
  lasting_grants_pkey: BY_ID,
  oauth_apps_pkey: BY_ID,
  oauth_flows_pkey: BY_ID,
  oauth_grants_pkey: BY_ID,
  organization_rules_pkey: BY_ID,
  record_payloads_pkey: BY_ID,
  record_streams_pkey: BY_ID,
  sessions_pkey: BEFORE,
  toolsets_pkey: BY_ID,
  webhook_deliveries_pkey: BY_ID,
  webhooks_pkey: BY_ID,
  keys_hash_key: BEFORE,
  keys_of_platform: 'keys of the platform, which have no organization',
  keys_slow_prefix: BEFORE,
  oauth_flows_state_hash_key: BEFORE,
  files_storage_key_key: 'content in the store is found by its name there, to remove what no row names',
  webhook_deliveries_webhook_id_about_key: 'ids of webhooks are random, so the pair is unique in its organization',
  records_by_correlation: 'an administrator of the platform looks for one request in every organization',
  records_span: 'a summary of block ranges by time, of a few kilobytes',
  exposed_names_connection: LOOK,
  tool_locks_connection: LOOK,
  tool_states_connection: LOOK,
  approval_messages_age: JOB,
  approvals_due: JOB,
  clients_seen_age: JOB,
  credentials_renewal: JOB,
  file_links_expiry: JOB,
  files_expiry: JOB,
  kept_results_expiry: JOB,
  lasting_grants_age: JOB,
  oauth_flows_age: JOB,
  record_payloads_age: JOB,
  record_streams_due: JOB,
  sessions_seen: JOB,
  webhook_deliveries_age: JOB,
  webhook_deliveries_due: JOB,
  identity_domains_proven: 'a domain is proven for one organization at a time',
  identity_links_user: ACCOUNT,
  members_user: ACCOUNT,
  oauth_grants_client: ACCOUNT,
  oauth_grants_user: ACCOUNT,
  record_stream_alerts_alert: 'the reference to an alert, which goes with it',
}
/** Partitioned tables: each partition has the unique index (organization_id, seq), the whole can have none without the time. */
const BY_MONTH: ReadonlySet<string> = new Set(['records'])

const Table = z.object({ name: z.string(), bound: z.boolean() })
const tablesOf = (db: Db) =>
  db.system(
    (sql) => sql(Table)`
    select c.relname::text as name,
           exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'organization_id') as bound
      from pg_class c
     where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = 'public'::regnamespace
       and c.relname <> 'migrations' and c.relname <> 'schema_migrations' order by 1`,
  )

const Index = z.object({
  name: z.string(),
  of: z.string(),
  primary: z.boolean(),
  unique: z.boolean(),
  columns: z.array(z.string()),
})
const indexesOf = (db: Db) =>
  db.system(
    (sql) => sql(Index)`
    select i.relname::text as name, c.relname::text as of, x.indisprimary as primary,
           x.indisunique and x.indpred is null as unique,
           array(select coalesce(a.attname::text, '') from unnest(x.indkey::int2[]) with ordinality as k (number, place)
                   left join pg_attribute a on a.attrelid = c.oid and a.attnum = k.number and k.number > 0
                  order by k.place) as columns
      from pg_index x join pg_class i on i.oid = x.indexrelid join pg_class c on c.oid = x.indrelid
     where c.relnamespace = 'public'::regnamespace and not c.relispartition
       and exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'organization_id')
     order by 1`,
  )

describeEachPostgres('the organization leads', (createDatabase) => {
  test('every table is of an organization, or is listed as one of the installation', async () => {
    await using database = await createDatabase()
    const others = (await tablesOf(database.db)).filter(({ bound }) => !bound).map(({ name }) => name)
    expect(others).toEqual(Object.keys(GLOBAL).toSorted())
  })

  test('every index of a table of an organization begins with it, or is listed with a reason', async () => {
    await using database = await createDatabase()
    const others = (await indexesOf(database.db)).filter(({ columns }) => columns[0] !== 'organization_id')
    expect(others.map(({ name }) => name).toSorted()).toEqual(Object.keys(EXCEPTIONS).toSorted())
  })

  test('where a primary key does not begin with the organization, the same key with it before is unique', async () => {
    await using database = await createDatabase()
    const indexes = await indexesOf(database.db)
    const missing = indexes
      .filter(({ primary, columns }) => primary && columns[0] !== 'organization_id')
      .filter(
        ({ of, columns }) =>
          !indexes.some(
            (one) => one.of === of && one.unique && one.columns.join() === ['organization_id', ...columns].join(),
          ),
      )
    expect(missing.map(({ of }) => of)).toEqual([])
    const tables = (await tablesOf(database.db)).filter(({ bound, name }) => bound && !BY_MONTH.has(name))
    const unled = tables.filter(
      ({ name }) =>
        !indexes.some(({ of, unique, columns }) => of === name && unique && columns[0] === 'organization_id'),
    )
    expect(unled.map(({ name }) => name)).toEqual([])
  })
})
