/** A suspended membership: everything of the person ends in that organization, at every gateway, and comes back with it. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import type { TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { addKey, addMember, addUser } from '../peers/people/administrators.ts'
import { ask, start, type RawPeer } from '../peers/clients/raw-client.ts'
import { openGateway } from '../peers/open-gateway.ts'
import { startHanging, type HangingServer } from '../peers/servers/hanging-server.ts'
import { httpWire } from '../peers/servers/real-servers.ts'
import { until } from '../peers/until.ts'

const Nothing = z.object({})
const parts = new AsyncDisposableStack()
let hanging: HangingServer
let gateway: TestGateway
let addresses: string[]
beforeAll(async () => {
  hanging = parts.use(await startHanging())
  gateway = parts.use(await openGateway({ connections: [{ alias: 'slow', wire: httpWire(hanging.url) }] }))
  addresses = [gateway.address, parts.use(await gateway.another()).address]
})
afterAll(() => parts.disposeAsync())

const suspend = (user: string, active: boolean) =>
  gateway.db.system((sql) => sql(Nothing)`update members set active = ${active} where user_id = ${user}`)

test('whoever is suspended has no calls, streams and keys at any gateway, and has them again afterwards', async () => {
  const user = await addUser(gateway, 'ada@example.com')
  await addMember(gateway, gateway.organization.id, user, 'tenant_member')
  const key = await addKey(gateway, { role: 'tenant_member', organization: gateway.organization.id, user })
  const peers = addresses.map((address): RawPeer => ({
    url: `${address}/api/v1/default/connectors/slow/mcp`,
    key,
    era: 'modern',
  }))
  const listed = async (peer: RawPeer) => (await ask(peer, 'tools/list')).status === 200
  for (const peer of peers) await until('the key is known', () => listed(peer))

  const streams = await Promise.all(
    peers.map((peer) => start(peer, 'subscriptions/listen', { notifications: { toolsListChanged: true } })),
  )
  const calls = peers.map((peer) => ask(peer, 'tools/call', { name: 'hang', arguments: {} }))
  await until('both calls are under way', () => hanging.calls() === 2)

  await suspend(user, false)
  for (const answer of await Promise.all(calls)) {
    expect(answer.answer.result?.isError).toBe(true)
    expect(answer.text).toContain('place.unknown')
  }
  await Promise.all(streams.map((stream) => stream.text()))
  for (const peer of peers) expect((await ask(peer, 'tools/list')).status).toBe(404)
  await until('the server hears that the calls are over', () => hanging.calls() === 0)

  await suspend(user, true)
  for (const peer of peers) await until('the key is good again', () => listed(peer))
})
