/**
 * Tests that no output of the gateway reveals a server's address. Every misbehaviour of a server is requested over every
 * transport, and every byte of the answers and of the stored data is searched for its address.
 */
// @module-tag long
import { expect, test } from 'vitest'
import { z } from 'zod'
import { startTestGateway, type TestGateway } from '../../packages/gateway/src/testing/gateway.ts'
import { ask, openSession, type RawPeer } from '../e2e/peers/clients/raw-client.ts'
import { openLegacyLine } from '../e2e/peers/clients/raw-line.ts'
import { httpWire } from '../e2e/peers/servers/real-servers.ts'
import { MISBEHAVIOURS, startFaultyUpstream } from '../fault/faulty-upstream.ts'

const PATH = 'the-hidden-path'
/** Misbehaviours that stay silent for seconds, or send much data, reveal nothing else. */
const SLOW = /^(silent|endless|trickle|huge|flood|question-flood|bytewise)/
const words = Object.keys(MISBEHAVIOURS).filter((word) => !SLOW.test(word))

const everything = ({ status, headers, text }: Awaited<ReturnType<typeof ask>>): string =>
  `${status} ${JSON.stringify([...headers])} ${text}`

async function heardFrom(gateway: TestGateway, aliases: readonly string[]): Promise<string[]> {
  const heard: string[] = []
  for (const url of [gateway.url, ...aliases.map((alias) => gateway.connectionUrl(alias))]) {
    const joined = url === gateway.url
    const peers: RawPeer[] = [{ url, key: gateway.key, era: 'modern' }, await openSession(url, gateway.key)]
    for (const peer of peers) {
      for (const method of ['tools/list', 'resources/list', 'prompts/list', 'server/discover'])
        heard.push(everything(await ask(peer, method)))
      for (const alias of aliases) {
        for (const word of words) {
          const name = joined ? `${alias}__${word}` : word
          heard.push(everything(await ask(peer, 'tools/call', { name, arguments: {} })))
        }
        const uri = joined ? `toolway://${alias}/x` : 'file:///x'
        heard.push(everything(await ask(peer, 'resources/read', { uri })))
      }
    }
    await using line = await openLegacyLine({ way: 'socket', url, key: gateway.key })
    for (const alias of aliases)
      heard.push(JSON.stringify(await line.ask('tools/call', { name: joined ? `${alias}__s500` : 's500' })))
  }
  for (const path of ['/health/ready', '/metrics', '/api/v1/openapi.json', '/mcp'])
    heard.push(
      await (await fetch(gateway.address + path, { headers: { authorization: `Bearer ${gateway.key}` } })).text(),
    )
  return heard
}

test('S1-SEC-02: the address of a server is in no body, header, error or record, whatever goes wrong at it', async () => {
  await using faulty = await startFaultyUpstream()
  const gone = await startFaultyUpstream()
  const [{ port }, { port: left }] = [new URL(faulty.url), new URL(gone.url)]
  await using gateway = await startTestGateway({
    connections: [
      { alias: 'faulty', wire: httpWire(`http://127.0.0.1:${port}/${PATH}`) },
      { alias: 'gone', wire: httpWire(`http://127.0.0.1:${left}/${PATH}`) },
      { alias: 'nowhere', wire: httpWire(`http://the-hidden-host.invalid/${PATH}`) },
    ],
  })
  const aliases = ['faulty', 'gone', 'nowhere']
  for (const alias of aliases) await gateway.settled(alias)
  await gone[Symbol.asyncDispose]()
  const heard = await heardFrom(gateway, aliases)
  const Row = z.object({ line: z.string() })
  const kept = () => gateway.db.system((sql) => sql(Row)`select records::text as line from records`)
  await expect.poll(async () => (await kept()).length).toBeGreaterThan(words.length)
  const secrets = [`:${port}`, `:${left}`, PATH, 'the-hidden-host']
  const told = [...heard, ...(await kept()).map(({ line }) => line)].filter((text) =>
    secrets.some((secret) => text.includes(secret)),
  )
  expect(told).toEqual([])
  // The search works: the failure is reported with the name of the connection.
  expect(heard.some((text) => text.includes('The connection gone is not available'))).toBe(true)
  expect(heard.length).toBeGreaterThan(100)
})
