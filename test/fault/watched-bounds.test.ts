/** The resources that a session watches are held, stored and sent again: they are limited for the session, over all servers. */
import { expect, test } from 'vitest'
import { openGateway } from '../e2e/peers/open-gateway.ts'
import { ask, openSession } from '../e2e/peers/clients/raw-client.ts'
import { httpWire } from '../e2e/peers/servers/real-servers.ts'
import { startScriptedUpstream } from './scripted-upstream.ts'

const LONG = 4_096
const FIT = (256 * 1024) / LONG

test('a session watches a quarter of a MiB of addresses at all its servers together, and what it has it keeps', async () => {
  const upstream = () =>
    startScriptedUpstream({
      era: 'legacy',
      capabilities: { tools: {}, resources: { subscribe: true } },
      results: {
        'resources/list': { resources: [] },
        'resources/templates/list': { resourceTemplates: [] },
        'resources/subscribe': {},
        'resources/unsubscribe': {},
      },
    })
  await using one = await upstream()
  await using other = await upstream()
  await using gateway = await openGateway({
    connections: [
      { alias: 'one', wire: httpWire(one.url) },
      { alias: 'other', wire: httpWire(other.url) },
    ],
  })
  const peer = await openSession(gateway.url, gateway.key)
  const addressOf = (at: number) => `toolway://${at % 2 === 0 ? 'one' : 'other'}/${`docs://${at}/`.padEnd(LONG, 'x')}`
  const watch = async (at: number, method = 'resources/subscribe') => {
    const { answer } = await ask(peer, method, { uri: addressOf(at) })
    return answer.error?.message
  }
  for (let at = 0; at < FIT; at++) expect(await watch(at)).toBeUndefined()
  expect(await watch(FIT)).toContain('exceeds the limit of')
  expect(await watch(0)).toBeUndefined()
  expect(await watch(1, 'resources/unsubscribe')).toBeUndefined()
  expect(await watch(FIT)).toBeUndefined()
})
