/**
 * Tests isolation between callers of one server: two users call one connection in parallel, in both eras, and nothing of one
 * reaches the other.
 */
// @module-tag long
import { expect, test } from 'vitest'
import { openGateway } from '../peers/open-gateway.ts'
import { sayResult, startScriptedUpstream } from '../../fault/scripted-upstream.ts'
import { callTool, openSession, type RawPeer } from '../peers/clients/raw-client.ts'
import { CROWD, inLanes } from '../peers/lanes.ts'

const KEYS = { ann: `uru_${'aa'.repeat(32)}`, bob: `uru_${'bb'.repeat(32)}` }
const CALLS = 1_000
const SECRET = 'Bearer of-the-connection'

test.each(['legacy', 'modern'] as const)(
  'S3-POOL-05: a thousand parallel calls of two people to a %s server never cross, and their keys stay here',
  async (era) => {
    await using upstream = await startScriptedUpstream({
      era,
      act(heard, response) {
        if (heard.method !== 'tools/call') return false
        const { text } = heard.params['arguments'] as { text: string }
        // Answers come back in another order than they were asked for.
        setTimeout(
          () => sayResult(response, heard, { content: [{ type: 'text', text: `${text} in ${heard.session}` }] }),
          Math.random() * 20,
        )
        return true
      },
    })
    await using gateway = await openGateway({
      connections: [
        {
          alias: 'up',
          revision: era === 'modern' ? '2026-07-28' : '2025-11-25',
          wire: { kind: 'http', url: upstream.url, headers: { authorization: SECRET } },
        },
      ],
      keys: Object.entries(KEYS).map(([name, value]) => ({ name, value, toolset: undefined })),
    })
    const url = gateway.connectionUrl('up')
    const peers = (
      await Promise.all(
        Object.entries(KEYS).map(async ([name, key]): Promise<[string, RawPeer][]> => [
          [`${name} modern`, { url, key, era: 'modern' }],
          [`${name} legacy`, await openSession(url, key)],
        ]),
      )
    ).flat()

    const answers = await inLanes(CROWD, Array.from({ length: CALLS }), async (_, at) => {
      const [name, peer] = peers[at % peers.length] ?? ['', { url, key: undefined, era: 'modern' }]
      const text = `${name} ${at}`
      const { answer } = await callTool(peer, 'good', { text }, { id: at })
      const [got = '', session = ''] = (answer.result?.content?.[0]?.text ?? '').split(' in ')
      return { name, text, got, session, id: answer.id, at }
    })
    expect(answers.filter(({ text, got, id, at }) => text !== got || id !== at)).toEqual([])
    const sessionsOf = (person: string) =>
      new Set(answers.filter(({ name }) => name === person).map((one) => one.session))
    const sessions = peers.map(([name]) => [...sessionsOf(name)])
    if (era === 'legacy') {
      // One session for each of the four, nobody else's, and opened once.
      expect(sessions.map((own) => own.length)).toEqual([1, 1, 1, 1])
      expect(new Set(sessions.flat()).size).toBe(4)
      for (const [session] of sessions)
        expect(upstream.of('initialize').filter((one) => one.session === session)).toHaveLength(1)
      expect(upstream.of('initialize')).toHaveLength(5)
    }
    for (const { headers } of upstream.heard) {
      expect(headers.authorization).toBe(SECRET)
      expect(JSON.stringify(headers)).not.toMatch(/uru_|aaaa|bbbb/)
    }
  },
)

test('S2-SES-01: ten calls of one caller are one initialize at the server', async () => {
  await using upstream = await startScriptedUpstream({ era: 'legacy' })
  await using gateway = await openGateway({
    connections: [{ alias: 'up', revision: '2025-11-25', wire: { kind: 'http', url: upstream.url, headers: {} } }],
  })
  const before = upstream.of('initialize').length
  const peer: RawPeer = { url: gateway.connectionUrl('up'), key: gateway.key, era: 'modern' }
  for (let calls = 0; calls < 10; calls++) await callTool(peer, 'good')
  expect(upstream.of('tools/call')).toHaveLength(10)
  expect(upstream.of('initialize').length - before).toBe(1)
  // The lists come by the gateway's own session, which is one as well.
  expect(before).toBe(1)
})
