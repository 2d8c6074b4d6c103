/** SCIM requests that no identity provider should send: each is refused, and nothing of it stays. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { addKey, createAsk, type Answered } from '../peers/people/administrators.ts'
import { openGateway } from '../peers/open-gateway.ts'
import { createScim, ENTERPRISE, GROUP, patch, tokenFor, USER, type Scim } from './scim-client.ts'

const BULK = 'urn:ietf:params:scim:api:messages:2.0:BulkRequest'
const parts = new AsyncDisposableStack()
let gateway: TestGateway
let scim: Scim
beforeAll(async () => {
  gateway = parts.use(await openGateway({}))
  const platform = createAsk(gateway, await addKey(gateway, { role: 'platform_admin' }))
  scim = createScim(gateway.address, 'default', await tokenFor(platform, 'default'))
})
afterAll(() => parts.disposeAsync())

const person = (userName: string, more: object = {}) => ({ schemas: [USER], userName, ...more })
async function add(userName: string, more: object = {}): Promise<string> {
  const made = await scim('POST /Users', person(userName, more))
  expect(made.status, made.text).toBe(201)
  return String(made.body['id'])
}
const addGroup = async (displayName: string): Promise<string> =>
  String((await scim('POST /Groups', { schemas: [GROUP], displayName })).body['id'])

/** An own key `__proto__`, as JSON has it. */
const own = (name: string, value: unknown): object => Object.fromEntries([[name, value]])

test('a token beyond its rate is answered with 429 and Retry-After, and others behind its address are served', async () => {
  const settings = { TOOLWAY_LIMIT_ADDRESS: '30', TOOLWAY_LIMIT_ADMINISTRATION: '40' }
  await using limited = await openGateway({ settings })
  const platform = createAsk(limited, await addKey(limited, { role: 'platform_admin' }))
  const [first, second] = [await tokenFor(platform, 'default', 'first'), await tokenFor(platform, 'default', 'second')]
  const [scim, other] = [first, second].map((token) => createScim(limited.address, 'default', token))
  const statuses: number[] = []
  let refused: Answered | undefined
  while (refused === undefined && statuses.length < 100) {
    const answer = await scim?.('GET /Users?count=1')
    statuses.push(answer?.status ?? 0)
    if (answer?.status === 429) refused = answer
  }
  // More than the address may, and no more than the token may.
  expect(statuses.length).toBeGreaterThan(40)
  expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(refused?.body).toMatchObject({ status: '429', schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'] })
  expect((await other?.('GET /Users?count=1'))?.status).toBe(200)
  expect((await platform('GET /api/v1/admin/tenants/default/members')).status).toBe(200)
})

test('no name of an attribute reaches into prototypes, and other schemas are refused', async () => {
  const id = await add('prototype@example.com')
  const group = await addGroup('Prototypes')
  const before = Reflect.ownKeys(Object.prototype)
  const hostile = [
    own(`${ENTERPRISE}:__proto__.tainted`, 'x'),
    own(`${ENTERPRISE}:__PROTO__.tainted`, 'x'),
    own(`${ENTERPRISE}:constructor.prototype.tainted`, 'x'),
    own(ENTERPRISE, own('__proto__', { tainted: 'x' })),
    own('name', own('__proto__', { tainted: 'x' })),
    own('__proto__', { tainted: 'x' }),
    own('urn:example:other', { tainted: 'x' }),
    own(`${ENTERPRISE}:department`, 'x'),
  ]
  const refusals = []
  for (const [at, more] of hostile.entries()) {
    const body = person(`hostile${at}@example.com`, more)
    refusals.push(await scim('POST /Users', body), await scim(`PUT /Users/${id}`, body))
    refusals.push(await scim('POST /Groups', { displayName: `Hostile ${at}`, ...more }))
    refusals.push(await scim(`PUT /Groups/${group}`, { displayName: 'Prototypes', ...more }))
    const bulk = await scim('POST /Bulk', {
      schemas: [BULK],
      Operations: [{ method: 'POST', path: '/Users', bulkId: 'u', data: body }],
    })
    expect(bulk.body['Operations']).toMatchObject([{ status: '400', response: { scimType: 'invalidSyntax' } }])
  }
  const steps = [
    { op: 'add', path: `${ENTERPRISE}:__proto__.tainted`, value: 'x' },
    { op: 'add', path: '__proto__', value: { tainted: 'x' } },
    { op: 'add', path: 'name.constructor', value: 'x' },
    { op: 'add', path: ENTERPRISE, value: own('__proto__', { tainted: 'x' }) },
    { op: 'add', value: own(`${ENTERPRISE}:__proto__.tainted`, 'x') },
    { op: 'add', value: own(ENTERPRISE, own('__proto__.tainted', 'x')) },
  ]
  for (const step of steps)
    refusals.push(await scim(`PATCH /Users/${id}`, patch(step)), await scim(`PATCH /Groups/${group}`, patch(step)))
  for (const refusal of refusals)
    expect(refusal, refusal.text).toMatchObject({ status: 400, body: { scimType: 'invalidSyntax' } })
  expect(Reflect.ownKeys(Object.prototype)).toEqual(before)
  expect({}).not.toHaveProperty('tainted')
  const rightly = { op: 'add', value: { [`${ENTERPRISE}:department`]: 'Sales' } }
  expect((await scim(`PATCH /Users/${id}`, patch(rightly))).body[ENTERPRISE]).toEqual({ department: 'Sales' })
})

test('an empty value of active neither suspends nor restores a person', async () => {
  const id = await add('empty-active@example.com', { active: false })
  for (const value of [null, '']) {
    for (const step of [
      { op: 'replace', path: 'active', value },
      { op: 'add', path: `${USER}:active`, value },
      { op: 'replace', value: { active: value } },
    ])
      expect(await scim(`PATCH /Users/${id}`, patch(step))).toMatchObject({
        status: 400,
        body: { scimType: 'invalidValue' },
      })
    for (const name of ['active', 'Active']) {
      const put = await scim(`PUT /Users/${id}`, person('empty-active@example.com', { [name]: value }))
      expect(put, put.text).toMatchObject({ status: 200, body: { active: false } })
    }
  }
  expect((await scim(`GET /Users/${id}`)).body['active']).toBe(false)
  const made = await scim('POST /Users', person('empty-active-2@example.com', { active: null }))
  expect(made.body['active']).toBe(true)
})

test('text that no row can have, and numbers out of bounds, are refused', async () => {
  const id = await add('odd@example.com')
  const group = await addGroup('Odd')
  const answers = [
    await scim('POST /Users', person('odd\0@example.com')),
    await scim('POST /Users', person('odd-2@example.com', { title: '\uD800' })),
    await scim(`PATCH /Users/${id}`, patch({ op: 'add', path: 'title', value: 'a\0' })),
    await scim(`PATCH /Users/${id}`, patch({ op: 'add', path: 'emails[type eq "\0"].value', value: 'a@example.com' })),
    await scim('POST /Groups', { displayName: 'a\0' }),
    await scim(`PATCH /Groups/${group}`, patch({ op: 'remove', path: 'members[value eq "\\u0000"]' })),
    await scim('GET /Users/%00'),
    await scim('GET /Users?filter=userName%20eq%20%22%00%22'),
    await scim(`GET /Users?filter=${encodeURIComponent('userName eq "\\u0000"')}`),
    await scim('GET /Users?sortBy=%00'),
    await scim('GET /Users?startIndex=1e30'),
    await scim('GET /Users?count=1e999'),
    await scim('GET /Groups?startIndex=9007199254740993'),
    await scim('POST /.search', { startIndex: 1e30 }),
    await scim('POST /.search', { count: 1e30 }),
    await scim(`GET /Users?cursor=${Buffer.from('{"offset":1e30}').toString('base64url')}`),
    await scim(`GET /Users?cursor=${Buffer.from(String.raw`{"after":["\u0000","x"]}`).toString('base64url')}`),
    await scim('POST /Users', JSON.parse(`${'{"a":'.repeat(2_000)}1${'}'.repeat(2_000)}`)),
  ]
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 400))
  const named = { schemas: [GROUP], displayName: 'Odd', externalId: 'e' }
  expect((await scim(`PUT /Groups/${group}`, named)).body['externalId']).toBe('e')
  await scim(`PATCH /Groups/${group}`, patch({ op: 'replace', path: 'externalId', value: null }))
  expect((await scim(`GET /Groups/${group}`)).body['externalId']).toBeUndefined()
  const pathless = patch({ op: 'replace', path: null, value: { title: 'Chef' } })
  expect((await scim(`PATCH /Users/${id}`, pathless)).body['title']).toBe('Chef')
})
