/**
 * Tests that the four switches of the seeds take effect, each alone and in every combination: one gateway for each of the
 * sixteen, in front of a legacy server that counts the sessions opened at it.
 */
// @module-tag long
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ConfigFault, loadConfig } from '../../../packages/gateway/src/config.ts'
import { startTestGateway, TEST_KEY } from '../../../packages/gateway/src/testing/gateway.ts'
import { makeInstallation } from '../../cli/installation.ts'
import { startScriptedUpstream, type ScriptedUpstream } from '../../fault/scripted-upstream.ts'
import { ask, callTool, type RawPeer } from '../peers/clients/raw-client.ts'
import { httpWire } from '../peers/servers/real-servers.ts'

const SWITCHES = ['SERVER_POOL', 'SESSION_MANAGEMENT', 'METRICS', 'AUTH'] as const
const WORDS = { on: ['true', '1', 'on'], off: ['false', '0', 'off'] } as const
const combinations = Array.from({ length: 16 }, (_, bits) => SWITCHES.map((_, at) => (bits & (1 << at)) !== 0))
const OPENING = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } }

let server: ScriptedUpstream
beforeAll(async () => {
  server = await startScriptedUpstream({
    era: 'legacy',
    results: {
      'tools/list': { tools: [{ name: 'good', inputSchema: { type: 'object' } }] },
      'tools/call': { content: [{ type: 'text', text: 'well' }] },
    },
  })
})
afterAll(() => server[Symbol.asyncDispose]())

describe('S3-FLAG-01: with', () => {
  test.each(combinations)('pool %s, sessions %s, metrics %s and keys %s it starts and serves', async (...switches) => {
    const [pool, sessions, metrics, auth] = switches
    const settings = Object.fromEntries(
      SWITCHES.map((name, at) => {
        const words = WORDS[switches[at] === true ? 'on' : 'off']
        return [`SAGEMCP_ENABLE_${name}`, words[at % words.length] ?? '']
      }),
    )
    await using gateway = await startTestGateway({
      settings,
      connections: [{ alias: 'up', wire: httpWire(server.url) }],
    })
    await gateway.settled('up')
    const peer: RawPeer = { url: gateway.url, key: auth === true ? TEST_KEY : undefined, era: 'modern' }
    expect((await ask({ ...peer, key: undefined }, 'tools/list')).status).toBe(auth === true ? 401 : 200)

    const opened = () => server.of('initialize').length
    await callTool(peer, 'up__good')
    const before = opened()
    for (let n = 0; n < 3; n++) {
      const { answer } = await callTool(peer, 'up__good')
      expect(answer.result?.content).toEqual([{ type: 'text', text: 'well' }])
    }
    expect(opened() - before).toBe(pool === true ? 0 : 3)

    const { status, headers } = await ask({ ...peer, era: 'legacy' }, 'initialize', OPENING)
    expect(status).toBe(200)
    expect(headers.get('mcp-session-id') !== null).toBe(sessions)

    const authorization = peer.key === undefined ? {} : { authorization: `Bearer ${peer.key}` }
    const counted = await fetch(`${gateway.address}/metrics`, { headers: authorization })
    expect(counted.status).toBe(metrics === true ? 200 : 404)
    await counted.text()
  })
})

describe('keys', () => {
  test('S3-AUTH-06: are asked for unless the switch is off, and it is off only on loopback', async () => {
    expect(loadConfig({}, '/').config.TOOLWAY_AUTH).toBe('on')
    for (const off of ['false', '0', 'off']) {
      expect(loadConfig({ SAGEMCP_ENABLE_AUTH: off }, '/').config.TOOLWAY_AUTH).toBe('off')
      for (const host of ['0.0.0.0', '::', '192.0.2.1']) {
        expect(() => loadConfig({ SAGEMCP_ENABLE_AUTH: off, HOST: host }, '/')).toThrow(ConfigFault)
      }
    }
    await using here = await makeInstallation({ SAGEMCP_ENABLE_AUTH: 'false', TOOLWAY_HOST: '0.0.0.0' })
    const { code, err } = await here.run(['start'])
    expect(code).not.toBe(0)
    expect(err).toContain('TOOLWAY_AUTH=off is refused with TOOLWAY_HOST=0.0.0.0')
  })

  test('U-22: off on 0.0.0.0 refuses to start, and the address is counted before anything else is looked at', async () => {
    await using here = await makeInstallation({ TOOLWAY_AUTH: 'off', TOOLWAY_HOST: '0.0.0.0' })
    expect((await here.run(['start'])).code).not.toBe(0)
    await using gateway = await startTestGateway({ settings: { TOOLWAY_LIMIT_ADDRESS: '4' } })
    const send = (headers: Record<string, string>) => fetch(gateway.url, { method: 'POST', headers, body: '{}' })
    const json = { 'content-type': 'application/json' }
    const statuses: number[] = []
    for (const headers of [
      { ...json, origin: 'https://evil.example' },
      { 'content-type': 'text/plain' },
      { ...json, authorization: 'Bearer nonsense' },
      { authorization: `Bearer ${TEST_KEY}`, 'content-type': 'text/plain' },
      { origin: 'https://evil.example' },
    ])
      statuses.push((await send(headers)).status)
    expect(statuses).toEqual([403, 415, 401, 415, 429])
  })
})
