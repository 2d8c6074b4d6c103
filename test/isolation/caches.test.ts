/**
 * State that is stored between requests, and its owner: upstream sessions and credentials, client sessions, cursors, request
 * states, suspended calls, tasks, tool listings, roles. A thousand parallel calls never cross; an identifier given to one caller
 * is useless to another.
 */
// @module-tag long
import { expect, test } from 'vitest'
import { z } from 'zod'
import { CROWD, inLanes } from '../e2e/peers/lanes.ts'
import { startLegacyTasks } from '../e2e/peers/servers/legacy-tasks.ts'
import { startProbeOne } from '../e2e/peers/probes/probe-one-server.ts'
import { ask, callTool, openSession, type RawAnswer, type RawPeer } from '../e2e/peers/clients/raw-client.ts'
import { until } from '../e2e/peers/until.ts'
import { describeEachTown } from './each-town.ts'
import { digestOf, type Echoed } from './echo-server.ts'
import { SIDES, WORDS, type Side } from './sides.ts'
import { createTally } from './tally.ts'
import { keyOf, openTown, type Town } from './town.ts'

const CALLS = 1_000
const Nothing = z.object({})
const ABLE = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } } }

const peerOf = (town: Town, name: string, path = '/mcp'): RawPeer => ({
  ...{ url: `${town.gateway.address}${path}`, key: keyOf(town.caller(name)), era: 'modern' },
})
const echoedOf = ({ answer }: RawAnswer) => JSON.parse(answer.result?.content?.[0]?.text ?? '{}') as Partial<Echoed>
const faultOf = ({ answer }: RawAnswer) => answer.error?.data?.['fault']

describeEachTown('with servers that keep sessions,', { era: 'legacy' }, (town) => {
  test('a thousand calls at once by two people of each of two organizations are never crossed', async (context) => {
    const tally = createTally(context)
    const { gateway } = town()
    const people = await Promise.all(
      SIDES.flatMap((side) =>
        ['tenant_admin', 'tenant_member'].map(async (role) => {
          const name = `${role} key of ${side}`
          const session = await openSession(`${gateway.address}/mcp`, keyOf(town().caller(name)))
          return { side, name, peers: [session, peerOf(town(), name)], sessions: new Set<string>() }
        }),
      ),
    )
    // Each is known before all of them come at once: unknown keys take turns.
    for (const { name } of people) await callTool(peerOf(town(), name), 'same__whoami')
    const calls = Array.from({ length: CALLS }, (_, at) => ({ at, person: people[at % people.length] }))
    await inLanes(CROWD, calls, async ({ at, person }) => {
      if (person === undefined) return
      const { side, name, peers, sessions } = person
      const [peer] = at % 8 < 4 ? peers : peers.toReversed()
      if (peer === undefined) return
      const said = `${name} ${at}`
      const { word, credential, session, said: heard } = echoedOf(await callTool(peer, 'same__whoami', { said }))
      tally.check(heard === said, `${said} was answered ${heard}`)
      tally.check(word === WORDS[side], `${said} reached ${word}`)
      tally.check(credential === digestOf(`Bearer upstream-${WORDS[side]}`), `${said} was sent with ${credential}`)
      if (typeof session === 'string') sessions.add(session)
    })
    for (const one of people) {
      // One of the client's own session, one of the principal's.
      tally.check(one.sessions.size === 2, `${one.name} had ${one.sessions.size} sessions upstream`)
      for (const other of people.filter((person) => person !== one)) {
        const isApart = [...one.sessions].every((session) => !other.sessions.has(session))
        tally.check(isApart, `${one.name} and ${other.name} shared a session upstream`)
      }
    }
    tally.close()
  })

  test('a demotion, a removal and a revoked key count in every gateway, and stay so', async (context) => {
    const tally = createTally(context)
    const { gateway } = town()
    await using second = await gateway.another()
    const addresses = [gateway.address, second.address]
    const call = (address: string, key: string) =>
      callTool({ url: `${address}/mcp`, key, era: 'modern' }, 'same__whoami', { said: 'x' })
    const lesser = keyOf(town().caller('lesser key of zebrafish'))
    const own = keyOf(town().caller('tenant_member key of zebrafish'))
    const change = (text: string) => gateway.db.system((sql) => sql(Nothing)(Object.assign([text], { raw: [] })))
    const admin = `(select user_id from keys where name = 'same' and role = 'tenant_member' and organization_id = '${town().names.zebrafish.organizationId}')`
    const everywhere = async (what: string, key: string, fault: string) => {
      for (const address of addresses) {
        await until(`${what} counts`, async () => faultOf(await call(address, key)) === fault)
        // And so it stays: no older answer comes back from a cache.
        const again = await Promise.all(Array.from({ length: 20 }, () => call(address, key)))
        for (const answer of again) tally.check(faultOf(answer) === fault, `after ${what}: ${answer.text}`)
      }
    }
    for (const address of addresses)
      for (const key of [lesser, own]) tally.check(echoedOf(await call(address, key)).word === 'quetzal', 'before')
    await change(`update members set role = 'tenant_viewer' where user_id = ${admin}`)
    await everywhere('a demotion', lesser, 'role.forbidden')
    await change(`update users set active = false where id = ${admin}`)
    await everywhere('an account that is switched off', lesser, 'key.unknown')
    await change(
      `delete from keys where name = 'tenant_member' and organization_id = '${town().names.zebrafish.organizationId}'`,
    )
    await everywhere('a key that is removed', own, 'key.unknown')
    tally.close()
  })
})

const shared = async (parts: AsyncDisposableStack) => ({
  jobs: parts.use(await startLegacyTasks()).url,
  old: parts.use(await startProbeOne()).url,
})

test('what is handed to one means nothing in the hands of another: cursors, states, parked calls, tasks', async (context) => {
  const tally = createTally(context)
  await using parts = new AsyncDisposableStack()
  const town = parts.use(await openTown({ padded: true, shared: await shared(parts) }))
  const mine = peerOf(town, 'tenant_member key of default')
  const others = [
    'tenant_admin key of default',
    'tenant_member key of zebrafish',
    'tenant_admin of zebrafish',
    'platform key',
  ]
  await until('all lists are there', async () => {
    const seen = await Promise.all(SIDES.map((side) => ask(peerOf(town, `tenant_member key of ${side}`), 'tools/list')))
    return seen.every(({ text }) => ['jobs__', 'old__', 'same__', 'nextCursor'].every((name) => text.includes(name)))
  })
  const given: { what: string; fault: string; use(peer: RawPeer): Promise<RawAnswer> }[] = []

  const { answer } = await ask(mine, 'tools/list')
  const cursor = answer.result?.['nextCursor']
  given.push({ what: 'a cursor', fault: 'cursor.unknown', use: (peer) => ask(peer, 'tools/list', { cursor }) })

  for (const name of ['same__question', 'old__ask']) {
    const asked = await callTool(mine, name, {}, { meta: ABLE })
    const requestState = asked.answer.result?.['requestState']
    const requests = Object.keys(asked.answer.result?.['inputRequests'] ?? {})
    const inputResponses = Object.fromEntries(requests.map((key) => [key, { action: 'decline' }]))
    expect(requestState, asked.text).toBeTypeOf('string')
    given.push({
      what: `the state of ${name}`,
      fault: 'state.unknown',
      use: (peer) => ask(peer, 'tools/call', { name, arguments: {}, requestState, inputResponses }, { meta: ABLE }),
    })
  }

  const meta = { 'io.modelcontextprotocol/clientCapabilities': { extensions: { 'io.modelcontextprotocol/tasks': {} } } }
  const begun = await callTool(mine, 'jobs__required_delay', { ms: 60_000 }, { meta })
  const taskId = begun.answer.result?.['taskId'] as string
  expect(taskId, begun.text).toBeTypeOf('string')
  given.push({ what: 'a task', fault: 'task.unknown', use: (peer) => ask(peer, 'tasks/get', { taskId }, { meta }) })

  for (const { what, fault, use } of given) {
    for (const name of others) {
      const path = name === 'tenant_admin of zebrafish' ? '/o/zebrafish/t/default/mcp' : '/mcp'
      const refused = await use(peerOf(town, name, path))
      tally.check(faultOf(refused) === fault, `${what} in the hands of ${name}: ${refused.text.slice(0, 300)}`)
    }
    const own = await use(mine)
    tally.check(own.answer.error === undefined, `${what} in one's own hands: ${own.text.slice(0, 300)}`)
  }
  tally.close()
})

test('what each principal sees is made for it, however they take turns', async (context) => {
  const tally = createTally(context)
  await using town = await openTown()
  const seen = async (name: string, side: Side) => {
    const { text } = await ask(peerOf(town, name), 'tools/list')
    tally.check(text.includes(WORDS[side]), `${name} sees its own`)
    tally.check(!SIDES.some((other) => other !== side && text.includes(WORDS[other])), `${name} sees another's`)
    tally.check(text.includes('child__') === !name.startsWith('toolset'), `${name} sees ${text.slice(0, 200)}`)
  }
  const turns = Array.from({ length: 50 }, () =>
    SIDES.flatMap((side) =>
      ['toolset key', 'tenant_viewer key', 'tenant_member key'].map((kind) => [`${kind} of ${side}`, side] as const),
    ),
  )
  // Each is known before all of them come at once: unknown keys take turns.
  for (const [name, side] of turns[0] ?? []) await seen(name, side)
  await Promise.all(turns.flat().map(([name, side]) => seen(name, side)))
  tally.close()
})
