/** Keys of another system with their bcrypt hashes: they work as before, and their hash is a fast one from the first use on. */
import { hash as slowHashOf } from 'bcryptjs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { importKeys } from '../../../packages/gateway/src/features/keys/old-keys.ts'
import { mintKey } from '../../../packages/gateway/src/identity/keys/key-forms.ts'
import { MOST_ALIKE } from '../../../packages/gateway/src/identity/keys/slow-keys.ts'
import { createTestVault, startTestGateway, type TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { ask } from '../../fault/caller.ts'

const actor = {
  id: 'command line',
  type: 'system',
  keyId: undefined,
  address: undefined,
  userAgent: undefined,
  correlationId: 'x',
} as const

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway()
})
afterAll(() => gateway[Symbol.asyncDispose]())

const takeOver = (lines: readonly object[]) => {
  const text = lines.map((line) => JSON.stringify(line)).join('\n')
  const findOrganization = (name: string) => (name === 'default' ? gateway.organization.id : undefined)
  return importKeys({ db: gateway.db, actor, findOrganization }, text)
}
const statusOf = async (key: string) => (await ask({ url: gateway.url, key }, 'tools/list')).status
const Row = z.object({ name: z.string(), slow: z.boolean(), fast: z.string().nullable(), prefix: z.string() })
const rowsOf = (name: string) =>
  gateway.db.system(
    (sql) => sql(Row)`
      select name, slow_hash is not null as slow, encode(hash, 'hex') as fast, prefix from keys where name like ${name}
       order by name`,
  )

test('U-04, S3-AUTH-03: each of many that begin alike works as before, and after its first use it has a keyed hash and no other', async () => {
  const keys = Array.from({ length: 3 }, () => mintKey('smcp', 'tenant_member'))
  const admin = mintKey('smcp', 'platform_admin')
  const line = async (key: string, name: string, more: object) => ({ name, hash: await slowHashOf(key, 4), ...more })
  const lines = await Promise.all(
    keys.map((key, at) => line(key, `old ${at}`, { prefix: 'smcp_tu_', role: 'tenant_user', organization: 'default' })),
  )
  const operator = await line(admin, 'old operator', { prefix: 'smcp_pa_', role: 'platform_admin' })
  expect(await takeOver([...lines, operator])).toBe(4)
  expect((await rowsOf('old %')).every(({ slow, fast }) => slow && fast === null)).toBe(true)
  // A key of no account, with the same prefix as theirs.
  expect(await statusOf(mintKey('smcp', 'tenant_member'))).toBe(401)

  // All at once, and each twice: one comparison for each key.
  const statuses = await Promise.all([...keys, ...keys].map(statusOf))
  expect(statuses).toEqual(statuses.map(() => 200))
  const vault = createTestVault()
  expect(await rowsOf('old _')).toEqual(
    keys.map((key, at) => ({
      name: `old ${at}`,
      slow: false,
      fast: vault.hash(key).toString('hex'),
      prefix: key.slice(0, 16),
    })),
  )
  const listing = await fetch(`${gateway.address}/api/v1/auth/keys`, { headers: { authorization: `Bearer ${admin}` } })
  expect(listing.status).toBe(200)
  const Method = z.object({ method: z.string() })
  const records = await gateway.db.system(
    (sql) => sql(Method)`select method from records where method in ('key.import', 'key.take-over') order by at, id`,
  )
  expect(records.map(({ method }) => method)).toEqual([
    ...Array<string>(4).fill('key.import'),
    ...Array<string>(4).fill('key.take-over'),
  ])
})

test('takes over every line or none, and says which one is wrong without repeating it', async () => {
  const good = {
    name: 'good',
    hash: await slowHashOf('x', 4),
    prefix: 'smcp_ta_',
    role: 'tenant_admin',
    organization: 'default',
  }
  const wrong: [object, string][] = [
    [{ ...good, hash: 'plain text of a key' }, 'hash'],
    [{ ...good, hash: good.hash.replace('$04$', '$31$') }, 'hash'],
    [{ ...good, prefix: 'uru_' }, 'prefix'],
    [{ ...good, role: 'platform_admin', organization: undefined }, 'role'],
    [{ ...good, organization: 'nobody' }, 'organization'],
    [{ ...good, organization: undefined }, 'organization'],
    [good, 'name'],
  ]
  for (const [line, member] of wrong) {
    const said = await takeOver([good, line]).then(
      () => 'nothing',
      (thrown: Error) => thrown.message,
    )
    expect(said).toContain('line 2')
    expect(said).toContain(member)
    expect(said).not.toMatch(/plain text|\$2[aby]\$/)
  }
  expect(await rowsOf('good')).toEqual([])
})

test('takes over only as many that begin alike as one request may be compared with', async () => {
  const hash = await slowHashOf('x', 4)
  const line = (name: string, prefix: string) => ({ name, hash, prefix, role: 'tenant_admin', organization: 'default' })
  const many = Array.from({ length: MOST_ALIKE }, (_, at) => line(`many ${at}`, 'smcp_ta_'))
  expect(await takeOver(many)).toBe(MOST_ALIKE)
  await expect(takeOver([line('one more', 'smcp_ta_')])).rejects.toThrow('line 1')
  await expect(takeOver([line('one more', 'smcp_ta_abc')])).rejects.toThrow('line 1')
})
