/**
 * Tests that a client finds the authorization server from an address alone: the metadata available without a token, at every form
 * of the address.
 */
import { describe, expect, test } from 'vitest'
import { startTestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { probeAuth } from '../peers/oauth-gateway.ts'

const PUBLIC = 'https://tools.example'

const get = async (url: string) => {
  const response = await fetch(url)
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

describe('behind a public address', () => {
  test('each MCP endpoint says what it is, in every form, and never by the name of this machine', async () => {
    await using gateway = await startTestGateway({ settings: { TOOLWAY_PUBLIC_URL: PUBLIC } })
    const known = '/.well-known/oauth-protected-resource'
    const forms = [
      ['', '/mcp'],
      ['/', '/mcp'],
      ['/mcp', '/mcp'],
      ['/mcp/', '/mcp'],
      ['/sse', '/sse'],
      ['/o/acme/t/read/mcp', '/o/acme/t/read/mcp'],
      ['/o/acme/t/read/mcp/', '/o/acme/t/read/mcp'],
      ['/api/v1/acme/connectors/docs/mcp', '/api/v1/acme/connectors/docs/mcp'],
    ] as const
    for (const [form, path] of forms) {
      const { status, body } = await get(`${gateway.address}${known}${form}`)
      expect(status, form).toBe(200)
      expect(body).toMatchObject({
        resource: `${PUBLIC}${path}`,
        authorization_servers: [PUBLIC],
        scopes_supported: ['tools:read', 'tools:write', 'tools:execute'],
        bearer_methods_supported: ['header'],
      })
    }
    for (const other of ['/admin', '/api/v1/admin/tenants', '/mcp/x', '/mcp?x'])
      if (!other.includes('?')) expect((await fetch(`${gateway.address}${known}${other}`)).status, other).toBe(404)
  })

  test('the authorization server describes itself at each address where clients look', async () => {
    await using gateway = await startTestGateway({ settings: { TOOLWAY_PUBLIC_URL: `${PUBLIC}/` } })
    for (const name of ['oauth-authorization-server', 'openid-configuration'])
      for (const form of ['', '/mcp', '/o/acme/t/read/mcp']) {
        const { status, body } = await get(`${gateway.address}/.well-known/${name}${form}`)
        expect(status).toBe(200)
        expect(body).toMatchObject({
          issuer: PUBLIC,
          authorization_endpoint: `${PUBLIC}/authorize`,
          token_endpoint: `${PUBLIC}/token`,
          registration_endpoint: `${PUBLIC}/register`,
          revocation_endpoint: `${PUBLIC}/revoke`,
          response_types_supported: ['code'],
          code_challenge_methods_supported: ['S256'],
          authorization_response_iss_parameter_supported: true,
          client_id_metadata_document_supported: true,
        })
      }
    expect((await fetch(`${gateway.address}/.well-known/openid-configuration/elsewhere`)).status).toBe(404)
    const keys = (await get(`${gateway.address}/.well-known/jwks.json`)).body['keys'] as Record<string, unknown>[]
    expect(keys[0]).toMatchObject({ kty: 'OKP', crv: 'Ed25519', alg: 'EdDSA', use: 'sig' })
    for (const key of keys) expect(key).not.toHaveProperty('d')
  })

  test('whoever comes without a token, or with none that is good, is told where to get one: everywhere alike', async () => {
    await using gateway = await startTestGateway({ settings: { TOOLWAY_PUBLIC_URL: PUBLIC } })
    const where = (path: string) => `resource_metadata="${PUBLIC}/.well-known/oauth-protected-resource${path}"`
    for (const path of [
      '/mcp',
      '/o/default/t/default/mcp',
      '/o/nobody/t/nothing/mcp',
      '/api/v1/nobody/connectors/x/mcp',
    ]) {
      const none = await probeAuth(`${gateway.address}${path}`, undefined)
      expect(none.status).toBe(401)
      expect(none.headers.get('www-authenticate')).toBe(`Bearer ${where(path)}, scope="tools:read tools:write"`)
      for (const token of ['nonsense', `uru_${'0'.repeat(64)}`, 'eyJhbGciOiJub25lIn0.e30.x']) {
        const { status, headers } = await probeAuth(`${gateway.address}${path}`, token)
        expect(status).toBe(401)
        expect(headers.get('www-authenticate')).toMatch(/^Bearer error="invalid_token", error_description="[^"]+", /)
        expect(headers.get('www-authenticate')).toContain(where(path))
      }
    }
  })
})

test('below a path, everything that is told lies below it', async () => {
  await using gateway = await startTestGateway({ settings: { TOOLWAY_PUBLIC_URL: `${PUBLIC}/way` } })
  const { body } = await get(`${gateway.address}/.well-known/oauth-protected-resource/mcp`)
  expect(body).toMatchObject({ resource: `${PUBLIC}/way/mcp`, authorization_servers: [`${PUBLIC}/way`] })
  const beside = await get(`${gateway.address}/.well-known/oauth-protected-resource/way/mcp`)
  expect(beside.body['resource']).toBe(`${PUBLIC}/way/mcp`)
  const server = await get(`${gateway.address}/.well-known/oauth-authorization-server/way`)
  expect(server.body).toMatchObject({ issuer: `${PUBLIC}/way`, token_endpoint: `${PUBLIC}/way/token` })
  const { headers } = await probeAuth(`${gateway.address}/mcp`, undefined)
  expect(headers.get('www-authenticate')).toContain(`${PUBLIC}/way/.well-known/oauth-protected-resource/mcp`)
})

test('without a public address, the name is told by which the client came', async () => {
  await using gateway = await startTestGateway()
  const local = gateway.address.replace('127.0.0.1', 'localhost')
  const { body } = await get(`${local}/.well-known/oauth-protected-resource/mcp`)
  expect(body).toMatchObject({ resource: `${local}/mcp`, authorization_servers: [gateway.address] })
})
