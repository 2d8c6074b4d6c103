import { expect, test } from 'vitest'
import { addressOf } from '../http/addresses.ts'
import { createEndpoints } from './endpoints.ts'

const endpoints = (base: string, settled = true) =>
  createEndpoints({ base: () => base, settled, placeOf: (path) => addressOf(path)?.place })

test('each endpoint has one name in tokens, however its client spells it', () => {
  const { find, audienceOf } = endpoints('https://tools.example')
  const nameOf = (resource: string) => {
    const place = find(resource)
    return place === undefined ? undefined : audienceOf(place)
  }
  expect(nameOf('https://tools.example/mcp')).toBe('https://tools.example/mcp')
  expect(nameOf('https://TOOLS.example:443/mcp/')).toBe('https://tools.example/mcp')
  expect(nameOf('https://tools.example/sse')).toBe('https://tools.example/mcp')
  expect(nameOf('https://tools.example/o/acme/t/read/mcp')).toBe('https://tools.example/o/acme/t/read/mcp')
  expect(nameOf('https://tools.example/api/v1/acme/connectors/docs/mcp')).toBe(
    'https://tools.example/api/v1/acme/connectors/docs/mcp',
  )
})

test('what is not an endpoint of ours is none', () => {
  const { find } = endpoints('https://tools.example')
  for (const resource of [
    'https://tools.example',
    'https://tools.example/',
    'https://tools.example/api/v1/admin/tenants',
    'https://tools.example/mcp?x=1',
    'https://tools.example/mcp#x',
    'https://a@tools.example/mcp',
    'http://tools.example/mcp',
    'https://tools.example:8443/mcp',
    'https://tools.example.evil/mcp',
    'http://localhost/mcp',
    'mcp',
    '',
  ])
    expect(find(resource), resource).toBeUndefined()
})

test('behind a path, endpoints lie below it', () => {
  const { find, resourceAt, audienceOf } = endpoints('https://example.com/tools')
  expect(find('https://example.com/tools/mcp')).toEqual({})
  expect(find('https://example.com/mcp')).toBeUndefined()
  expect(resourceAt('/mcp/', 'whatever.internal')).toBe('https://example.com/tools/mcp')
  expect(audienceOf({ organization: 'a', connection: 'b' })).toBe('https://example.com/tools/api/v1/a/connectors/b/mcp')
})

test('without a public address every name of this machine is as good as another, at its own port', () => {
  const { find, resourceAt } = endpoints('http://127.0.0.1:8787', false)
  for (const host of ['127.0.0.1', 'localhost', '[::1]']) expect(find(`http://${host}:8787/mcp`)).toEqual({})
  for (const other of ['http://localhost:8788/mcp', 'https://localhost:8787/mcp', 'http://evil.example:8787/mcp'])
    expect(find(other)).toBeUndefined()
  expect(resourceAt('/mcp', 'localhost:8787')).toBe('http://localhost:8787/mcp')
  expect(endpoints('https://tools.example').resourceAt('/mcp', 'localhost:8787')).toBe('https://tools.example/mcp')
})
