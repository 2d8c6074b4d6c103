/** n8n behind the gateway: its tagged, active workflows are tools, run by their webhook or form. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startTestGateway, type TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { callTool } from '../peers/clients/raw-client.ts'
import { startN8n, type N8nDouble, type Node, type Workflow } from '../peers/n8n/n8n-double.ts'
import { openGateway, toolNames } from '../peers/open-gateway.ts'
import { until } from '../peers/until.ts'

const TAG = [{ name: 'toolway' }]
const webhook = (parameters: object, more: Partial<Node> = {}): Node => ({
  name: 'Webhook',
  type: 'n8n-nodes-base.webhook',
  webhookId: '11111111-1111-4111-8111-111111111111',
  parameters: { responseMode: 'lastNode', ...parameters },
  ...more,
})
const note = (content: string): Node => ({ name: 'Note', type: 'n8n-nodes-base.stickyNote', parameters: { content } })
const SCHEMA =
  '```json\n{"type":"object","properties":{"client":{"type":"string"},"limit":{"type":"integer"}},"required":["client"]}\n```'

const bodyOf = (input: Record<string, unknown>) => input['body'] as Record<string, unknown>

const WORKFLOWS: Workflow[] = [
  {
    id: 'wf1',
    name: 'Client database query',
    active: true,
    tags: [...TAG, { name: 'toolway:read' }],
    nodes: [webhook({ path: 'clients', httpMethod: 'POST' }), note(`Finds the records of a client.\n${SCHEMA}`)],
    run: (input) => ({ found: [`${String(bodyOf(input)['client'])} Ltd`] }),
  },
  {
    id: 'wf2',
    name: 'Transcript analysis',
    active: true,
    tags: TAG,
    nodes: [webhook({ path: 'transcripts', httpMethod: 'POST', responseMode: 'onReceived' })],
    slow: 900,
    run: (input) => [{ words: String(bodyOf(input)['text']).split(' ').length }],
  },
  {
    id: 'wf3',
    name: 'Vendor agreement search',
    active: true,
    tags: TAG,
    nodes: [webhook({ path: 'vendors/:vendor/agreements' })],
    run: ({ params, query }) => ({ params, query }),
  },
  {
    id: 'wf4',
    name: 'Order form',
    active: true,
    tags: [...TAG, { name: 'toolway:destructive' }],
    nodes: [
      {
        name: 'Form',
        type: 'n8n-nodes-base.formTrigger',
        parameters: {
          path: 'order',
          formFields: {
            values: [
              { fieldLabel: 'Article', requiredField: true },
              { fieldLabel: 'Count', fieldType: 'number' },
              {
                fieldLabel: 'Colour',
                fieldType: 'dropdown',
                fieldOptions: { values: [{ option: 'red' }, { option: 'blue' }] },
              },
            ],
          },
        },
      },
    ],
    run: (input) => ({ ordered: bodyOf(input)['data'] }),
  },
  {
    id: 'wf5',
    name: 'Guarded',
    active: true,
    tags: TAG,
    nodes: [webhook({ path: 'guarded', httpMethod: 'POST', authentication: 'headerAuth' })],
    run: () => ({ in: true }),
  },
  {
    id: 'wf6',
    name: 'Fails',
    active: true,
    tags: TAG,
    nodes: [webhook({ path: 'fails', httpMethod: 'POST' })],
    run: () => {
      throw new Error('no such table')
    },
  },
  {
    id: 'wf7',
    name: 'Nightly',
    active: true,
    tags: TAG,
    nodes: [{ name: 'Cron', type: 'n8n-nodes-base.scheduleTrigger', parameters: {} }],
  },
  {
    id: 'wf8',
    name: 'Its own server',
    active: true,
    tags: TAG,
    nodes: [{ name: 'MCP', type: '@n8n/n8n-nodes-langchain.mcpTrigger', parameters: { path: 'mytools' } }],
  },
  { id: 'wf9', name: 'Switched off', active: false, tags: TAG, nodes: [webhook({ path: 'off' })] },
  { id: 'wg1', name: 'Private', active: true, tags: [], nodes: [webhook({ path: 'private' })] },
  {
    id: 'wg2',
    name: 'Fails later',
    active: true,
    tags: TAG,
    nodes: [webhook({ path: 'fails-later', httpMethod: 'POST', responseMode: 'onReceived' })],
    slow: 100,
    run: () => {
      throw new Error('the mailbox is full')
    },
  },
]

let n8n: N8nDouble
let gateway: TestGateway
const wireOf = ({ url, key }: Pick<N8nDouble, 'url' | 'key'>, words = {}) => ({
  kind: 'n8n' as const,
  url,
  headers: { 'X-N8N-API-KEY': key, 'X-Company': 'secret' },
  words: { listed_for: 5, ...words },
})
beforeAll(async () => {
  n8n = await startN8n([...WORKFLOWS], { pageSize: 3 })
  gateway = await openGateway({ connections: [{ alias: 'company', wire: wireOf(n8n) }] })
})
afterAll(async () => {
  await gateway?.[Symbol.asyncDispose]()
  await n8n?.[Symbol.asyncDispose]()
})
beforeEach(() => void n8n.next.splice(0))

interface Tool {
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly inputSchema: object
  readonly annotations?: object
}
const peer = () => ({ url: gateway.connectionUrl('company'), key: gateway.key, era: 'modern' as const })
const call = async (name: string, given: Record<string, unknown> = {}, options = {}) =>
  (await callTool(peer(), name, given, options)).answer.result as {
    isError?: boolean
    structuredContent?: unknown
    content?: { text: string }[]
  }

describe('workflows', () => {
  test('S0-PRX-08: that are active and tagged become tools, with the schema of their form or their notes', async () => {
    const answer = await fetch(`${gateway.address}/list/apps/company/tools`, {
      headers: { authorization: `Bearer ${gateway.key}` },
    })
    const tools = new Map(((await answer.json()) as Tool[]).map((tool) => [tool.name.replace('company__', ''), tool]))
    expect([...tools.keys()].sort()).toEqual([
      'client_database_query',
      'fails',
      'fails_later',
      'guarded',
      'order_form',
      'transcript_analysis',
      'vendor_agreement_search',
    ])
    expect(tools.get('client_database_query')).toMatchObject({
      title: 'Client database query',
      description: 'Finds the records of a client.',
      inputSchema: { properties: { client: { type: 'string' } }, required: ['client'] },
      annotations: { readOnlyHint: true },
    })
    expect(tools.get('order_form')).toMatchObject({
      inputSchema: {
        properties: { Article: { type: 'string' }, Count: { type: 'number' }, Colour: { enum: ['red', 'blue'] } },
        required: ['Article'],
      },
      annotations: { destructiveHint: true },
    })
    expect(tools.get('vendor_agreement_search')).toMatchObject({ inputSchema: { required: ['vendor'] } })
    // Asked in pages, with filters that n8n describes, and by the key of the API alone.
    expect(n8n.asked.filter((one) => one.includes('cursor=')).length).toBeGreaterThan(0)
    expect(n8n.apiHeaders.every((headers) => headers['x-company'] === undefined)).toBe(true)
  })

  test('that are none say why to an administrator', async () => {
    const answer = await fetch(`${gateway.address}/api/v1/admin/tenants/default/connectors/company`, {
      headers: { authorization: `Bearer ${gateway.key}` },
    })
    const { left_out } = (await answer.json()) as { left_out: unknown[] }
    expect(left_out).toEqual([
      { name: 'Nightly', reason: 'it has neither a Webhook nor a Form trigger, so a request cannot start it' },
      { name: 'Its own server', reason: 'it is itself an MCP server: connect its address, …/mcp/mytools' },
    ])
  })

  test('come and go with their tag, without a restart', { tags: 'long' }, async () => {
    const added = { ...WORKFLOWS[0]!, id: 'wh1', name: 'New one', nodes: [webhook({ path: 'new' })] }
    n8n.workflows.push(added)
    await until('it is listed', async () => (await toolNames(gateway, peer().url)).includes('new_one'))
    n8n.workflows.splice(n8n.workflows.indexOf(added), 1)
    await until('it is gone', async () => !(await toolNames(gateway, peer().url)).includes('new_one'))
  })
})

describe('a call', () => {
  test('S0-PRX-08: runs the workflow once, with its arguments, and gives its output as JSON', async () => {
    const before = n8n.ran.length
    const result = await call('client_database_query', { client: 'Acme' })
    expect(result.structuredContent).toEqual({ found: ['Acme Ltd'] })
    const ran = n8n.ran.slice(before)
    expect(ran).toMatchObject([{ method: 'POST', body: { client: 'Acme' } }])
    expect(ran[0]?.headers['idempotency-key']).toMatch(/^[0-9a-f-]{36}$/)
    expect(ran[0]?.headers['idempotency-key']).not.toBe(ran[0]?.headers['x-correlation-id'])
    expect(ran[0]?.headers).not.toHaveProperty('x-n8n-api-key')
  })

  test('puts arguments into the path and the query', async () => {
    const result = await call('vendor_agreement_search', { vendor: 'a/b', year: 2026, open: true })
    expect(result.structuredContent).toEqual({ params: { vendor: 'a%2Fb' }, query: { year: '2026', open: 'true' } })
  })

  test('of a form sends its fields as its page does', async () => {
    const result = await call('order_form', { Article: 'Chair', Colour: 'red' })
    expect(result.structuredContent).toEqual({ ordered: { 'field-0': 'Chair', 'field-2': 'red' } })
    expect((await call('order_form', { Colour: 'green' })).content?.[0]?.text).toContain('INVALID_ARGUMENT')
  })

  test('of a workflow that answers at once is followed to its end, with progress', async () => {
    const said: string[] = []
    const result = await callTool(
      peer(),
      'transcript_analysis',
      { text: 'one two three' },
      { meta: { progressToken: 'p1' } },
    )
    said.push(result.text)
    expect(result.answer.result?.structuredContent).toEqual({ words: 3 })
    expect(said.join('\\n')).toContain('notifications/progress')
    const failed = await call('fails_later', {})
    expect(failed.isError).toBe(true)
    expect(failed.content?.[0]?.text).toContain('the mailbox is full')
  })

  test('of such a workflow gives the answer of its webhook where executions cannot be read', async () => {
    n8n.blind = true
    try {
      expect((await call('transcript_analysis', { text: 'x' })).structuredContent).toEqual({
        message: 'Workflow was started',
      })
    } finally {
      n8n.blind = false
    }
  })

  test('that fails says what n8n says', async () => {
    expect((await call('fails')).content?.[0]?.text).toMatch(
      /^EXECUTION_ERROR: n8n reported an error for fails: Error in workflow/,
    )
    n8n.next.push(502)
    expect((await call('guarded')).content?.[0]?.text).toContain('HTTP 502')
    expect((await call('client_database_query', {})).content?.[0]?.text).toContain('INVALID_ARGUMENT')
  })

  test('is sent once, whatever becomes of it', async () => {
    for (const failure of ['cut', 502, 503] as const) {
      const before = n8n.ran.length
      n8n.next.push(failure)
      expect((await call('guarded')).isError).toBe(true)
      expect(n8n.ran.length).toBe(before + 1)
    }
  })

  test('of a workflow that has just been switched off is a clear error', async () => {
    const found = n8n.workflows.find(({ id }) => id === 'wf5')!
    found.active = false
    try {
      const text = (await call('guarded')).content?.[0]?.text ?? ''
      expect(text).toMatch(/NOT_FOUND|TOOL_NOT_FOUND/)
    } finally {
      found.active = true
    }
  })
})

test('a wrong key, and an address that is no n8n, are said to whoever looks at the connection', async () => {
  await using other = await startTestGateway({
    connections: [
      { alias: 'wrong', wire: wireOf({ url: n8n.url, key: 'wrong' }) },
      { alias: 'elsewhere', wire: wireOf({ url: `${gateway.address}/api/v1/live`, key: 'x' }) },
    ],
  })
  expect(await other.settled('wrong')).toMatchObject({
    status: 'needs_auth',
    reason: expect.stringContaining('HTTP 401') as string,
  })
  expect(await other.settled('elsewhere')).toMatchObject({ status: 'error', tools: 0 })
})
