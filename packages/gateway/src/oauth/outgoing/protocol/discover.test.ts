import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, test } from 'vitest'
import { createExceptions } from '../../../upstreams/http/exceptions.ts'
import { privateHostOf } from '../../../upstreams/http/permits.ts'
import { discover } from './discover.ts'
import type { Egress } from '../ports.ts'

type Answer = { status?: number; type?: string; body?: string; location?: string }
const json = (body: unknown): Answer => ({ body: JSON.stringify(body) })

const RESOURCE = '/.well-known/oauth-protected-resource'
const SERVER = '/.well-known/oauth-authorization-server'
const OPENID = '/.well-known/openid-configuration'

/** A server that answers these paths with that, everything else with 404. `{origin}` stands for its own. */
async function serve(answers: Readonly<Record<string, Answer>>) {
  const asked: string[] = []
  const server = createServer((request, response) => {
    const path = request.url ?? ''
    asked.push(path)
    const { status = 200, type = 'application/json', body = '', location } = answers[path] ?? { status: 404 }
    response.writeHead(status, { 'content-type': type, ...(location === undefined ? {} : { location }) })
    response.end(body.replaceAll('{origin}', origin))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    origin,
    asked,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const metadata = (more: object = {}) =>
  json({
    issuer: '{origin}',
    authorization_endpoint: '{origin}/authorize',
    token_endpoint: '{origin}/token',
    code_challenge_methods_supported: ['S256'],
    ...more,
  })
const resource = (more: object = {}) => json({ resource: '{origin}/mcp', authorization_servers: ['{origin}'], ...more })
const whole = { [`${RESOURCE}/mcp`]: resource(), [SERVER]: metadata() }
const egress: Egress = { alias: 'notes', privateOrigins: 'any' }
const at = (origin: string, challenge?: string, by = egress) =>
  discover({
    url: `${origin}/mcp`,
    challenge:
      challenge === undefined ? undefined : { resourceMetadata: challenge, scope: undefined, error: undefined },
    egress: by,
  })

describe('whom a server trusts', () => {
  test('S2-OAU-01: is found at the address of its challenge, below its path, at its root, or at its own origin', async () => {
    const forms: [name: string, Readonly<Record<string, Answer>>, challenge: string | undefined, asked: string[]][] = [
      ['challenge', { '/meta': resource(), [SERVER]: metadata() }, '/meta', ['/meta', SERVER]],
      ['path', whole, undefined, [`${RESOURCE}/mcp`, SERVER]],
      ['root', { [RESOURCE]: resource(), [SERVER]: metadata() }, undefined, [`${RESOURCE}/mcp`, RESOURCE, SERVER]],
      [
        'openid',
        { [RESOURCE]: resource(), [OPENID]: metadata() },
        undefined,
        [`${RESOURCE}/mcp`, RESOURCE, SERVER, OPENID],
      ],
      ['2025-03-26', { [SERVER]: metadata() }, undefined, [`${RESOURCE}/mcp`, RESOURCE, SERVER]],
    ]
    for (const [name, answers, challenge, asked] of forms) {
      await using server = await serve(answers)
      const found = await at(server.origin, challenge === undefined ? undefined : server.origin + challenge)
      expect(found, name).toMatchObject({
        provider: 'mcp',
        issuer: server.origin,
        tokenEndpoint: `${server.origin}/token`,
      })
      expect(found.resource, name).toBe(name === '2025-03-26' ? undefined : `${server.origin}/mcp`)
      expect(server.asked, name).toEqual(asked)
    }
  })

  test('is looked for in three places where its issuer has a path', async () => {
    const tenant = { issuer: '{origin}/tenant' }
    await using server = await serve({
      [RESOURCE]: resource({ authorization_servers: ['{origin}/tenant'] }),
      [`/tenant${OPENID}`]: metadata(tenant),
    })
    expect(await at(server.origin)).toMatchObject({ issuer: `${server.origin}/tenant` })
    expect(server.asked.slice(2)).toEqual([`${SERVER}/tenant`, `${OPENID}/tenant`, `/tenant${OPENID}`])
  })

  test('is its own origin with three known addresses where it says nothing, as in revision 2025-03-26', async () => {
    await using server = await serve({})
    expect(await at(server.origin)).toEqual({
      provider: 'mcp',
      issuer: server.origin,
      authorizationEndpoint: `${server.origin}/authorize`,
      tokenEndpoint: `${server.origin}/token`,
      registrationEndpoint: `${server.origin}/register`,
      issInResponse: false,
      clientDocuments: false,
      tokenAuthMethods: [],
    })
  })

  test('keeps the resource to the letter, and what the authorization server can', async () => {
    await using server = await serve({
      [RESOURCE]: resource({ resource: '{origin}', scopes_supported: ['a', 'b'] }),
      [SERVER]: metadata({
        scopes_supported: ['a', 'offline_access'],
        client_id_metadata_document_supported: true,
        authorization_response_iss_parameter_supported: true,
        registration_endpoint: '{origin}/register',
        revocation_endpoint: '{origin}/revoke',
        token_endpoint_auth_methods_supported: ['client_secret_post'],
      }),
    })
    expect(await at(server.origin)).toMatchObject({
      resource: server.origin,
      scopes: ['a', 'b'],
      scopesSupported: ['a', 'offline_access'],
      issInResponse: true,
      clientDocuments: true,
      registrationEndpoint: `${server.origin}/register`,
      revocationEndpoint: `${server.origin}/revoke`,
      tokenAuthMethods: ['client_secret_post'],
    })
  })

  test('is followed over redirects, few of them', async () => {
    await using server = await serve({
      [`${RESOURCE}/mcp`]: { status: 302, location: '/elsewhere' },
      '/elsewhere': resource(),
      [SERVER]: metadata(),
    })
    expect(await at(server.origin)).toMatchObject({ issuer: server.origin })
  })

  const html: Answer = { type: 'text/html', body: '<h1>Hello</h1>' }
  const wrong: [what: string, answers: Readonly<Record<string, Answer>>, problem: RegExp][] = [
    [
      'metadata for another server',
      { ...whole, [`${RESOURCE}/mcp`]: resource({ resource: 'https://other.example/mcp' }) },
      /for another server/,
    ],
    [
      'metadata about a sibling of the server',
      { ...whole, [`${RESOURCE}/mcp`]: resource({ resource: '{origin}/mc' }) },
      /for another server/,
    ],
    [
      'metadata without an authorization server',
      { [`${RESOURCE}/mcp`]: resource({ authorization_servers: [] }) },
      /does not list an authorization server/,
    ],
    [
      'an authorization server of another issuer',
      { ...whole, [SERVER]: metadata({ issuer: 'https://evil.example' }) },
      /for another issuer/,
    ],
    [
      'an issuer that is the same but for a slash behind a path',
      {
        [`${RESOURCE}/mcp`]: resource({ authorization_servers: ['{origin}/tenant'] }),
        [`${SERVER}/tenant`]: metadata({ issuer: '{origin}/tenant/' }),
      },
      /for another issuer/,
    ],
    [
      'an authorization server without PKCE',
      { ...whole, [SERVER]: metadata({ code_challenge_methods_supported: undefined }) },
      /PKCE/,
    ],
    [
      'an authorization server with plain PKCE alone',
      { ...whole, [SERVER]: metadata({ code_challenge_methods_supported: ['plain'] }) },
      /PKCE/,
    ],
    [
      'an authorization endpoint that is a script',
      { ...whole, [SERVER]: metadata({ authorization_endpoint: 'javascript:alert(1)' }) },
      /authorization endpoint is not a web address/,
    ],
    [
      'a token endpoint elsewhere without TLS',
      { ...whole, [SERVER]: metadata({ token_endpoint: 'http://1.1.1.1/token' }) },
      /token endpoint is not protected by TLS/,
    ],
    [
      'a token endpoint with a user name',
      { ...whole, [SERVER]: metadata({ token_endpoint: 'https://a:b@c.example/' }) },
      /token endpoint contains a user name/,
    ],
    [
      'a token endpoint with a fragment',
      { ...whole, [SERVER]: metadata({ token_endpoint: '{origin}/token#x' }) },
      /token endpoint has a fragment/,
    ],
    ['no token endpoint', { ...whole, [SERVER]: metadata({ token_endpoint: undefined }) }, /token_endpoint/],
    ['an authorization server without metadata', { [`${RESOURCE}/mcp`]: resource() }, /has no metadata/],
    [
      'not valid JSON',
      { ...whole, [`${RESOURCE}/mcp`]: { body: '{' }, [RESOURCE]: resource({ resource: 'nonsense' }) },
      /for another server/,
    ],
  ]
  test.each(wrong)('is not taken from %s', async (_, answers, problem) => {
    await using server = await serve(answers)
    await expect(at(server.origin)).rejects.toMatchObject({
      code: 'authority.malformed',
      facts: { connection: 'notes', problem: expect.stringMatching(problem) },
    })
  })

  test('is not taken from HTML where the server named the document, and where it did not, HTML is nothing', async () => {
    await using server = await serve({ ...whole, '/meta': html, [RESOURCE]: html })
    await expect(at(server.origin, `${server.origin}/meta`)).rejects.toMatchObject({
      facts: { problem: `the protected-resource metadata of ${server.origin}/meta is HTML instead of JSON` },
    })
    expect(await at(server.origin)).toMatchObject({ issuer: server.origin })
  })

  test('is asked for again later where a document fails with 500', async () => {
    await using server = await serve({ ...whole, [SERVER]: { status: 500 } })
    await expect(at(server.origin)).rejects.toMatchObject({ code: 'authority.unreachable' })
  })

  test('is read as far as a megabyte', async () => {
    await using server = await serve({ ...whole, [SERVER]: { body: `{"a":"${'x'.repeat(2 * 1024 * 1024)}"}` } })
    await expect(at(server.origin)).rejects.toMatchObject({
      facts: { problem: expect.stringMatching(/metadata of .*: its response is too large/) },
    })
  })

  test('is followed to other ports of a private host, and to another private host where an exception opens it', async () => {
    await using authority = await serve({ [SERVER]: metadata() })
    await using server = await serve({ [`${RESOURCE}/mcp`]: resource({ authorization_servers: [authority.origin] }) })
    const { issuer } = await at(server.origin, undefined, {
      ...egress,
      privateOrigins: privateHostOf(true, server.origin),
    })
    expect(issuer).toBe(authority.origin)

    // The resource is asked by a name that an exception opens, and names an address of another host that none does.
    const answers: Record<string, Answer> = {}
    await using other = await serve(answers)
    const byName = other.origin.replace('127.0.0.1', 'localhost')
    answers[`${RESOURCE}/mcp`] = resource({ resource: `${byName}/mcp`, authorization_servers: [authority.origin] })
    const asked = authority.asked.length
    const hosts = createExceptions({ networks: [], hosts: ['localhost'] })
    for (const privateOrigins of [[], privateHostOf(true, 'http://10.1.2.3:8000/mcp')]) {
      await expect(at(byName, undefined, { alias: 'notes', privateOrigins, exceptions: hosts })).rejects.toMatchObject({
        facts: { problem: expect.stringMatching(/another host of a private network.*toolway org egress/) },
      })
    }
    expect(authority.asked).toHaveLength(asked)
    const network = createExceptions({ networks: ['127.0.0.1/32'], hosts: [] })
    expect((await at(byName, undefined, { alias: 'notes', privateOrigins: [], exceptions: network })).issuer).toBe(
      authority.origin,
    )
  })

  test('is asked for at no private address where the connection is none', async () => {
    await using server = await serve(whole)
    const open: Egress = { alias: 'notes', privateOrigins: [] }
    await expect(at(server.origin, undefined, open)).rejects.toMatchObject({ code: 'egress.refused' })
    expect(server.asked).toEqual([])
    const named = at('https://1.1.1.1', 'http://1.1.1.1/meta', open)
    await expect(named).rejects.toMatchObject({ facts: { problem: expect.stringMatching(/not protected by TLS/) } })
    const metadataAddress = at('https://1.1.1.1', 'https://169.254.169.254/latest', open)
    await expect(metadataAddress).rejects.toMatchObject({ code: 'egress.refused' })
  })
})
