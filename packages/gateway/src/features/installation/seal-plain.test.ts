import { ConnectionSecrets, newId, type ConnectionId } from '@toolway/contract'
import { expect, test } from 'vitest'
import { z } from 'zod'
import type { Db } from '../../db/db.ts'
import { describeEachPostgres } from '../../testing/database.ts'
import { addTestOrganization } from '../../testing/organization.ts'
import { countSealed } from '../../vault/count-sealed.ts'
import { SEALED_COLUMNS, withNames } from '../../vault/sealed-columns.ts'
import { createVault } from '../../vault/vault.ts'
import { sealPlain, type SealPlainParts } from './seal-plain.ts'

const vault = createVault(Buffer.alloc(32, 6))
const SECRET = 'plain-s3cret-value'
const Nothing = z.object({})

const partsOf = (db: Db): SealPlainParts => ({ db, vault })

/** A row in every table that has a sealed column, each value as it came from somewhere that did not seal. */
async function addPlainRows(db: Db, organizationId: string, value: string): Promise<void> {
  const plain = Buffer.from(value)
  const connection = newId('con')
  await db.system(async (sql) => {
    await sql(Nothing)`
      insert into connections (id, organization_id, alias, title, connector, settings, sealed, origin)
      values (${connection}, ${organizationId}, 'raw', 'Raw', 'mcp.http', '{"connector":"mcp.http","url":"https://example.com/"}',
              ${plain}, 'test')`
    await sql(Nothing)`
      insert into keys (id, organization_id, name, hint, hash, sealed, origin)
      values (${newId('key')}, ${organizationId}, 'k', 'abcd', ${Buffer.from('hash')}, ${plain}, 'test')`
    await sql(Nothing)`
      insert into oauth_apps (id, organization_id, provider, client_id, sealed)
      values (${newId('app')}, ${organizationId}, 'github', 'client', ${plain})`
    await sql(Nothing)`
      insert into credentials (id, organization_id, provider, sealed_access_token, sealed_refresh_token)
      values (${newId('crd')}, ${organizationId}, 'github', ${plain}, ${plain})`
    await sql(Nothing)`
      insert into oauth_flows (id, organization_id, provider, begun_by, state_hash, browser_hash, sealed_verifier,
                               sealed_client_secret, client_id, authority, redirect_uri, expires_at)
      values (${newId('flw')}, ${organizationId}, 'github', 'operator', ${Buffer.alloc(32, 3)}, ${Buffer.alloc(32, 4)}, ${plain},
              ${plain}, 'client', '{}', 'https://gateway.example/oauth/callback', now())`
    await sql(Nothing)`
      insert into webhooks (id, organization_id, url, events, sealed_secret, sealed_previous)
      values (${newId('whk')}, ${organizationId}, 'https://hooks.example.com/', array['alert'], ${plain}, ${plain})`
    await sql(Nothing)`
      insert into record_streams (organization_id, id, name, destination, sealed_secrets)
      values (${organizationId}, ${newId('str')}, 'siem', '{}', ${plain})`
    await sql(Nothing)`
      insert into identity_providers (organization_id, id, slug, title, settings, sealed_secret, origin)
      values (${organizationId}, ${newId('idp')}, 'login', 'Login', '{}', ${plain}, 'test')`
    const person = newId('usr')
    await sql(Nothing)`insert into users (id, email, name) values (${person}, 'app@example.com', 'App')`
    await sql(Nothing)`
      insert into authenticator_apps (id, user_id, sealed_secret, last_step, name)
      values ('app_1', ${person}, ${plain}, 0, 'phone')`
    await sql(Nothing)`
      insert into approvals (id, organization_id, connection_id, tool, effect, digest, principal, caller, rules, sealed_arguments,
                             sealed_answer, expires_at)
      values (${newId('apr')}, ${organizationId}, ${connection}, 'tool', 'write', ${'0'.repeat(64)}, 'key_1', 'key', '[]', ${plain},
              ${plain}, now())`
    await sql(Nothing)`
      insert into kept_answers (hash, request, sealed_answer)
      values (${Buffer.alloc(32, 1)}, ${Buffer.alloc(32, 2)}, ${plain})`
    await sql(Nothing)`
      insert into kept_results (id, organization_id, principal, owner, mime, bytes, sealed, expires_at)
      values (${newId('res')}, ${organizationId}, 'usr_1', 'usr_1', 'text/plain', 5, ${plain}, now() + interval '1 hour')`
    await sql(Nothing)`
      insert into files (id, organization_id, owner, name, media_type, reserved, origin, storage_key, sealed_key, expires_at)
      values (${newId('file')}, ${organizationId}, 'usr_1', 'a.txt', 'text/plain', 0, 'upload', 'a', ${plain},
              now() + interval '1 hour')`
    await sql(Nothing)`
      insert into record_payloads (id, organization_id, connection, at, sealed)
      values (${newId('rec')}, ${organizationId}, 'raw', now(), ${plain})`
    await sql(Nothing)`
      insert into agent_models (organization_id, provider, url, model, sealed)
      values (${organizationId}, 'openai', 'https://models.example/v1', 'model', ${plain})`
    await sql(Nothing)`
      insert into sessions (hash, organization_id, owner, principal, revision, capabilities, opened_at, seen_at)
      values (${Buffer.alloc(32, 5)}, ${organizationId}, 'usr_1', 'usr_1', '2025-11-25', '{}', now(), now())`
    await sql(Nothing)`
      insert into stream_readers (organization_id, reader, session, stream, after, read_until)
      values (${organizationId}, 'reader', ${Buffer.alloc(32, 5)}, 'stream', 0, now())`
    await sql(Nothing)`
      insert into stream_reader_events (organization_id, reader, at, sealed) values (${organizationId}, 'reader', 1, ${plain})`
    await sql(Nothing)`insert into vault_secrets (name, sealed) values ('other', ${plain})`
  })
}

const Settings = z.object({ id: z.string(), settings: z.looseObject({}), sealed: z.instanceof(Buffer).nullable() })
const addConnection = (db: Db, organizationId: string, alias: string, settings: object, sealed: Buffer | null = null) =>
  db.system(async (sql) => {
    const id = newId('con')
    await sql(Nothing)`
      insert into connections (id, organization_id, alias, title, connector, settings, sealed, origin)
      values (${id}, ${organizationId}, ${alias}, ${alias}, ${(settings as { connector: string }).connector},
              ${JSON.stringify(settings)}, ${sealed}, 'test')`
    return id
  })
const read = async (db: Db, id: ConnectionId) => {
  const [row] = await db.system((sql) => sql(Settings)`select id, settings, sealed from connections where id = ${id}`)
  if (row === undefined) throw new Error('it is gone')
  const text = row.sealed === null ? '{}' : vault.open(row.sealed, `connection ${id}`)
  return { settings: row.settings, secrets: ConnectionSecrets.parse(JSON.parse(text)), sealed: row.sealed }
}

const everything = (db: Db) =>
  db.system(async (sql) => {
    const texts: string[] = []
    for (const table of new Set(SEALED_COLUMNS.map((column) => column.table))) {
      const select = Object.assign([`select coalesce(string_agg(t::text, ''), '') as text from ${table} t`], {
        raw: [],
      })
      for (const { text } of await sql(z.object({ text: z.string() }))(select)) texts.push(text)
    }
    return texts.join('\n')
  })

describeEachPostgres('secrets that stand unsealed', (createDatabase) => {
  test('S2-MIG-01: are sealed in every table that holds some, also when a start before was killed between two of them', async () => {
    await using database = await createDatabase()
    const { db } = database
    const { id: organization } = await addTestOrganization(db, 'acme')
    await addPlainRows(db, organization, SECRET)
    const tables = new Set((await db.system(countSealed)).map(({ column }) => column))
    expect(tables.size).toBe(SEALED_COLUMNS.length)

    // A start that ends at its third value.
    let sealed = 0
    const dying = {
      ...vault,
      fingerprint: vault.fingerprint,
      seal(text: string, row: string) {
        if (++sealed === 3) throw new Error('killed')
        return vault.seal(text, row)
      },
    }
    await expect(sealPlain({ ...partsOf(db), vault: dying })).rejects.toThrow('killed')
    const between = await db.system(countSealed)
    expect(new Set(between.map(({ key }) => key))).toEqual(new Set(['plain', vault.keyIds[0]]))

    expect(await sealPlain(partsOf(db))).toBe(SEALED_COLUMNS.length - 2)
    expect(new Set((await db.system(countSealed)).map(({ key }) => key))).toEqual(new Set(vault.keyIds))
    const after = await everything(db)
    expect(after).not.toContain(SECRET)
    expect(after).not.toContain(Buffer.from(SECRET).toString('hex'))
    for (const column of SEALED_COLUMNS) {
      const Value = z.object({ id: z.string(), value: z.instanceof(Buffer) })
      const names = (texts: TemplateStringsArray) => withNames(texts, column)
      const rows = await db.system((sql) => sql(Value)(names`select @id as id, @column as value from @table`))
      for (const { id, value } of rows) expect(vault.open(value, column.sealContext(id))).toBe(SECRET)
      expect(rows.length).toBeGreaterThan(0)
    }

    // Once more changes nothing.
    expect(await sealPlain(partsOf(db))).toBe(0)
    expect(await everything(db)).toBe(after)
  })

  test('S2-MIG-01: are left as they are where another program sealed them', async () => {
    await using database = await createDatabase()
    const { db } = database
    const { id: organization } = await addTestOrganization(db, 'acme')
    await addPlainRows(db, organization, 'enc:9f8e7d')
    const before = await everything(db)
    expect(await sealPlain(partsOf(db))).toBe(0)
    expect(await everything(db)).toBe(before)
  })

  test('S2-MIG-01: are moved out of the readable settings of connections', async () => {
    await using database = await createDatabase()
    const { db } = database
    const { id: organization } = await addTestOrganization(db, 'acme')
    const remote = await addConnection(db, organization, 'remote', {
      connector: 'mcp.http',
      url: `https://example.com/mcp?token=${SECRET}`,
      headers: { Authorization: `Bearer ${SECRET}`, 'X-Other': 'enc:9f8e7d' },
      timeout: 60,
    })
    const child = await addConnection(db, organization, 'child', {
      connector: 'mcp.process',
      command: 'npx',
      args: ['server', '--api-key', SECRET],
      env: { API_KEY: SECRET },
    })
    const both = await addConnection(db, organization, 'both', {
      connector: 'mcp.http',
      url: 'https://example.com/mcp',
      headers: { Authorization: `Bearer ${SECRET}` },
    })
    const newer = vault.seal(JSON.stringify({ headers: { Authorization: 'Bearer newer' } }), `connection ${both}`)
    await db.system((sql) => sql(Nothing)`update connections set sealed = ${newer} where id = ${both}`)
    const clean = await addConnection(db, organization, 'clean', {
      connector: 'mcp.http',
      url: 'https://example.com',
      private: false,
    })
    expect(await sealPlain(partsOf(db))).toBe(3)
    expect(await everything(db)).not.toContain(SECRET)
    const [one, two, three, four] = [
      await read(db, remote),
      await read(db, child),
      await read(db, both),
      await read(db, clean),
    ]
    expect(one.secrets).toMatchObject({
      url: `https://example.com/mcp?token=${SECRET}`,
      headers: { Authorization: `Bearer ${SECRET}` },
    })
    expect(one.settings).toEqual({
      connector: 'mcp.http',
      url: 'https://example.com/mcp?token=•••',
      headers: { 'X-Other': 'enc:9f8e7d' },
      timeout: 60,
    })
    expect(two.secrets).toMatchObject({ args: ['server', '--api-key', SECRET], environment: { API_KEY: SECRET } })
    expect(two.settings).toEqual({ connector: 'mcp.process', command: 'npx', args: ['server', '--api-key', '•••'] })
    expect(three.secrets.headers).toEqual({ Authorization: 'Bearer newer' })
    expect(three.settings).not.toHaveProperty('headers')
    expect(four).toMatchObject({ settings: { url: 'https://example.com' }, sealed: null })
    expect(await sealPlain(partsOf(db))).toBe(0)
  })
})
