/** A preview of a list over HTTP: it is what that caller is listed, and only for callers of the organization. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { ask } from '../peers/clients/raw-client.ts'
import { openGateway } from '../peers/open-gateway.ts'
import { addKey, addMember, addUser, createAsk, type Ask } from '../peers/people/administrators.ts'
import { httpWire } from '../peers/servers/real-servers.ts'
import { startToolsServer } from '../peers/servers/tools-server.ts'
import { steady } from '../peers/until.ts'

const tool = (name: string, readOnlyHint: boolean) => ({
  name,
  description: `It is ${name}.`,
  inputSchema: { type: 'object' as const, properties: { depth: { type: 'integer' } } },
  annotations: { readOnlyHint },
})
const READER = `uru_${'ab'.repeat(32)}`
const parts = new AsyncDisposableStack()
let gateway: TestGateway
let admin: Ask
beforeAll(async () => {
  const server = parts.use(
    await startToolsServer([{ alias: 'git', title: 'Git', tools: [tool('log', true), tool('push', false)] }]),
  )
  const settings = { include: ['*'], exclude: [] }
  gateway = parts.use(
    await openGateway({
      connections: [{ alias: 'git', wire: httpWire(server.urlOf('git')) }],
      toolsets: [
        { slug: 'paged', title: 'Paged', settings: { ...settings, discovery: 'paged', page: 1 } },
        { slug: 'few', title: 'Few', settings: { ...settings, audience: { members: ['maria@acme.test'] } } },
      ],
      keys: [{ name: 'reader', value: READER, toolset: undefined, limit: 'read' }],
      others: [{ slug: 'other', name: 'Other', connections: [], toolsets: [], keys: [] }],
    }),
  )
  const { organization } = gateway
  const [theirs] = await gateway.db.system(
    (sql) => sql(z.object({ id: z.string() }))`select id from organizations where slug = 'other'`,
  )
  const maria = await addUser(gateway, 'maria@acme.test')
  await addMember(gateway, organization.id, maria, 'tenant_member')
  await addMember(gateway, theirs?.id as never, await addUser(gateway, 'eve@other.test'), 'tenant_admin')
  admin = createAsk(gateway, await addKey(gateway, { role: 'tenant_admin', organization: organization.id }))
  const hidden = { name: 'no-push', match: { tools: ['push'], when: "principal.email == 'maria@acme.test'" } }
  const fixed = { name: 'shallow', match: {}, action: 'lock', parameters: { parameter: 'depth', value: 1 } }
  for (const rule of [
    { ...hidden, action: 'hide', reason: 'Not for Maria.' },
    { ...fixed, reason: 'Nobody goes deep.' },
  ])
    await admin('POST /api/v1/organizations/default/rules', rule)
})
afterAll(() => parts.disposeAsync())

const preview = (wanted: object) => admin('POST /api/v1/organizations/default/tools/preview', wanted)
const names = ({ body }: Awaited<ReturnType<typeof preview>>) =>
  (body['tools'] as { name: string }[]).map((one) => one.name)

describe('a preview of a list', () => {
  test('has the very tools that the caller is listed, whatever its limit, its page and its rules', async () => {
    for (const toolset of ['default', 'paged', 'read-only']) {
      const { answer } = await ask(
        { url: `${gateway.address}/o/default/t/${toolset}/mcp`, key: READER, era: 'modern' },
        'tools/list',
      )
      const { body } = await preview({ key: 'reader', toolset })
      expect(body).toMatchObject({ refused: null, tools: answer.result?.['tools'], role: 'tenant_member' })
    }
    const all = await preview({ role: 'tenant_member', toolset: 'paged' })
    expect(all.body).toMatchObject({ pages: 2, first_page: { tools: 1 }, discovery: 'paged' })
    expect(names(all)).toEqual(['git__log', 'git__push'])
    expect(JSON.stringify(all.body)).not.toContain('depth')
  })

  test('is that of the very person, and of nobody who is not of the organization', async () => {
    expect(names(await preview({ as: 'maria@acme.test' }))).toEqual(['git__log'])
    expect(names(await preview({ as: 'maria@acme.test', toolset: 'few' }))).toEqual(['git__log'])
    expect((await preview({ role: 'tenant_member', toolset: 'few' })).body).toMatchObject({
      refused: { code: 'place.unknown' },
      tools: [],
    })
    for (const stranger of [{ as: 'eve@other.test' }, { key: 'nobody' }, { connection: 'gone', as: 'x@y.test' }])
      expect((await preview(stranger)).status).toBe(404)
    expect((await preview({ as: 'maria@acme.test', role: 'tenant_admin' })).status).toBe(422)
  })

  test('leaves no record', async () => {
    const Row = z.object({ id: z.string() })
    const count = async () => (await gateway.db.system((sql) => sql(Row)`select id from records`)).length
    const before = await steady('the number of records', count)
    await preview({ as: 'maria@acme.test' })
    expect(await steady('the number of records', count)).toBe(before)
  })
})
