/**
 * Tests that the entities of the control plane are stored with every specified field (ledger S3-DATA-01; connectors.md, section
 * 9). Checked against the schema itself: each specified field, and the column that stores it here.
 */
import { expect, test } from 'vitest'
import { z } from 'zod'
import { describeEachPostgres } from '../testing/database.ts'

const timestamps = { created_at: 'created_at', updated_at: 'updated_at' }

/** Drawn name → `table.column`; a column without a table is the entity's own. */
const ENTITIES: Readonly<Record<string, { table: string; fields: Readonly<Record<string, string>> }>> = {
  tenant: {
    table: 'organizations',
    fields: {
      id: 'id',
      slug: 'slug',
      name: 'name',
      description: 'description',
      is_active: 'active',
      contact_email: 'contact_email',
      settings: 'settings',
      ...timestamps,
    },
  },
  connector: {
    table: 'connections',
    fields: {
      id: 'id',
      tenant_id: 'organization_id',
      connector_type: 'connector',
      name: 'title',
      description: 'description',
      is_enabled: 'enabled',
      configuration: 'settings',
      'configuration, encrypted': 'sealed',
      ...timestamps,
    },
  },
  'tool state': {
    table: 'tool_states',
    fields: { connector_id: 'connection_id', tool_name: 'tool', is_enabled: 'enabled' },
  },
  'oauth credential': {
    table: 'credentials',
    fields: {
      id: 'id',
      tenant_id: 'organization_id',
      provider: 'provider',
      provider_user_id: 'provider_user_id',
      provider_username: 'provider_username',
      access_token: 'sealed_access_token',
      refresh_token: 'sealed_refresh_token',
      token_type: 'token_type',
      expires_at: 'expires_at',
      scopes: 'scopes',
      provider_data: 'provider_data',
      is_active: 'active',
      ...timestamps,
    },
  },
  'oauth config': {
    table: 'oauth_apps',
    fields: {
      id: 'id',
      tenant_id: 'organization_id',
      provider: 'provider',
      client_id: 'client_id',
      client_secret: 'sealed',
      is_active: 'active',
      ...timestamps,
    },
  },
  user: {
    table: 'users',
    fields: {
      id: 'id',
      email: 'email',
      display_name: 'name',
      password_hash: 'password',
      auth_provider: 'provider',
      provider_user_id: 'provider_subject',
      is_active: 'active',
      ...timestamps,
    },
  },
  'refresh token': {
    table: 'refresh_tokens',
    fields: {
      user_id: 'sign_ins.user_id',
      token_hash: 'hash',
      expires_at: 'expires_at',
      revoked: 'sign_ins.ended_at',
      created_at: 'issued_at',
    },
  },
  membership: {
    table: 'members',
    fields: { user_id: 'user_id', tenant_id: 'organization_id', role: 'role', ...timestamps },
  },
  'api key': {
    table: 'keys',
    fields: {
      id: 'id',
      name: 'name',
      key_prefix: 'prefix',
      key_hash: 'hash',
      scope: 'role',
      tenant_id: 'organization_id',
      expires_at: 'expires_at',
      // A key that is not active is removed.
      is_active: 'id',
      created_at: 'created_at',
    },
  },
  'audit log': {
    table: 'records',
    fields: {
      id: 'id',
      timestamp: 'at',
      actor_id: 'principal',
      actor_type: 'actor_type',
      action: 'method',
      resource_type: 'resource_type',
      resource_id: 'resource_id',
      tenant_id: 'organization_id',
      details: 'detail',
      ip_address: 'ip_address',
      user_agent: 'user_agent',
    },
  },
  'global tool policy': {
    table: 'rules',
    fields: {
      id: 'id',
      tool_name_pattern: 'match',
      action: 'action',
      reason: 'reason',
      created_by: 'created_by',
      connector_type: 'match',
      is_active: 'state',
      ...timestamps,
    },
  },
}

const Column = z.object({ name: z.string() })

describeEachPostgres('the schema', (createDatabase) => {
  test('S3-DATA-01: keeps the eleven entities with the fields that were drawn', async () => {
    await using database = await createDatabase()
    const columns = await database.db.system(
      (sql) => sql(Column)`
      select table_name || '.' || column_name as name from information_schema.columns where table_schema = 'public'`,
    )
    const there = new Set(columns.map(({ name }) => name))
    const wanted = Object.values(ENTITIES).flatMap(({ table, fields }) =>
      Object.values(fields).map((field) => (field.includes('.') ? field : `${table}.${field}`)),
    )
    expect(Object.keys(ENTITIES)).toHaveLength(11)
    expect([...new Set(wanted)].filter((field) => !there.has(field))).toEqual([])
  })

  test('S3-DATA-02: ties every row of an organization to it by a foreign key that names the organization', async () => {
    await using database = await createDatabase()
    const Row = z.object({ source: z.string(), target: z.string(), columns: z.array(z.string()) })
    const references = await database.db.system(
      (sql) => sql(Row)`
      select conrelid::regclass::text as source, confrelid::regclass::text as target,
             array(select attname::text from pg_attribute where attrelid = conrelid and attnum = any (conkey)) as columns
        from pg_constraint where contype = 'f' and connamespace = 'public'::regnamespace`,
    )
    const bound = await database.db.system(
      (sql) => sql(Column)`
      select distinct table_name::text as name from information_schema.columns
       where table_schema = 'public' and column_name = 'organization_id' order by 1`,
    )
    const tables = bound.map(({ name }) => name)
    expect(tables.length).toBeGreaterThan(8)
    // Records outlive what they speak of, their organization too, and so does what proves and counts them. Identity providers may be of the
    // installation, and go with their organization by a trigger.
    for (const table of tables.filter((name) => !/^(?:record|usage_|identity_(?:links|providers)$)/.test(name))) {
      const own = references.filter(({ source }) => source === table)
      expect(
        own.map(({ target }) => target),
        table,
      ).toContain('organizations')
      // From one row of an organization to another both sides name it, so that no row points at a stranger's.
      for (const { target, columns } of own)
        if (tables.includes(target)) expect(columns, `${table} to ${target}`).toContain('organization_id')
    }
  })
})
