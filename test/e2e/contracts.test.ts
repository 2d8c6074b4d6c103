/** A contract backend behind an ordinary gateway: what becomes a tool, what a call sends, what comes back, and what never leaves. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { TestGateway } from '../../packages/gateway/src/testing/gateway.ts'
import { connectClient } from './peers/clients/client.ts'
import { ask, callTool, type RawAnswer } from './peers/clients/raw-client.ts'
import { createState, startContractBackend, type ContractBackend } from './peers/contract-backend/backend.ts'
import { COMPOUND_TOOLS, EXCLUDED, EXPOSED } from './peers/contract-backend/contracts.ts'
import { openGateway } from './peers/open-gateway.ts'

const BACKEND_KEY = 'backend-key-3f9a'
const parts = new AsyncDisposableStack()
let backend: ContractBackend
let gateway: TestGateway
beforeAll(async () => {
  backend = parts.use(await startContractBackend({ key: BACKEND_KEY }))
  const contract = (words: object = {}) => ({
    kind: 'contract' as const,
    url: backend.url,
    headers: { 'X-API-Key': BACKEND_KEY },
    words: { organization: 'acme', ...words },
  })
  gateway = parts.use(
    await openGateway({
      connections: [
        { alias: 'cwr', wire: contract() },
        { alias: 'wide', wire: contract({ side_effects: true, exposes: 'all' }) },
      ],
    }),
  )
})
afterAll(() => parts.disposeAsync())
beforeEach(() => {
  backend.state.requests.length = 0
  Object.assign(backend.state, {
    ...createState(),
    requests: backend.state.requests,
    contracts: backend.state.contracts,
  })
})

const peer = (url = gateway.connectionUrl('cwr')) => ({ url, key: gateway.key, era: 'modern' as const })
const call = (name: string, given: Record<string, unknown>, options = {}) => callTool(peer(), name, given, options)
const textOf = ({ answer }: RawAnswer) => answer.result?.content?.map(({ text }) => text).join('\n') ?? ''
const executed = () => backend.asked('execute')

describe('a call', () => {
  test('S1-CAL-07, S1-CWR-02: goes to the address of its function, with its parameters and nothing tried out', async () => {
    const { answer } = await call('search_assets', { query: 'plans', limit: 3 })
    expect(answer.result?.isError).not.toBe(true)
    expect(answer.result?.['structuredContent']).toHaveLength(3)
    expect(executed()).toMatchObject([
      {
        method: 'POST',
        path: '/api/v1/cwr/functions/search_assets/execute',
        body: { params: { query: 'plans', limit: 3, org_id: 'acme' }, dry_run: false },
      },
    ])
  })
})
describe('the list', () => {
  test('S1-EXP-01', async () => {
    await using client = await connectClient({
      kind: 'SDK 2 by discovery',
      url: gateway.connectionUrl('cwr'),
      key: gateway.key,
    })
    const names = (await client.tools()).map(({ name }) => name)
    expect(names.sort()).toEqual(EXPOSED.filter((name) => !COMPOUND_TOOLS.includes(name)).sort())
  })
})
