import { describe, expect, test } from 'vitest'
import { startTestGateway } from '../testing/gateway.ts'
import { startEverythingServer } from '../../../../test/conformance/everything-server.ts'

describe('a tool call', () => {
  test('reaches the upstream and comes back', async () => {
    await using upstream = await startEverythingServer()
    await using gateway = await startTestGateway({
      connections: [{ alias: 'everything', wire: { kind: 'http', url: upstream.url, headers: {} } }],
    })
    const { status, tools } = await gateway.settled('everything')
    expect({ status, some: tools > 10 }).toEqual({ status: 'connected', some: true })
  })
})
