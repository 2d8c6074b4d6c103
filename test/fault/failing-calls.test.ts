/** Servers that answer the gateway and no call: how the connection is listed, and until when. */
import { expect, test } from 'vitest'
import { startTestGateway } from '../../packages/gateway/src/testing/gateway.ts'
import { addKey, createAsk } from '../e2e/peers/people/administrators.ts'
import { callTool, faultIn } from './caller.ts'
import { sayJson, startScriptedUpstream } from './scripted-upstream.ts'

const patiently = { interval: 20 }

test.each(['modern', 'legacy'] as const)(
  'a server whose calls all fail is not listed as connected, also after a look at its lists, until one succeeds (%s)',
  async (era) => {
    let isBroken = true
    await using upstream = await startScriptedUpstream({
      era,
      act({ method }, response) {
        if (method !== 'tools/call' || !isBroken) return false
        sayJson(response, { error: 'Not found' })
        return true
      },
    })
    const wire = { kind: 'http' as const, url: upstream.url, headers: {} }
    await using gateway = await startTestGateway({ connections: [{ alias: 'up', timeout: 20, wire }] })
    expect(await gateway.settled('up')).toMatchObject({ status: 'connected' })
    const target = { url: gateway.connectionUrl('up'), key: gateway.key }
    const state = async () => {
      const { status, reason } = await gateway.settled('up')
      return [status, reason]
    }
    for (let at = 0; at < 4; at++) expect(faultIn(await callTool(target, 'good'))?.fault).toBe('upstream.malformed')
    // Fewer may be one tool that does not work.
    expect(await state()).toEqual(['connected', null])
    await callTool(target, 'good')
    const failing = ['error', expect.stringContaining('something that is not MCP')]
    await expect.poll(state, patiently).toEqual(failing)

    const admin = createAsk(gateway, await addKey(gateway, { role: 'platform_admin' }))
    const before = upstream.of('tools/list').length
    expect((await admin(`POST /api/v1/admin/tenants/default/connectors/up/tools/sync`)).status).toBe(200)
    await expect.poll(() => upstream.of('tools/list').length, patiently).toBeGreaterThan(before)
    expect(await state()).toEqual(failing)

    isBroken = false
    expect(faultIn(await callTool(target, 'good'))).toBeUndefined()
    await expect.poll(state, patiently).toEqual(['connected', null])
  },
)
