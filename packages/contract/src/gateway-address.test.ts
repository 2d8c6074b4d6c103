import { expect, test } from 'vitest'
import { endpointOf, gatewayBaseOf } from './gateway-address.ts'

test.each([
  ['http://h:1', 'http://h:1/mcp', 'http://h:1'],
  ['http://h:1/', 'http://h:1/mcp', 'http://h:1'],
  ['http://h:1/mcp', 'http://h:1/mcp', 'http://h:1'],
  ['http://h:1/mcp/', 'http://h:1/mcp', 'http://h:1'],
  ['https://h/tools', 'https://h/tools/mcp', 'https://h/tools'],
  ['https://h/tools/mcp', 'https://h/tools/mcp', 'https://h/tools'],
  ['https://h/o/acme/t/big/mcp', 'https://h/o/acme/t/big/mcp', 'https://h'],
  ['https://h/api/v1/acme/connectors/docs/mcp', 'https://h/api/v1/acme/connectors/docs/mcp', 'https://h'],
  ['https://h/sse', 'https://h/sse', 'https://h'],
  ['h:1', undefined, undefined],
  ['localhost', undefined, undefined],
])('the address %s has the endpoint %s and the base address %s', (text, endpoint, base) => {
  expect([endpointOf(text), gatewayBaseOf(text)]).toEqual([endpoint, base])
})
