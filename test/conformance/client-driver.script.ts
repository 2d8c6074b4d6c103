/**
 * The command that the client suites start for each scenario: it makes the scenario's server an upstream of the gateway under
 * test, as an operator would, and is then a client at the gateway's door that does what the scenario wants done.
 *
 * `node client-driver.script.ts --address URL --downstream modern|legacy SERVER`, with TOOLWAY_DATA naming the gateway's
 * directory and MCP_CONFORMANCE_SCENARIO and MCP_CONFORMANCE_CONTEXT as the suites set them. It judges nothing but its own
 * results: what the server saw is the suite's to judge. Exit code 1 says that the story could not be told to its end.
 */
import { parseArgs } from 'node:util'
import { setTimeout as pause } from 'node:timers/promises'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { addConnection, removeConnection } from '@toolway/contract/admin'
import { awaitContact } from '../../packages/gateway/src/cli/connection/contact.ts'
import { createOutput } from '../../packages/gateway/src/cli/terminal/output.ts'
import { withTransport } from '../../packages/gateway/src/cli/transport/with-transport.ts'
import { createPerson } from './client-person.ts'
import { storyOf } from './client-stories.ts'
import { endpointOf } from './gateway-under-test.ts'

const ORGANIZATION = 'default'
const PATIENCE_MS = 10_000

const { values, positionals } = parseArgs({
  options: { address: { type: 'string' }, downstream: { type: 'string', default: 'modern' } },
  allowPositionals: true,
})
const [server] = positionals
const { MCP_CONFORMANCE_SCENARIO: scenario, MCP_CONFORMANCE_CONTEXT: context = '{}' } = process.env
if (values.address === undefined || server === undefined || scenario === undefined) {
  process.stderr.write('usage: client-driver.script.ts --address URL --downstream modern|legacy SERVER\n')
  process.exit(2)
}
const story = storyOf(scenario, JSON.parse(context))
const alias = `scenario-${process.pid}`
const url = endpointOf(values.address, alias)
const person = createPerson(values.address, alias, story.client)

const added = await withTransport(async (transport) => {
  await transport.call(addConnection, {
    params: { organization: ORGANIZATION },
    body: { alias, url: server, timeout: 20 },
  })
  return awaitContact(transport, { organization: ORGANIZATION, alias, done: 'Added' }, createOutput(true))
})
const told: { tools?: number } = { ...(added.value as { tools?: number }) }
try {
  // A server that wants an account lets nobody in before a person has connected one.
  if (story.enter === undefined && added.code !== undefined)
    throw new Error(`the gateway cannot use the scenario's server: ${JSON.stringify(told)}`)
  if (story.enter !== undefined) delete told.tools
  if ((await story.enter?.(person)) !== 'stays out') await tell()
} finally {
  const params = { organization: ORGANIZATION, connection: alias }
  await withTransport(({ call }) => call(removeConnection, { params }))
}

async function tell(): Promise<void> {
  const mode = values.downstream === 'legacy' ? 'legacy' : ({ pin: '2026-07-28' } as const)
  const capabilities = { elicitation: { form: { applyDefaults: true } }, sampling: {}, roots: {} }
  const client = new Client({ name: 'conformance', version: '1.0.0' }, { capabilities, versionNegotiation: { mode } })
  story.prepare?.(client)
  const transport = new StreamableHTTPClientTransport(new URL(url))
  await client.connect(transport)
  try {
    await listed(client)
    await story.tell(client, person)
  } finally {
    if (transport.sessionId !== undefined) await transport.terminateSession()
    await client.close()
  }
}

/** The catalog is stored a moment before the endpoint lists it; not every tool of it need be one that may be offered. */
async function listed(client: Client): Promise<void> {
  for (const until = Date.now() + PATIENCE_MS; ;) {
    const { tools } = await client.listTools(undefined, { cacheMode: 'refresh' })
    if (tools.length > 0 || told.tools === 0) return
    if (Date.now() > until) throw new Error(`the gateway lists no tool of ${told.tools}`)
    await pause(50)
  }
}
