/** Functions of a contract backend that change something: at an endpoint of their own, for a key of its own, and after somebody's yes. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { ask, callTool, type RawAnswer } from '../peers/clients/raw-client.ts'
import { APPROVALS, LINK } from '../peers/approval-story.ts'
import { startContractBackend, type ContractBackend } from '../peers/contract-backend/backend.ts'
import { COMPOUND_TOOLS, EXCLUDED, EXPOSED } from '../peers/contract-backend/contracts.ts'
import { openGateway } from '../peers/open-gateway.ts'
import { addKey, createAsk } from '../peers/people/administrators.ts'
import { join } from '../peers/people/people.ts'
import { until } from '../peers/until.ts'

const ADMIN_KEY = `uru_${'0a1b2c3d4e5f6071'.repeat(4)}`
const parts = new AsyncDisposableStack()
let backend: ContractBackend
let gateway: TestGateway
beforeAll(async () => {
  backend = parts.use(await startContractBackend())
  const words = { organization: 'acme', side_effects: true, exposes: 'all' as const }
  gateway = parts.use(
    await openGateway({
      connections: [{ alias: 'cwr', wire: { kind: 'contract', url: backend.url, headers: {}, words } }],
      toolsets: [
        { slug: 'agents', title: 'agents', settings: { include: ['*'], exclude: [], limit: 'read' } },
        { slug: 'admins', title: 'admins', settings: { include: ['*'], exclude: [], audience: { keys: ['admin'] } } },
      ],
      keys: [{ name: 'admin', value: ADMIN_KEY, toolset: undefined }],
    }),
  )
})
afterAll(() => parts.disposeAsync())

const at = (toolset: string, key = gateway.key) =>
  ({ url: `${gateway.address}/o/default/t/${toolset}/mcp`, key, era: 'modern' }) as const
const listed = async (toolset: string, key?: string) => {
  const { answer } = await ask(at(toolset, key), 'tools/list')
  return ((answer.result?.['tools'] ?? []) as { name: string }[]).map(({ name }) => name.replace('cwr__', '')).sort()
}
const textOf = ({ answer }: RawAnswer) => answer.result?.content?.[0]?.text ?? ''
const MAIL = { to: ['ada@example.com'], subject: 'Plans', body: 'Here they are.' }
const sent = () => backend.asked('execute')

test('S1-EXP-06: are shown by their own profile alone, which needs another key', async () => {
  expect(await listed('agents')).toEqual(EXPOSED.filter((name) => !COMPOUND_TOOLS.includes(name)).sort())
  expect((await callTool(at('agents'), 'cwr__send_email', MAIL)).answer.error?.message).toBe(
    'Unknown tool: cwr__send_email',
  )
  expect((await ask(at('admins'), 'tools/list')).status).toBe(404)
  expect(await listed('admins', ADMIN_KEY)).toEqual([...EXPOSED, ...EXCLUDED].sort())
  expect(sent()).toEqual([])
})

test('S1-EVO-04: are run in the profile of administrators once somebody has confirmed that very call', async () => {
  const platform = createAsk(gateway, await addKey(gateway, { role: 'platform_admin' }))
  const rule = {
    name: 'confirm',
    match: { connectors: ['contract'], effects: ['write', 'destructive'] },
    action: 'approve',
    reason: 'Somebody looks first',
  }
  expect((await platform('POST /api/v1/organizations/default/rules', rule)).status).toBe(201)
  const call = () => callTool(at('admins', ADMIN_KEY), 'cwr__send_email', MAIL)
  const asked = await until('the rule holds', async () => {
    const answer = await call()
    return textOf(answer).startsWith('APPROVAL_REQUIRED') && answer
  })
  const before = sent().length
  const id = LINK.exec(textOf(asked))?.[1] ?? ''
  const { token } = await join('bob@example.com', { ...gateway, roles: [[gateway.organization.id, 'tenant_admin']] })
  const answered = await createAsk(gateway, token)(`POST ${APPROVALS}/${id}/answer`, { answer: 'grant' })
  expect(answered.status, answered.text).toBe(200)
  expect(sent()).toHaveLength(before)
  const done = await until('the grant is known', async () => {
    const answer = await call()
    return answer.answer.result?.isError !== true && answer
  })
  expect(done.answer.result?.['structuredContent']).toEqual({ done: 'send_email' })
  expect(
    sent()
      .slice(before)
      .map(({ body }) => body?.['params']),
  ).toEqual([{ ...MAIL, org_id: 'acme' }])
  // The yes was for one call.
  expect(textOf(await call())).toMatch(/^APPROVAL_REQUIRED/)
  expect(sent()).toHaveLength(before + 1)
})
