import { describe, expect, test } from 'vitest'
import { addressOf, messagesPathOf } from './addresses.ts'

describe('an address', () => {
  test.each(['mcp', 'sse', 'messages'])('names an endpoint and the way in (%s), or nothing', (way) => {
    const endpoint = { organization: 'acme', toolset: 'read-only' }
    const connection = { organization: 'acme', connection: 'files' }
    expect(addressOf(`/${way}`)).toEqual({ way, place: {} })
    expect(addressOf(`/${way}/`)).toEqual({ way, place: {} })
    expect(addressOf(`/o/acme/t/read-only/${way}`)).toEqual({ way, place: endpoint })
    expect(addressOf(`/api/v1/acme/connectors/files/${way}`)).toEqual({ way, place: connection })
    for (const path of [
      '/',
      `/${way}/x`,
      `/${way.toUpperCase()}`,
      `/o/acme/t//${way}`,
      `/o/a%2fb/t/x/${way}`,
      `/o/acme/t/../${way}`,
      `/api/v1/acme/connectors/files/${way}/x`,
    ]) {
      expect({ path, address: addressOf(path) }).toEqual({ path, address: undefined })
    }
  })

  test('of the older pair stands below that of a connection, too', () => {
    const place = { organization: 'acme', connection: 'files' }
    expect(addressOf('/api/v1/acme/connectors/files/mcp/sse')).toEqual({ way: 'sse', place })
    expect(addressOf('/api/v1/acme/connectors/files/mcp/messages')).toEqual({ way: 'messages', place })
    expect(addressOf('/api/v1/acme/connectors/files/mcp/mcp')).toBeUndefined()
    expect(addressOf('/o/acme/t/work/mcp/sse')).toBeUndefined()
  })

  test('of a stream has the one for its messages beside it', () => {
    expect(messagesPathOf('/sse')).toBe('/messages')
    expect(messagesPathOf('/o/sse/t/sse/sse/')).toBe('/o/sse/t/sse/messages')
  })
})
