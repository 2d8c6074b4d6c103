/** People come in by a CSV file before they first sign in, and go out as one: each line for itself, and a preview writes nothing. */
import { csvRows } from '@toolway/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { ensureOrganization } from '../../../packages/gateway/src/organizations/organizations.ts'
import type { TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { addKey, addMember, addUser, changesIn, createAsk, type Ask } from '../peers/people/administrators.ts'
import { openGateway } from '../peers/open-gateway.ts'

const MEMBERS = '/api/v1/admin/tenants/default/members'
const GROUPS = '/api/v1/admin/tenants/default/groups'
const parts = new AsyncDisposableStack()
let gateway: TestGateway
let admin: Ask
beforeAll(async () => {
  gateway = parts.use(await openGateway({}))
  const { id } = gateway.organization
  await addMember(gateway, id, await addUser(gateway, 'boss@example.com'), 'tenant_admin')
  admin = createAsk(gateway, await addKey(gateway, { role: 'tenant_admin', organization: id }))
  await admin(`PUT ${GROUPS}/finance`, { title: 'Finance & Control' })
})
afterAll(() => parts.disposeAsync())

const Count = z.object({ count: z.int() })
const rowsNow = async () =>
  (
    await gateway.db.system(
      (sql) => sql(Count)`
        select ((select count(*) from users) + (select count(*) from members) + (select count(*) from records)
                + (select count(*) from keys) + (select count(*) from group_members))::int as count`,
    )
  )[0]?.count

const preview = (csv: string) => admin(`POST ${MEMBERS}/import/preview`, { csv })
const run = (csv: string, more = {}) => admin(`POST ${MEMBERS}/import`, { csv, ...more })

test('C-ID-19: bad lines are named by their numbers, and take no neighbour along', async () => {
  const csv = [
    '\uFEFFName;E-Mail;Role;Groups;Cost centre',
    '"Ada ""Countess"" <script>";ADA@example.com;admin;Finance & Control;7',
    'Broken;not an address;member;;7',
    '"Open;open@example.com;member;;7',
    "Bob O'Brien;bob@example.com;viewer;finance|nowhere;7",
    ';carol@example.com;;finance;7',
    'Dan;dan@example.com;owner;;7',
    'Eve;eve@example.com;member;;7;8;9',
    'Ada again;ada@EXAMPLE.com;member;;7',
    '',
    `${'x'.repeat(101)};long@example.com;member;;7`,
    'Boss;boss@example.com;viewer;;7',
  ].join('\r\n')
  const before = await rowsNow()
  const shown = await preview(csv)
  expect(shown.status).toBe(200)
  expect(await rowsNow()).toBe(before)
  expect(shown.body['ignored_columns']).toEqual(['Cost centre'])
  const results = (body: Record<string, unknown>) =>
    (body['items'] as Record<string, unknown>[]).map(({ line, result, problem, about }) => [
      line,
      result,
      problem,
      about,
    ])
  const expected = [
    [2, 'add', null, null],
    [3, 'refuse', 'email', 'not an address'],
    [4, 'refuse', 'quote', null],
    [5, 'refuse', 'group', 'nowhere'],
    [6, 'add', null, null],
    [7, 'refuse', 'role', 'owner'],
    [8, 'refuse', 'cells', '7'],
    [9, 'refuse', 'duplicate', '2'],
    [11, 'refuse', 'name', 'x'.repeat(101)],
  ]
  expect(results(shown.body)).toEqual([...expected, [12, 'change', null, null]])
  // The file makes Ada an administrator, so that the one before may step down.
  const done = await run(csv)
  expect(results(done.body)).toEqual([...expected, [12, 'change', null, null]])
  expect(done.body['counts']).toEqual({ add: 2, change: 1, same: 0, refuse: 7 })
  expect((await admin(`GET ${MEMBERS}?search=ada@`)).body).toMatchObject({
    items: [
      {
        name: 'Ada "Countess" <script>',
        role: 'tenant_admin',
        groups: ['finance'],
        signed_in_at: null,
        source: 'manual',
      },
    ],
  })
  expect((await admin(`GET ${MEMBERS}?search=carol`)).body).toMatchObject({
    items: [{ name: 'carol', role: 'tenant_member', groups: ['finance'] }],
  })
  const changes = (await changesIn(gateway)).slice(-6)
  expect(changes.map(({ method }) => method)).toEqual([
    ...['member.add', 'member.add', 'group.join', 'group.join', 'member.change', 'member.import'],
  ])
  expect((await run(csv)).body['counts']).toEqual({ add: 0, change: 0, same: 3, refuse: 7 })
})

test('the last administrator stays, and the others of the file come nevertheless', async () => {
  const done = await run('email,role\nfirst@example.com,member\nada@example.com,viewer\nsecond@example.com,member\n')
  expect(done.body['items']).toMatchObject([
    { result: 'add' },
    { result: 'refuse', problem: 'last-admin' },
    { result: 'add' },
  ])
})

test('people who were invited keep their codes where another line of the file is refused', async () => {
  const csv =
    'email,role,groups\nthird@example.com,member,finance\nada@example.com,viewer,\nfourth@example.com,member,\n'
  const items = (await run(csv, { invite: true })).body['items'] as Record<string, unknown>[]
  const code = expect.stringMatching(/.{8,}/) as string
  expect(items).toMatchObject([
    { result: 'add', code, groups: ['finance'] },
    { result: 'refuse', problem: 'last-admin', code: null },
    { result: 'add', code },
  ])
  const stored = await gateway.db.system(
    (sql) => sql(z.object({ n: z.int() }))`
      select count(*)::int as n from records join users on users.id = records.resource_id
       where method = 'member.add' and email in ('third@example.com', 'fourth@example.com')`,
  )
  expect(stored).toEqual([{ n: 2 }])
})

test('an account of another organization is not told of by a preview, and is not taken', async () => {
  const other = await gateway.db.system((sql) => ensureOrganization(sql, 'elsewhere', undefined, 'test'))
  const theirs = await addUser(gateway, 'theirs@example.com')
  await addMember(gateway, other.id, theirs, 'tenant_member')
  const csv = 'email\ntheirs@example.com\nnobody@example.com'
  const shown = (await preview(csv)).body['items'] as Record<string, unknown>[]
  expect(shown.map(({ line: _, email: __, ...rest }) => rest)[0]).toEqual(
    shown.map(({ line: _, email: __, ...rest }) => rest)[1],
  )
  expect((await run(csv, { invite: true })).body['items']).toMatchObject([
    { result: 'refuse', problem: 'unproven', code: null },
    { result: 'add', code: expect.stringMatching(/^[\w-]{8,}$/) },
  ])
  const key = await addKey(gateway, { role: 'tenant_admin', organization: other.id })
  const stranger = createAsk(gateway, key)
  expect((await stranger(`POST ${MEMBERS}/import`, { csv })).status).toBe(404)
  expect((await stranger(`GET ${MEMBERS}/export`)).status).toBe(404)
})

test('a file that is no list of people is refused in a sentence', async () => {
  for (const [csv, sentence] of [
    ['name;role\nAda;admin', 'has no column "email" in its first line'],
    ['email,mail\na@example.com,b@example.com', 'has the column "email" twice'],
    [`email\n${'x@example.com\n'.repeat(10_001)}`, 'has more than 10000 lines'],
    ['\n\n', 'has no column "email"'],
  ] as const)
    expect(await preview(csv), sentence).toMatchObject({
      status: 422,
      body: { detail: expect.stringContaining(sentence) },
    })
  const bytes = Buffer.concat([
    Buffer.from('{"csv":"email,name\\na@example.com,M'),
    Buffer.of(0xfc),
    Buffer.from('ller"}'),
  ])
  const answer = await fetch(`${gateway.address}${MEMBERS}/import/preview`, {
    ...{ method: 'POST', body: bytes },
    headers: {
      authorization: `Bearer ${await addKey(gateway, { role: 'tenant_admin', organization: gateway.organization.id })}`,
      'content-type': 'application/json',
    },
  })
  expect(answer.status).toBe(400)
  expect(await answer.text()).toContain('UTF-8')
})

test('C-ID-19: an export has everybody, is safe in a spreadsheet, and is read by an import', async () => {
  await run('name,email\n"=HYPERLINK(""http://evil"")",formula@example.com\n@sum,+plus@example.com')
  const { text, headers } = await admin(`GET ${MEMBERS}/export`)
  expect(headers.get('content-disposition')).toContain('default-members.csv')
  expect(text).toContain(`"'=HYPERLINK(""http://evil"")"`)
  expect(text).toContain(`'@sum,'+plus@example.com`)
  const { total } = (await admin(`GET ${MEMBERS}?limit=1`)).body
  expect(csvRows(text)).toHaveLength(Number(total) + 1)
  const again = (await preview(text)).body
  expect(again).toMatchObject({
    counts: { add: 0, change: 0, refuse: 0 },
    ignored_columns: ['state', 'source', 'added_at', 'last_seen_at'],
  })
  expect((await admin(`GET ${MEMBERS}/export?group=finance&role=tenant_admin`)).text.trim().split('\r\n')).toHaveLength(
    2,
  )
  expect((await changesIn(gateway)).at(-1)).toMatchObject({ method: 'member.export' })
})

test(
  'C-ID-19: ten thousand people come in by one file, and one bad line among them is left out',
  { tags: 'long' },
  async () => {
    const lines = Array.from({ length: 10_000 }, (_, n) => `Person ${n},p${n}@company.example,member,finance`)
    lines[5_000] = 'Nobody,@,member,finance'
    const done = await run(`name,email,role,groups\n${lines.join('\n')}`)
    expect(done.body['counts']).toEqual({ add: 9_999, change: 0, same: 0, refuse: 1 })
    expect((await admin(`GET ${MEMBERS}?search=company.example&group=finance&limit=1`)).body['total']).toBe(9_999)
    const { text } = await admin(`GET ${MEMBERS}/export?search=company.example`)
    expect(csvRows(text)).toHaveLength(10_000)
  },
)
