/**
 * A pass-through token for one call (ledger S3-OAU-07): the places it is sent to, and those it is not. Over HTTP it is sent in a
 * header, over a WebSocket also in a message.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { startScriptedUpstream, type ScriptedUpstream } from '../../fault/scripted-upstream.ts'
import { ask, callTool, openSession, type RawAnswer } from '../peers/clients/raw-client.ts'
import { modern as enveloped, openLegacyLine, openLine, type RawLine } from '../peers/clients/raw-line.ts'
import { openGateway } from '../peers/open-gateway.ts'
import { httpWire, probeProcess } from '../peers/servers/real-servers.ts'

const TOKEN = 'gho_a-token.of_the~server+own/kind=='
const HEADER = 'x-user-oauth-token'
const parts = new AsyncDisposableStack()
let server: ScriptedUpstream
let gateway: TestGateway

beforeAll(async () => {
  server = parts.use(await startScriptedUpstream({ era: 'modern' }))
  const wire = (auth: object) => ({ ...httpWire(server.url), auth })
  gateway = parts.use(
    await openGateway({
      connections: [
        { alias: 'takes', wire: wire({ brought: true }) },
        { alias: 'keyed', wire: wire({ kind: 'none' }) },
        { alias: 'refuses', wire: wire({}) },
        { alias: 'child', wire: probeProcess('child') },
      ],
    }),
  )
})
afterAll(() => parts.disposeAsync())

const call = (alias: string, headers: Record<string, string> = {}, era: 'modern' | 'legacy' = 'modern') =>
  ask(
    { url: gateway.connectionUrl(alias), key: gateway.key, era },
    'tools/call',
    { name: alias === 'child' ? 'echo' : 'good', arguments: {} },
    { headers },
  )
const shown = (): (string | undefined)[] => server.of('tools/call').map(({ headers }) => headers.authorization)
const faultOf = ({ answer }: Pick<RawAnswer, 'answer'>) => {
  const told = answer.result?.['_meta'] as Record<string, { fault?: string }> | undefined
  return answer.error?.data?.['fault'] ?? told?.['dev.toolway/fault']?.fault
}

describe('S3-OAU-07: a token that is brought with a call', () => {
  test('goes to the server of that call and of no other, in both eras', async () => {
    for (const era of ['modern', 'legacy'] as const) {
      const before = shown().length
      const { answer } = await call('takes', { [HEADER]: TOKEN }, era)
      expect(answer.result).toMatchObject({ _meta: { 'dev.toolway/account': { owner: 'caller' } } })
      await call('takes', {}, era)
      expect(shown().slice(before)).toEqual([`Bearer ${TOKEN}`, undefined])
    }
  })

  test('is refused where the connection takes none, and nothing is called', async () => {
    const before = server.of('tools/call').length
    for (const alias of ['refuses', 'keyed', 'child'])
      expect([alias, faultOf(await call(alias, { [HEADER]: TOKEN }))]).toEqual([alias, 'credential.brought'])
    expect(server.of('tools/call').length).toBe(before)
  })

  test('is refused when it is none, or opens this gateway; what the caller is known by goes to no server', async () => {
    const before = server.of('tools/call').length
    for (const token of ['two words', 'x'.repeat(8_193), gateway.key, `uru_${'ab'.repeat(32)}`, 'smcp_tu_whatever']) {
      const answered = await call('takes', { [HEADER]: token })
      expect(faultOf(answered)).toBe('credential.brought-shape')
      expect(answered.text).not.toContain(token)
    }
    expect(server.of('tools/call').length).toBe(before)
    await call('takes')
    expect(server.heard.some(({ headers }) => JSON.stringify(headers).includes(gateway.key))).toBe(false)
  })

  test('may be sent from a web page of an allowed origin', async () => {
    const response = await fetch(gateway.connectionUrl('takes'), {
      method: 'OPTIONS',
      headers: {
        origin: gateway.address,
        'access-control-request-method': 'POST',
        'access-control-request-headers': HEADER,
      },
    })
    expect(response.headers.get('access-control-allow-headers')?.toLowerCase()).toContain(HEADER)
  })

  test('comes with the messages of an HTTP+SSE client as with any request', async () => {
    const url = gateway.connectionUrl('takes')
    const before = shown().length
    await using line = await openLegacyLine(
      { way: 'sse', url, key: gateway.key, headers: { [HEADER]: TOKEN } },
      '2024-11-05',
    )
    await line.ask('tools/call', { name: 'good', arguments: {} })
    expect(shown().slice(before)).toEqual([`Bearer ${TOKEN}`])
  })

  test('is in no record, no row and no log', async () => {
    await call('takes', { [HEADER]: TOKEN })
    await call('refuses', { [HEADER]: TOKEN })
    const said = JSON.stringify(gateway.log)
    expect(said).toContain('credential.brought')
    expect(said).not.toContain(TOKEN)
  })
})

describe('a token that is brought over a WebSocket', () => {
  const open = (headers: Record<string, string> = {}): Promise<RawLine> =>
    openLine({ way: 'socket', url: gateway.connectionUrl('takes'), key: gateway.key, headers })
  const set = (line: RawLine, token: unknown) => line.ask('auth/setUserToken', { token })
  const good = (line: RawLine) => line.ask('tools/call', enveloped({ name: 'good', arguments: {} }))

  test('is acknowledged, goes with what comes after it on this socket, and with nothing else', async () => {
    const before = shown().length
    await using line = await open()
    await using other = await open()
    await good(line)
    expect((await set(line, TOKEN)).result).toEqual({})
    await good(line)
    await good(other)
    await set(line, 'another-token')
    await good(line)
    expect((await set(line, null)).result).toEqual({})
    await good(line)
    const none = undefined
    expect(shown().slice(before)).toEqual([none, `Bearer ${TOKEN}`, none, 'Bearer another-token', none])
  })

  test('in the header of the upgrade is the first of its socket', async () => {
    const before = shown().length
    await using line = await open({ [HEADER]: TOKEN })
    await good(line)
    expect(shown().slice(before)).toEqual([`Bearer ${TOKEN}`])
  })

  test('that is refused leaves the socket calling nothing until a good one, or none, is named', async () => {
    await using line = await open()
    await set(line, TOKEN)
    const before = server.of('tools/call').length
    for (const token of [gateway.key, 'two words', 7]) {
      expect((await set(line, token)).error?.data).toMatchObject({ fault: 'credential.brought-shape' })
      expect((await good(line)).error?.data).toMatchObject({ fault: 'credential.brought-shape' })
    }
    await line.say({ jsonrpc: '2.0', method: 'auth/setUserToken', params: { token: 'two words' } })
    expect((await good(line)).error?.data).toMatchObject({ fault: 'credential.brought-shape' })
    expect(server.of('tools/call').length).toBe(before)
    await set(line, null)
    expect((await good(line)).result).toBeDefined()
  })

  test('in an address is none', async () => {
    const before = shown().length
    const url = `${gateway.connectionUrl('takes')}?token=${encodeURIComponent(TOKEN)}`
    await using line = await openLine({ way: 'socket', url, key: gateway.key })
    await good(line)
    expect(shown().slice(before)).toEqual([undefined])
  })

  test('is a method of sockets alone', async () => {
    const peer = await openSession(gateway.connectionUrl('takes'), gateway.key)
    const { answer } = await ask(peer, 'auth/setUserToken', { token: TOKEN })
    expect(answer.error?.code).toBe(-32601)
    expect((await callTool({ ...peer, era: 'legacy' }, 'good')).answer.error).toBeUndefined()
  })
})
