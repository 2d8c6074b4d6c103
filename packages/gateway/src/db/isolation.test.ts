/** Tests that two organizations never meet in the database, with raw SQL, as faulty code would query it. */
import type { OrganizationId, RecordId } from '@toolway/contract'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { storeRecords } from '../records/records.ts'
import { describeEverywhere } from '../testing/database.ts'
import { testEntry } from '../testing/record-entry.ts'
import type { Db, SystemSql } from './db.ts'

const Count = z.object({ count: z.int() })
const Nothing = z.object({})
const Name = z.object({ name: z.string() })

/** One row in every table that belongs to an organization; all names are the same, only ids and slugs differ. */
async function addOrganization(sql: SystemSql, id: string): Promise<void> {
  await sql(Nothing)`insert into organizations (id, slug, name, origin) values (${id}, ${id}, 'Same', 'test')`
  await sql(
    Nothing,
  )`insert into keys (id, organization_id, name, hint, hash, origin) values (${`key_${id}`}, ${id}, 'k', 'abcd', ${Buffer.from(id)}, 'test')`
  await sql(Nothing)`insert into users (id, email, name) values (${`usr_${id}`}, ${`${id}@example.com`}, 'Same')`
  await sql(Nothing)`
    insert into members (organization_id, user_id, role) values (${id}, ${`usr_${id}`}, 'tenant_member')`
  await sql(Nothing)`insert into groups (organization_id, slug, title, origin) values (${id}, 'same', 'Same', 'test')`
  await sql(Nothing)`
    insert into group_members (organization_id, group_slug, user_id) values (${id}, 'same', ${`usr_${id}`})`
  await sql(Nothing)`
    insert into sign_ins (id, user_id, client, expires_at) values (${`fam_${id}`}, ${`usr_${id}`}, 'c', now())`
  await sql(Nothing)`
    insert into oauth_grants (id, organization_id, user_id, client_id, client_name, client_host, resource, effect_limit, epoch)
    values (${`fam_${id}`}, ${id}, ${`usr_${id}`}, 'c', 'Same', 'same.example', 'r', 'read', 0)`
  await sql(
    Nothing,
  )`insert into imports (id, organization_id, source, summary) values (${`imp_${id}`}, ${id}, 'file', '{}')`
  await sql(Nothing)`
    insert into connections (id, organization_id, alias, title, connector, settings, origin, import_id)
    values (${`con_${id}`}, ${id}, 'same', 'Same', 'mcp.http', '{}', 'test', ${`imp_${id}`})`
  await sql(Nothing)`insert into catalogs (connection_id, organization_id) values (${`con_${id}`}, ${id})`
  await sql(Nothing)`insert into catalog_looks (connection_id, organization_id) values (${`con_${id}`}, ${id})`
  await sql(
    Nothing,
  )`insert into toolsets (id, organization_id, slug, title, settings, origin) values (${`set_${id}`}, ${id}, 'same', 'Same', '{}', 'test')`
  await storeRecords(sql, [testEntry({ id: `rec_${id}` as RecordId, org_id: id as OrganizationId })])
  await sql(Nothing)`
    insert into tool_states (organization_id, connection_id, tool, enabled) values (${id}, ${`con_${id}`}, 'same', false)`
  await sql(Nothing)`
    insert into tool_locks (organization_id, connection_id, tool, accepted_hash) values (${id}, ${`con_${id}`}, 'same', ${'0'.repeat(64)})`
  await sql(Nothing)`
    insert into openapi_documents (organization_id, connection_id, packed, bytes, digest)
    values (${id}, ${`con_${id}`}, ${Buffer.alloc(1)}, 1, ${'0'.repeat(64)})`
  await sql(Nothing)`
    insert into spent_aliases (organization_id, alias, led_to) values (${id}, 'same', '{}')`
  await sql(Nothing)`
    insert into exposed_names (organization_id, connection_id, kind, original, name, plain)
    values (${id}, ${`con_${id}`}, 'tool', 'same', 'same', true)`
  await storeRecords(sql, [testEntry({ id: `rec_${id}` as RecordId, org_id: id as OrganizationId })])
  await sql(Nothing)`
    insert into record_checkpoints (organization_id, seq, hash, at, key_id, public_key, signature)
    values (${id}, 1, ${Buffer.alloc(32)}, now(), 'k', ${Buffer.alloc(44)}, ${Buffer.alloc(64)})`
  await sql(Nothing)`
    insert into sessions (hash, organization_id, owner, principal, revision, capabilities, opened_at, seen_at)
    values (${Buffer.from(id.padEnd(32))}, ${id}, ${id}, 'key:k', '2025-11-25', '{}', now(), now())`
  await sql(Nothing)`
    insert into stream_readers (organization_id, reader, session, stream, after, read_until)
    values (${id}, 'same', ${Buffer.from(id.padEnd(32))}, 'same', 0, now())`
  await sql(Nothing)`
    insert into stream_reader_events (organization_id, reader, at, sealed) values (${id}, 'same', 1, 'same')`
  await sql(Nothing)`
    insert into oauth_apps (id, organization_id, provider, client_id) values (${`app_${id}`}, ${id}, 'same', 'same')`
  await sql(Nothing)`
    insert into credentials (id, organization_id, provider, connection_id, user_id, sealed_access_token)
    values (${`crd_${id}`}, ${id}, 'same', ${`con_${id}`}, ${`usr_${id}`}, 'same')`
  await sql(Nothing)`
    insert into oauth_flows (id, organization_id, provider, begun_by, state_hash, browser_hash, sealed_verifier, client_id,
                             authority, redirect_uri, expires_at)
    values (${`flw_${id}`}, ${id}, 'same', 'same', ${Buffer.from(id.padEnd(32))}, ${Buffer.alloc(32)}, 'same', 'same', '{}',
            'https://same.example', now())`
  await sql(Nothing)`
    insert into clients_seen (organization_id, principal, client, version, revision, seen_at)
    values (${id}, 'same', 'same', '1', '2025-11-25', now())`
  await sql(Nothing)`insert into alerts (id, organization_id, kind) values (${`alr_${id}`}, ${id}, 'tool.held')`
  await sql(Nothing)`
    insert into webhooks (id, organization_id, url, events, sealed_secret)
    values (${`whk_${id}`}, ${id}, 'https://same.example', array['alert'], 'same')`
  await sql(Nothing)`
    insert into identity_providers (organization_id, id, slug, title, settings, origin)
    values (${id}, ${`idp_${id}`}, 'same', 'same', '{}', 'test')`
  await sql(Nothing)`
    insert into identity_links (organization_id, provider_id, subject, user_id)
    values (${id}, ${`idp_${id}`}, 'same', ${`usr_${id}`})`
  await sql(Nothing)`
    insert into identity_domains (organization_id, domain, challenge) values (${id}, 'same.example', 'same')`
  await sql(Nothing)`
    insert into record_streams (organization_id, id, name, destination, sealed_secrets)
    values (${id}, ${`str_${id}`}, 'same', '{}', 'same')`
  await sql(Nothing)`
    insert into record_stream_cursors (organization_id, stream_id) values (${id}, ${`str_${id}`})`
  await sql(Nothing)`
    insert into record_stream_alerts (organization_id, stream_id, alert_id) values (${id}, ${`str_${id}`}, ${`alr_${id}`})`
  await sql(Nothing)`
    insert into webhook_deliveries (id, organization_id, webhook_id, about, payload)
    values (${`msg_${id}`}, ${id}, ${`whk_${id}`}, 'same', '{}')`
  await sql(Nothing)`
    insert into organization_rules (id, organization_id, scope, connection_id, name, words, origin, created_by)
    values (${`rul_${id}`}, ${id}, 'connection', ${`con_${id}`}, 'same', '{}', 'test', 'test')`
  await sql(Nothing)`
    insert into approvals (id, organization_id, connection_id, tool, effect, digest, principal, caller, rules, sealed_arguments, expires_at)
    values (${`apr_${id}`}, ${id}, ${`con_${id}`}, 'same', 'write', ${'0'.repeat(64)}, 'same', 'same', '[]', 'same', now())`
  await sql(Nothing)`
    insert into approval_answers (organization_id, approval_id, answered_by, verdict, way)
    values (${id}, ${`apr_${id}`}, 'same', 'grant', 'page')`
  await sql(Nothing)`
    insert into approval_messages (organization_id, webhook_id, message_id) values (${id}, ${`whk_${id}`}, 'same')`
  await sql(Nothing)`
    insert into lasting_grants (id, organization_id, connection_id, tool, effect, digest, tool_hash, principal, caller, rules, granted_by,
                                approval_id)
    values (${`lgr_${id}`}, ${id}, ${`con_${id}`}, 'same', 'write', ${'0'.repeat(64)}, ${'0'.repeat(64)}, 'same', 'same', '[]', 'same',
            'same')`
  await sql(Nothing)`
    insert into kept_results (id, organization_id, principal, owner, mime, bytes, sealed, expires_at)
    values (${`res_${id}`}, ${id}, 'same', 'same', 'text/plain', 1, 'same', now())`
  await sql(Nothing)`
    insert into record_payloads (id, organization_id, connection, at, sealed)
    values (${`rec_${id}`}, ${id}, 'same', now(), 'same')`
  await sql(Nothing)`
    insert into scim_tokens (organization_id, id, name, hash, hint, expires_at)
    values (${id}, ${`sct_${id}`}, 'same', ${Buffer.from(id.padEnd(32))}, 'same', now())`
  await sql(Nothing)`
    insert into scim_people (organization_id, user_id, user_name) values (${id}, ${`usr_${id}`}, 'same')`
  await sql(Nothing)`
    insert into scim_emails (organization_id, address, user_id) values (${id}, 'same@example.com', ${`usr_${id}`})`
  await sql(Nothing)`
    insert into scim_groups (organization_id, id, slug, display_name) values (${id}, ${`scg_${id}`}, 'same', 'same')`
  await sql(Nothing)`
    insert into leavers (organization_id, user_id, email, name, suspended) values (${id}, ${`usr_${id}`}, 'same', 'same', true)`
  await sql(Nothing)`select from count_usage(${id}, 10)`
  // One row of those that count its call.
  await sql(Nothing)`delete from usage_hours where organization_id = ${id} and by <> 'tool'`
  await sql(Nothing)`delete from usage_sums where organization_id = ${id} and by <> 'connection'`
  await sql(Nothing)`insert into usage_stale (organization_id, day) values (${id}, '2026-11-01')`
  await sql(Nothing)`
    insert into agent_models (organization_id, provider, url, model) values (${id}, 'openai', 'same', 'same')`
  await sql(Nothing)`
    insert into files (id, organization_id, owner, name, media_type, reserved, origin, storage_key, sealed_key, expires_at)
    values (${`file_${id}`}, ${id}, 'same', 'same', 'text/plain', 0, 'upload', ${`key_${id}`}, 'same', now())`
  await sql(Nothing)`
    insert into file_links (hash, organization_id, file_id, kind, made_by, expires_at)
    values (${Buffer.from(id.padEnd(32))}, ${id}, ${`file_${id}`}, 'upload', 'same', now())`
}

const addTwo = (db: Db) =>
  db.system(async (sql) => {
    await addOrganization(sql, 'alpha')
    await addOrganization(sql, 'beta')
  })

/** Asked of the database, so that a table somebody adds tomorrow is in the test too. */
const boundTables = (db: Db) =>
  db.system(
    (sql) => sql(Name)`
    select c.relname::text as name
      from pg_class c
     where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = 'public'::regnamespace
       and (c.relname = 'organizations'
            or exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'organization_id'))
     order by 1`,
  )

describeEverywhere('two organizations', (createDatabase) => {
  test('S0-ARC-02: with an organization set, a raw select on every table shows its rows and none of the other', async () => {
    await using database = await createDatabase()
    await addTwo(database.db)
    const tables = await boundTables(database.db)
    expect(tables.map(({ name }) => name)).toEqual([
      'agent_models',
      'alerts',
      'approval_answers',
      'approval_messages',
      'approvals',
      'catalog_looks',
      'catalogs',
      'clients_seen',
      'connections',
      'credentials',
      'exposed_names',
      'file_links',
      'files',
      'group_members',
      'groups',
      'identity_domains',
      'identity_links',
      'identity_providers',
      'imports',
      'kept_results',
      'keys',
      'lasting_grants',
      'leavers',
      'members',
      'oauth_apps',
      'oauth_flows',
      'oauth_grants',
      'openapi_documents',
      'organization_rules',
      'organization_versions',
      'organizations',
      'record_chains',
      'record_checkpoints',
      'record_payloads',
      'record_stream_alerts',
      'record_stream_cursors',
      'record_streams',
      'records',
      'scim_emails',
      'scim_groups',
      'scim_people',
      'scim_tokens',
      'sessions',
      'spent_aliases',
      'stream_reader_events',
      'stream_readers',
      'tool_locks',
      'tool_states',
      'toolsets',
      'usage_counted',
      'usage_days',
      'usage_hours',
      'usage_stale',
      'usage_sums',
      'usage_totals',
      'webhook_deliveries',
      'webhooks',
    ])
    for (const { name } of tables) {
      const select = Object.assign([`select to_jsonb(t)::text as name from ${name} t`], { raw: [] })
      const all = await database.db.system((sql) => sql(Name)(select))
      const own = await database.db.organization('alpha', (sql) => sql(Name)(select))
      expect(all, name).toHaveLength(2)
      expect(own, name).toHaveLength(1)
      expect(own[0]?.name, name).toContain('alpha')
      expect(own[0]?.name, name).not.toContain('beta')
    }
  })

  test('every table that belongs to an organization has row-level security, enabled and forced', async () => {
    await using database = await createDatabase()
    const open = await database.db.system(
      (sql) => sql(Name)`
      select relname::text as name from pg_class
       where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace and not (relrowsecurity and relforcerowsecurity)
       order by 1`,
    )
    expect(open.map(({ name }) => name)).toEqual(['installation', 'migrations'])
  })

  test('an organization sees of its members what names them, of others nothing, and of nobody the password', async () => {
    await using database = await createDatabase()
    const { db } = database
    await addTwo(db)
    const seen = await db.organization('alpha', (sql) => sql(z.object({ email: z.string() }))`select email from users`)
    expect(seen).toEqual([{ email: 'alpha@example.com' }])
    for (const text of [
      'select password as name from users',
      `update users set name = 'x'`,
      'select id from sign_ins',
      'select hash from refresh_tokens',
      'select id from rules',
      'select hash from kept_answers',
      'update organizations set active = true',
    ]) {
      const asked = db.organization('alpha', (sql) => sql(Nothing)(Object.assign([text], { raw: [] })))
      await expect(asked, text).rejects.toMatchObject({ code: '42501' })
    }
  })

  test('no organization set means no row in any table', async () => {
    await using database = await createDatabase()
    await addTwo(database.db)
    for (const { name } of await boundTables(database.db)) {
      const select = Object.assign([`select count(*)::int as count from ${name}`], { raw: [] })
      for (const setting of [null, '']) {
        const [seen] = await database.db.system(async (sql) => {
          await sql(Nothing)`set local role toolway_organization`
          if (setting !== null)
            await sql(z.object({ set_config: z.string() }))`select set_config('app.organization', ${setting}, true)`
          return sql(Count)(select)
        })
        expect(seen?.count, name).toBe(0)
      }
    }
  })

  test('a write for the other organization is refused, and one on its rows touches none', async () => {
    await using database = await createDatabase()
    const { db } = database
    await addTwo(db)
    const insert = db.organization(
      'alpha',
      (sql) => sql(Nothing)`
      insert into toolsets (id, organization_id, slug, title, settings, origin) values ('set_x', 'beta', 'x', 'X', '{}', 'test')`,
    )
    await expect(insert).rejects.toMatchObject({ code: '42501' })
    const give = db.organization(
      'alpha',
      (sql) => sql(Nothing)`update toolsets set organization_id = 'beta', slug = 'y'`,
    )
    await expect(give).rejects.toMatchObject({ code: '42501' })
    const touched = await db.organization(
      'alpha',
      (sql) => sql(z.object({ id: z.string() }))`
      delete from toolsets where organization_id = 'beta' returning id`,
    )
    expect(touched).toEqual([])
  })

  test('a row cannot refer to a row of the other organization', async () => {
    await using database = await createDatabase()
    await addTwo(database.db)
    const borrow = database.db.organization(
      'alpha',
      (sql) => sql(Nothing)`update connections set import_id = 'imp_beta'`,
    )
    await expect(borrow).rejects.toMatchObject({ code: '23503' })
    const plant = database.db.organization('alpha', async (sql) => {
      await sql(Nothing)`delete from catalogs`
      await sql(Nothing)`insert into catalogs (connection_id, organization_id) values ('con_beta', 'alpha')`
    })
    await expect(plant).rejects.toMatchObject({ code: '23505' }) // beta's own catalog has that name already
    await database.db.system((sql) => sql(Nothing)`delete from catalogs`)
    const again = database.db.organization(
      'alpha',
      (sql) => sql(Nothing)`
      insert into catalogs (connection_id, organization_id) values ('con_beta', 'alpha')`,
    )
    await expect(again).rejects.toMatchObject({ code: '23503' })
  })

  test('an organization reaches nothing of the installation and can neither make nor remove organizations', async () => {
    await using database = await createDatabase()
    await addTwo(database.db)
    const asAlpha = (text: string) =>
      database.db.organization('alpha', (sql) => sql(Nothing)(Object.assign([text], { raw: [] })))
    for (const text of [
      'select name from installation',
      'select name from migrations',
      'delete from organizations',
      `update organizations set slug = 'gamma'`,
      `insert into organizations (id, slug, name, origin) values ('alpha', 'gamma', 'G', 'test')`,
      'insert into records select * from records',
      'update record_chains set seq = 0',
      'delete from record_checkpoints',
      `select redact_record('alpha', 'rec_alpha', '{}', 'x', 'rec_x', now(), 'p', null, 'user', 'c', null, null)`,
      `select prune_records('alpha', now(), 'rec_x', now(), 'p', null, 'user', 'c', null, null)`,
      'truncate keys',
      'select tokens from limit_buckets',
      'delete from limit_buckets',
      `select taken from take_tokens('{}', '{}', '{}', '{}', '{}', '{}')`,
    ]) {
      await expect(asAlpha(text), text).rejects.toMatchObject({ code: '42501' })
    }
    await asAlpha(`update organizations set name = 'New'`)
    const names = await database.db.system((sql) => sql(Name)`select name from organizations order by id`)
    expect(names.map(({ name }) => name)).toEqual(['New', 'Same'])
  })

  test('records are never changed, removed or put in by hand, not even by the owner', async () => {
    await using database = await createDatabase()
    await addTwo(database.db)
    const change = database.db.organization('alpha', (sql) => sql(Nothing)`update records set outcome = 'failed'`)
    await expect(change).rejects.toMatchObject({ code: '42501' })
    const remove = database.db.organization('alpha', (sql) => sql(Nothing)`delete from records`)
    await expect(remove).rejects.toMatchObject({ code: '42501' })
    const force = database.db.system((sql) => sql(Nothing)`update records set outcome = 'failed'`)
    await expect(force).rejects.toThrow('records are never changed by hand')
    // A record outlives what it speaks of, its organization too.
    await database.db.system((sql) => sql(Nothing)`delete from organizations where id = 'alpha'`)
    const kept = await database.db.system(
      (sql) => sql(Count)`select count(*)::int as count from records where organization_id = 'alpha'`,
    )
    expect(kept[0]?.count).toBeGreaterThan(0)
    for (const text of [
      'delete from records',
      'truncate records',
      `insert into records select * from records`,
      `update record_chains set seq = 7`,
      'delete from record_chains',
      `update record_checkpoints set at = now()`,
      'delete from record_checkpoints',
    ]) {
      const force = database.db.system((sql) => sql(Nothing)(Object.assign([text], { raw: [] })))
      await expect(force, text).rejects.toThrow('by hand')
    }
    const left = await database.db.system((sql) => sql(Count)`select count(*)::int as count from connections`)
    expect(left).toEqual([{ count: 1 }])
  })
})
