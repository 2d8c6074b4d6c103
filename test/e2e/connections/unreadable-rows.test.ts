/**
 * Rows with stored JSON, lists or times that no shape fits, put there by SQL as another version or another hand may have left them: a list shows the others,
 * says how many it leaves out, and answers no 500.
 */
import { ConnectionSettings } from '@toolway/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import type { SystemSql } from '../../../packages/gateway/src/db/db.ts'
import type { TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { openGateway } from '../peers/open-gateway.ts'
import { addKey, createAsk, type Ask } from '../peers/people/administrators.ts'
import { until } from '../peers/until.ts'

const ADMIN = '/api/v1/admin/tenants/default'
const OF = '/api/v1/organizations/default'
/** No row can be made of these by the gateway itself. */
const BAD = ['null', '"text"', '7', '[]', '{}', '[7]', '[{"id":"a","name":"b"}]']
/** Times that the database stores, and that no answer can say. */
const BAD_TIMES = ['infinity', '-infinity', '20000-01-01', '4000-01-01 BC']
const NOW = '2026-11-20 10:00:00+00'
const GOOD_RULE = JSON.stringify([
  {
    ...{ id: 'rul_good', scope: 'organization', name: 'good', match: { tools: ['*'] }, action: 'approve', state: 'on' },
    ...{ parameters: { by: { roles: ['tenant_admin'], self: false }, quorum: 1, wait: 60, repeat: 0, always: false } },
    reason: 'Asked.',
  },
])

const SETTINGS = JSON.stringify(ConnectionSettings.parse({ connector: 'mcp.http', url: 'http://127.0.0.1:9/' }))

const parts = new AsyncDisposableStack()
const Nothing = z.object({})
let gateway: TestGateway
let admin: Ask
let platform: Ask
let organization: string

beforeAll(async () => {
  gateway = parts.use(await openGateway({ trusting: true }))
  organization = gateway.organization.id
  admin = createAsk(gateway, await addKey(gateway, { role: 'tenant_admin', organization }))
  platform = createAsk(gateway, await addKey(gateway, { role: 'platform_admin' }))
  await gateway.db.system(async (sql) => {
    await sql(Nothing)`
      insert into connections (id, organization_id, alias, title, connector, settings, enabled, origin)
      values ('con_x', ${organization}, 'erp', 'ERP', 'mcp.http', ${SETTINGS}, false, 'test')`
  })
})
afterAll(() => parts.disposeAsync())

interface Case {
  readonly path: string
  /** By which its items are told apart. */
  readonly member: string
  /** Adds a row with this JSON, and this name. */
  add(sql: SystemSql, name: string, json: string): Promise<unknown>
  readonly good: string
  /** Bad ones are in the list too, marked. */
  readonly shown?: true
  readonly bad?: readonly string[]
  readonly ask?: () => Ask
}

const CASES: Readonly<Record<string, Case>> = {
  approvals: {
    ...{ path: `${OF}/approvals`, member: 'id', good: GOOD_RULE, shown: true },
    add: (sql, name, json) => sql(Nothing)`
      insert into approvals (id, organization_id, connection_id, tool, effect, digest, principal, caller, rules, sealed_arguments,
                             expires_at)
      values (${name}, ${organization}, 'con_x', 'read', 'read', encode(sha256(${name}::bytea), 'hex'), 'key_1', 'key',
              ${json}::jsonb, '', now() + interval '1 hour')`,
  },
  'lasting approvals': {
    ...{ path: `${OF}/lasting-approvals`, member: 'id', good: GOOD_RULE, shown: true },
    add: (sql, name, json) => sql(Nothing)`
      insert into lasting_grants (id, organization_id, connection_id, tool, effect, digest, tool_hash, principal, caller, rules,
                                  granted_by, approval_id)
      values (${name}, ${organization}, 'con_x', 'read', 'read', encode(sha256(${name}::bytea), 'hex'),
              repeat('0', 64), 'key_1', 'key', ${json}::jsonb, 'usr_1', 'apr_1')`,
  },
  'record streams': {
    ...{ path: `${ADMIN}/record-streams`, member: 'id', good: '{"kind":"webhook","url":"https://siem.example.com/"}' },
    add: (sql, name, json) => sql(Nothing)`
      insert into record_streams (organization_id, id, name, destination, sealed_secrets, enabled)
      values (${organization}, ${name}, ${name}, ${json}::jsonb, '', false)`,
  },
  alerts: {
    ...{ path: `${ADMIN}/alerts`, member: 'id', good: '{"tool":"read"}', bad: ['null', '"text"', '7', '[]'] },
    add: (sql, name, json) => sql(Nothing)`
      insert into alerts (id, organization_id, kind, detail) values (${name}, ${organization}, 'connection.failing', ${json}::jsonb)`,
  },
  'OAuth clients': {
    ...{ path: '/api/v1/admin/clients', member: 'client_id', ask: () => platform },
    good: '{"redirect_uris":["https://chat.example.com/callback"],"application_type":"web","grant_types":[],"token_endpoint_auth_method":"none"}',
    add: (sql, name, json) => sql(Nothing)`
      insert into oauth_clients (id, kind, name, metadata) values (${name}, 'added', ${name}, ${json}::jsonb)`,
  },
  toolsets: {
    ...{ path: `${ADMIN}/toolsets`, member: 'slug', shown: true, good: '{"include":["*"],"exclude":[]}' },
    add: (sql, name, json) => sql(Nothing)`
      insert into toolsets (id, organization_id, slug, title, settings, origin)
      values (${`tls_${name}`}, ${organization}, ${name}, ${name}, ${json}::jsonb, 'test')`,
  },
  connections: {
    ...{ path: `${ADMIN}/connectors`, member: 'alias', good: SETTINGS, shown: true },
    add: (sql, name, json) => sql(Nothing)`
      insert into connections (id, organization_id, alias, title, connector, settings, enabled, origin)
      values (${`con_${name}`}, ${organization}, ${name}, ${name}, 'mcp.http', ${json}::jsonb, true, 'test')`,
  },
  'rules of an organization': {
    ...{ path: `${OF}/rules`, member: 'name', shown: true, bad: ['{}', '{"match":7,"action":[],"parameters":"x"}'] },
    good: '{"match":{"tools":["*"]},"action":"block","parameters":{},"reason":"No."}',
    add: (sql, name, json) => sql(Nothing)`
      insert into organization_rules (id, organization_id, scope, name, words, state, origin, created_by)
      values (${name}, ${organization}, 'organization', ${name}, ${json}::jsonb, 'off', 'test', 'test')`,
  },
  'webhooks by events': {
    ...{ path: `${ADMIN}/webhooks`, member: 'id', good: '{connection.failing}', bad: ['{made.up}', '{NULL}', '{""}'] },
    add: (sql, name, events) => sql(Nothing)`
      insert into webhooks (id, organization_id, url, events, enabled, sealed_secret)
      values (${name}, ${organization}, 'https://hooks.example.com/', ${events}::text[], false, '')`,
  },
  'webhooks by time': {
    ...{ path: `${ADMIN}/webhooks`, member: 'id', good: NOW, bad: BAD_TIMES },
    add: (sql, name, time) => sql(Nothing)`
      insert into webhooks (id, organization_id, url, events, enabled, sealed_secret, created_at)
      values (${name}, ${organization}, 'https://hooks.example.com/', '{connection.failing}', false, '', ${time}::timestamptz)`,
  },
  keys: {
    ...{ path: `${ADMIN}/keys?search=keys-`, member: 'name', good: NOW, bad: BAD_TIMES },
    add: (sql, name, time) => sql(Nothing)`
      insert into keys (id, organization_id, name, hint, hash, origin, created_at)
      values (${`key_${name}`}, ${organization}, ${name}, 'abcd', sha256(${name}::bytea), 'test', ${time}::timestamptz)`,
  },
  'keys that expire': {
    ...{ path: `${ADMIN}/keys?search=keys-that-`, member: 'name', good: '2126-11-20 10:00:00+00' },
    bad: ['infinity', '20000-01-01'],
    add: (sql, name, time) => sql(Nothing)`
      insert into keys (id, organization_id, name, hint, hash, origin, expires_at)
      values (${`key_${name}`}, ${organization}, ${name}, 'abcd', sha256(${name}::bytea), 'test', ${time}::timestamptz)`,
  },
  files: {
    ...{ path: `${OF}/files?whose=everybody`, member: 'name', good: NOW, bad: BAD_TIMES },
    add: (sql, name, time) => sql(Nothing)`
      insert into files (id, organization_id, owner, name, media_type, size, reserved, sha256, state, origin, storage_key,
                         sealed_key, created_at, expires_at)
      values (${`fil_${name}`}, ${organization}, 'usr_1', ${name}, 'text/plain', 1, 1, repeat('0', 64), 'ready', 'upload', ${name},
              '', ${time}::timestamptz, '2126-01-01')`,
  },
  'OAuth apps': {
    ...{ path: '/api/v1/oauth/default/config', member: 'client_id', good: NOW, bad: BAD_TIMES },
    add: (sql, name, time) => sql(Nothing)`
      insert into oauth_apps (id, organization_id, provider, issuer, client_id, created_at)
      values (${name}, ${organization}, 'gitlab', ${`https://${name}.example.com`}, ${name}, ${time}::timestamptz)`,
  },
  'accounts by scopes': {
    ...{ path: `${ADMIN}/connectors/erp/accounts`, member: 'account', good: '{read}', bad: ['{NULL}'] },
    add: (sql, name, scopes) => sql(Nothing)`
      insert into credentials (id, organization_id, connection_id, provider, sealed_access_token, account, is_default, scopes)
      values (${`crd_${name}`}, ${organization}, 'con_x', 'erp', '', ${name}, false, ${scopes}::text[])`,
  },
  'accounts by end': {
    ...{
      path: `${ADMIN}/connectors/erp/accounts`,
      member: 'account',
      good: '2126-01-01',
      bad: ['infinity', '20000-01-01'],
    },
    add: (sql, name, time) => sql(Nothing)`
      insert into credentials (id, organization_id, connection_id, provider, sealed_access_token, account, is_default, expires_at)
      values (${`crd_${name}`}, ${organization}, 'con_x', 'erp', '', ${name}, false, ${time}::timestamptz)`,
  },
  sessions: {
    ...{ path: '/api/v1/admin/sessions', member: 'principal', shown: true, ask: () => platform },
    good: '{"name":"desk","version":"1"}',
    add: (sql, name, json) => sql(Nothing)`
      insert into sessions (hash, organization_id, owner, principal, revision, capabilities, client, opened_at, seen_at)
      values (sha256(${name}::bytea), ${organization}, ${name}, ${name}, '2025-06-18', '{}', ${json}::jsonb, now(), now())`,
  },
}

test.each(Object.entries(CASES))(
  'of %s, a bad row takes none of its neighbours along',
  async (noun, { path, member, add, good, shown = false, bad = BAD, ask = () => admin }) => {
    const slug = noun.replaceAll(' ', '-').toLowerCase()
    const { total: before = 0, unreadable: badBefore = 0 } = (await ask()(`GET ${path}`)).body as Record<string, number>
    await gateway.db.system(async (sql) => {
      await add(sql, `${slug}-first`, good)
      for (const [at, json] of bad.entries()) await add(sql, `${slug}-bad-${at}`, json)
      await add(sql, `${slug}-last`, good)
    })
    const listed = async () => {
      const answer = await ask()(`GET ${path}`)
      expect(answer.status, answer.text).toBe(200)
      return answer
    }
    const names = async () =>
      ((await listed()).body['items'] as Record<string, unknown>[]).map((one) => String(one[member]))
    await until(`the list of ${noun} has the rows`, async () => (await names()).includes(`${slug}-last`))
    const all = await names()
    expect(all).toContain(`${slug}-first`)
    const { unreadable = 0, total = before + bad.length + 2 } = (await listed()).body
    const missing = bad.filter((_, at) => !all.includes(`${slug}-bad-${at}`)).length
    if (shown) expect(missing).toBe(0)
    expect({ unreadable, total }).toEqual({ unreadable: badBefore + missing, total: before + bad.length + 2 })
    if (missing > 0)
      expect(gateway.log.filter(({ message }) => message === 'an item is unreadable').length).toBeGreaterThan(0)
  },
)
