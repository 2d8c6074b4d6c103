/**
 * The client of the client suites, for all scenarios of one run: for each, it makes the scenario's server an upstream of the gateway
 * under test, as an operator would, and is then a client at the gateway's door that does what the scenario wants done.
 *
 * `node client-driver.script.ts --address URL --downstream modern|legacy`, started with a channel and with TOOLWAY_DATA naming the
 * gateway's directory. It sends the port on which the commands of the suites (client-command.script.ts) ask for their scenarios: to
 * load it for each of them took longer than most scenarios. It judges nothing but its own results: what the server saw is the suite's
 * to judge.
 */
import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { parseArgs } from 'node:util'
import { setTimeout as pause } from 'node:timers/promises'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { addConnection, removeConnection } from '@toolway/contract/admin'
import { awaitContact } from '../../packages/gateway/src/cli/connection/contact.ts'
import { createOutput } from '../../packages/gateway/src/cli/terminal/output.ts'
import { withTransport } from '../../packages/gateway/src/cli/transport/with-transport.ts'
import { createPerson, type Person } from './client-person.ts'
import { storyOf } from './client-stories.ts'
import { endpointOf } from './gateway-under-test.ts'
import { TOLD, type Asked } from './told.ts'
import type { Story } from './story.ts'

type Told = { tools?: number }

const ORGANIZATION = 'default'
const PATIENCE_MS = 10_000

const { values } = parseArgs({
  options: { address: { type: 'string', default: '' }, downstream: { type: 'string', default: 'modern' } },
})
let scenarios = 0

// What asks may be killed by its suite in the middle of a scenario.
const door = createServer({ allowHalfOpen: true }, (socket) => void answer(socket.on('error', () => {})))
door.listen(0, '127.0.0.1')
await once(door, 'listening')
process.send?.((door.address() as AddressInfo).port)
process.on('disconnect', () => process.exit())

async function answer(socket: Socket): Promise<void> {
  const words = await text(socket).catch(() => '')
  // Its suite ended what asked.
  if (words === '') return
  const said = await play(JSON.parse(words) as Asked).then(
    () => TOLD,
    (thrown: unknown) => (thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)),
  )
  socket.end(said)
}

/** Rejects where the story could not be told to its end. */
async function play({ scenario, context, server }: Asked): Promise<void> {
  const story = storyOf(scenario, JSON.parse(context))
  const alias = `scenario-${process.pid}-${++scenarios}`
  const url = endpointOf(values.address, alias)
  const person = createPerson(values.address, alias, story.client)

  const added = await withTransport(async (transport) => {
    await transport.call(addConnection, {
      params: { organization: ORGANIZATION },
      body: { alias, url: server, timeout: 20 },
    })
    return awaitContact(transport, { organization: ORGANIZATION, alias, done: 'Added' }, createOutput(true))
  })
  const told: Told = { ...(added.value as { tools?: number }) }
  try {
    // A server that wants an account lets nobody in before a person has connected one.
    if (story.enter === undefined && added.code !== undefined)
      throw new Error(`the gateway cannot use the scenario's server: ${JSON.stringify(told)}`)
    if (story.enter !== undefined) delete told.tools
    if ((await story.enter?.(person)) !== 'stays out') await tell(story, url, person, told)
  } finally {
    const params = { organization: ORGANIZATION, connection: alias }
    await withTransport(({ call }) => call(removeConnection, { params }))
  }
}

async function tell(story: Story, url: string, person: Person, told: Told): Promise<void> {
  const mode = values.downstream === 'legacy' ? 'legacy' : ({ pin: '2026-07-28' } as const)
  const capabilities = { elicitation: { form: { applyDefaults: true } }, sampling: {}, roots: {} }
  const client = new Client({ name: 'conformance', version: '1.0.0' }, { capabilities, versionNegotiation: { mode } })
  story.prepare?.(client)
  const transport = new StreamableHTTPClientTransport(new URL(url))
  await client.connect(transport)
  try {
    await listed(client, told)
    await story.tell(client, person)
  } finally {
    if (transport.sessionId !== undefined) await transport.terminateSession()
    await client.close()
  }
}

/** The catalog is stored a moment before the endpoint lists it; not every tool of it need be one that may be offered. */
async function listed(client: Client, told: Told): Promise<void> {
  for (const until = Date.now() + PATIENCE_MS; ;) {
    const { tools } = await client.listTools(undefined, { cacheMode: 'refresh' })
    if (tools.length > 0 || told.tools === 0) return
    if (Date.now() > until) throw new Error(`the gateway lists no tool of ${told.tools}`)
    await pause(50)
  }
}
