/**
 * The actions for each client scenario of the suites: one story per scenario, carried out by a client at the gateway's endpoint.
 *
 * A story fails when the gateway's answer differs from that of the scenario's server. The suite checks how the gateway made the
 * request.
 */
import assert from 'node:assert/strict'
import type { Client } from '@modelcontextprotocol/client'
import { SIGN_IN_STORIES } from './sign-in-stories.ts'
import { Context, type Story } from './story.ts'

/** The story of a scenario, with what the suite told the client about it. Throws for a scenario that has none. */
export function storyOf(scenario: string, context: unknown): Story {
  const make = Object.hasOwn(STORIES, scenario) ? STORIES[scenario] : undefined
  if (make === undefined) throw new Error(`there is no story for the scenario ${scenario}`)
  return make(Context.parse(context))
}

const list: Story = { tell: async (client) => void (await client.listTools()) }

const STORIES: Readonly<Record<string, (context: Context) => Story>> = {
  initialize: () => list,
  'request-metadata': () => list,
  'json-schema-ref-no-deref': () => list,
  tools_call: () => ({
    tell: async (client) => assert.match(await textOf(client, 'add_numbers', { a: 5, b: 3 }), /8/),
  }),
  'sse-retry': () => ({
    tell: async (client) => assert.match(await textOf(client, 'test_reconnection'), /completed successfully/),
  }),
  'elicitation-sep1034-client-defaults': () => ({
    // Nothing is filled in: the defaults are the client's to apply.
    prepare: (client) =>
      client.setRequestHandler('elicitation/create', () => ({ action: 'accept' as const, content: {} })),
    tell: async (client) => void (await textOf(client, 'test_client_elicitation_defaults')),
  }),
  'sep-2322-client-request-state': () => rounds,
  'http-standard-headers': () => standardHeaders,
  'http-custom-headers': ({ toolCalls }) => ({
    async tell(client) {
      assert.notEqual(toolCalls.length, 0)
      for (const call of toolCalls) await textOf(client, call.name, call.arguments)
    },
  }),
  'http-invalid-tool-headers': () => survivors,
  'json-schema-2020-12-preservation': () => schemaEcho,
  ...SIGN_IN_STORIES,
}

/** Another tool is called while the first one waits for its answer: what belongs to one call must not reach the other. */
const rounds: Story = {
  prepare(client) {
    client.setRequestHandler('elicitation/create', async () => {
      assert.equal(await textOf(client, 'test_mrtr_unrelated'), 'unrelated-ok')
      return { action: 'accept' as const, content: { confirmed: true } }
    })
  },
  async tell(client) {
    assert.equal(await textOf(client, 'test_mrtr_echo_state'), 'echo-state-ok')
    assert.equal(await textOf(client, 'test_mrtr_no_state'), 'no-state-ok')
    assert.equal(await textOf(client, 'test_mrtr_no_result_type'), 'no-result-type-test-ok')
  },
}

const standardHeaders: Story = {
  async tell(client) {
    for (const { name } of (await client.listTools()).tools) await textOf(client, name)
    const { resources } = await client.listResources()
    assert.equal(resources.length, 2)
    for (const { uri } of resources) await client.readResource({ uri })
    const { prompts } = await client.listPrompts()
    assert.equal(prompts.length, 1)
    for (const { name } of prompts) await client.getPrompt({ name })
  },
}

/** Every tool that is still offered is called, with something for whatever it requires. */
const survivors: Story = {
  async tell(client) {
    const { tools } = await client.listTools()
    assert.deepEqual(
      tools.map(({ name }) => name),
      ['valid_tool'],
    )
    for (const { name, inputSchema } of tools) {
      const given = Object.fromEntries((inputSchema.required ?? []).map((key) => [key, 'x']))
      await textOf(client, name, given)
    }
  },
}

const schemaEcho: Story = {
  async tell(client) {
    const { tools } = await client.listTools()
    const schema = tools.find(({ name }) => name === 'json_schema_2020_12_tool')?.inputSchema
    assert.ok(schema)
    assert.equal(await textOf(client, 'json_schema_echo', { schema }), 'echoed')
  },
}

async function textOf(client: Client, name: string, given: Record<string, unknown> = {}): Promise<string> {
  const result = await client.callTool({ name, arguments: given })
  const [first] = result.content
  const text = first?.type === 'text' ? first.text : ''
  assert.notEqual(result.isError, true, `${name}: ${text}`)
  return text
}
