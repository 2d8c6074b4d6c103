import { newId, type OrganizationId } from '@toolway/contract'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { addKey, removeKey } from '../../identity/keys/keys.ts'
import { ensureOrganization } from '../../organizations/organizations.ts'
import { describeEachPostgres, type TestDatabase } from '../../testing/database.ts'
import {
  addOrganizationRule,
  carryKeyRules,
  findPlace,
  listOrganizationRules,
  type RulePlace,
} from './organization-rules.ts'

const Nothing = z.object({})
const rule = (name: string) => ({
  ...{ name, match: { tools: ['*'] }, action: 'block', parameters: {}, reason: 'No.', state: 'on' as const },
})

async function fixture({ db }: TestDatabase) {
  const { id } = await db.system((sql) => ensureOrganization(sql, 'acme', undefined, 'test'))
  const add = (name: string, place: RulePlace, organizationId: OrganizationId = id) =>
    db.organization(organizationId, (sql) =>
      addOrganizationRule(sql, { organizationId, place, rule: rule(name), origin: 'test', createdBy: 'test' }),
    )
  const list = async () =>
    (await db.organization(id, listOrganizationRules)).map(({ scope, of, name }) => `${scope} ${of} ${name}`)
  const key = (name: string) =>
    db.organization(id, (sql) =>
      addKey(sql, {
        ...{
          organizationId: id,
          name,
          hint: 'hint',
          hash: Buffer.from(newId('key')),
          toolset: undefined,
          origin: 'test',
        },
      }),
    )
  await db.system(async (sql) => {
    await sql(Nothing)`insert into users (id, email, name) values ('usr_1', 'maria@acme.test', 'Maria')`
    await sql(Nothing)`insert into members (organization_id, user_id, role) values (${id}, 'usr_1', 'tenant_member')`
    await sql(Nothing)`
      insert into toolsets (id, organization_id, slug, title, settings, origin) values ('tls_1', ${id}, 'work', 'W', '{}', 'test')`
    await sql(Nothing)`
      insert into connections (id, organization_id, alias, title, connector, settings, origin)
      values ('con_1', ${id}, 'git', 'Git', 'mcp.http', '{}', 'test')`
  })
  return { id, db, add, list, key }
}

describeEachPostgres('rules of an organization', (createDatabase) => {
  test('are of what goes by a name, have one name in each place, and end with what they are of', async () => {
    await using database = await createDatabase()
    const { id, db, add, list, key } = await fixture(database)
    const made = await key('ci')
    const place = (scope: RulePlace['scope'], of: string) => db.organization(id, (sql) => findPlace(sql, scope, of))
    const places = {
      toolset: await place('toolset', 'work'),
      connection: await place('connection', 'git'),
      member: await place('member', 'MARIA@acme.test'),
      key: await place('key', 'ci'),
    }
    for (const found of Object.values(places)) {
      expect(found).toBeDefined()
      if (found === undefined) continue
      expect(await add('a', found)).toMatch(/^rul_/)
      expect(await add('a', found)).toBeUndefined()
    }
    expect(await add('a', { scope: 'organization' })).toMatch(/^rul_/)
    expect((await list()).sort()).toEqual([
      'connection git a',
      `key ${made?.id} a`,
      'member maria@acme.test a',
      'organization null a',
      'toolset work a',
    ])
    await db.organization(id, async (sql) => {
      await sql(Nothing)`delete from toolsets`
      await sql(Nothing)`delete from connections`
      await sql(Nothing)`delete from members`
      await sql(Nothing)`delete from keys`
    })
    expect(await list()).toEqual(['organization null a'])
  })

  test('of another organization are of nothing here', async () => {
    await using database = await createDatabase()
    const { db, add } = await fixture(database)
    const other = await db.system((sql) => ensureOrganization(sql, 'other', undefined, 'test'))
    expect(await db.organization(other.id, (sql) => findPlace(sql, 'connection', 'git'))).toBeUndefined()
    expect(await db.organization(other.id, (sql) => findPlace(sql, 'member', 'usr_1'))).toBeUndefined()
    await expect(add('a', { scope: 'connection', connectionId: 'con_1' }, other.id)).rejects.toMatchObject({
      code: '23503',
    })
  })

  test('go over to the key that comes in the place of theirs', async () => {
    await using database = await createDatabase()
    const { id, db, add, list, key } = await fixture(database)
    const [old, beside] = [await key('ci'), await key('beside')]
    await add('slow', { scope: 'key', keyId: old?.id })
    await add('slow', { scope: 'key', keyId: beside?.id })
    const next = newId('key')
    await db.organization(id, (sql) =>
      carryKeyRules(
        sql,
        id,
        async () => {
          await removeKey(sql, 'ci')
          const words = { organizationId: id, name: 'ci', hint: 'hint', toolset: undefined, origin: 'test' }
          return addKey(sql, { ...words, id: next, hash: Buffer.from(next) })
        },
        () => new Map([[old?.id ?? '', next]]),
      ),
    )
    expect((await list()).sort()).toEqual([`key ${beside?.id} slow`, `key ${next} slow`].sort())
  })

  test('tell every gateway which organization changed, also when they end with what they are of', async () => {
    await using database = await createDatabase()
    const { id, db, add } = await fixture(database)
    const heard: string[] = []
    const listener = await db.listen('toolway_changed', (notice) => {
      if (notice.kind === 'payload' && notice.payload.includes('organization_rules')) heard.push(notice.payload)
    })
    await add('a', { scope: 'toolset', toolset: 'work' })
    await expect.poll(() => heard).toEqual([expect.stringContaining(id)])
    await db.organization(id, (sql) => sql(Nothing)`delete from toolsets`)
    await expect.poll(() => heard).toHaveLength(2)
    await listener.close()
  })
})
