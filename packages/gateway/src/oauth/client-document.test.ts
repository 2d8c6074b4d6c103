import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, test } from 'vitest'
import { createClientDocuments, isDocumentAddress } from './client-document.ts'

/** A server on this machine that hands out what it is told to. */
async function serve(listener: RequestListener) {
  let asked = 0
  const server = createServer((request, response) => {
    asked++
    listener(request, response)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    address,
    id: `${address}/client.json`,
    get asked() {
      return asked
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const documentOf = (id: string, more: object = {}) => ({
  client_id: id,
  client_name: 'Desk',
  redirect_uris: ['http://127.0.0.1/callback', 'https://desk.example/callback'],
  grant_types: ['authorization_code', 'refresh_token'],
  ...more,
})

const json =
  (make: (id: string) => unknown, headers: Record<string, string> = {}): RequestListener =>
  (request, response) =>
    response
      .writeHead(200, { 'content-type': 'application/json', ...headers })
      .end(JSON.stringify(make(`http://${request.headers.host}${request.url}`)))

describe('a client that is a document', () => {
  test('is what the document says, asked for once', async () => {
    await using server = await serve(json(documentOf))
    const documents = createClientDocuments({ loopback: true })
    const [found] = await Promise.all([documents.find(server.id), documents.find(server.id)])
    expect(await documents.find(server.id)).toBe(found)
    expect(found.name).toBe('Desk')
    expect(found.metadata).toMatchObject({ application_type: 'native', token_endpoint_auth_method: 'none' })
    expect(server.asked).toBe(1)
  })

  test.each([
    ['names another client', json((id) => documentOf(`${id}x`)), 'contains a different client_id'],
    ['contains a secret', json((id) => documentOf(id, { client_secret: 's' })), 'contains a secret'],
    [
      'wants a secret',
      json((id) => documentOf(id, { token_endpoint_auth_method: 'client_secret_post' })),
      'public client',
    ],
    ['names no redirect', json((id) => documentOf(id, { redirect_uris: [] })), 'redirect_uris'],
    [
      'is a page',
      (_request, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>'),
      'not application/json',
    ],
    [
      'is not JSON',
      (_request, response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{'),
      'not JSON',
    ],
    ['is not there', (_request, response) => response.writeHead(404).end(), 'responds with HTTP 404'],
    [
      'is huge',
      json((id) => documentOf(id, { client_uri: `https://a.example/${'x'.repeat(70_000)}` })),
      'larger than 65536',
    ],
    [
      'lies elsewhere',
      (_request, response) => response.writeHead(302, { location: 'http://169.254.169.254/' }).end(),
      'responds with HTTP 302',
    ],
  ] satisfies [string, RequestListener, string][])(
    'that %s is refused, and not asked for again at once',
    async (_, listener, words) => {
      await using server = await serve(listener)
      const documents = createClientDocuments({ loopback: true })
      await expect(documents.find(server.id)).rejects.toThrow(words)
      await expect(documents.find(server.id)).rejects.toThrow(words)
      expect(server.asked).toBe(1)
    },
  )

  test('that never ends is given up, and no connection is left', async () => {
    let closed = 0
    await using server = await serve((request, response) => {
      request.socket.on('close', () => closed++)
      response.writeHead(200, { 'content-type': 'application/json' }).write('{')
    })
    const documents = createClientDocuments({ loopback: true, patience: 200 })
    await expect(documents.find(server.id)).rejects.toThrow('cannot be fetched')
    await expect.poll(() => closed).toBe(1)
  })

  test.each([
    'https://127.0.0.1/client.json',
    'https://[::1]/client.json',
    'https://10.0.0.1/client.json',
    'https://169.254.169.254/latest/meta-data',
    'https://[::ffff:127.0.0.1]/client.json',
    'https://[::ffff:a00:1]/client.json',
    'https://[64:ff9b::7f00:1]/client.json',
    'https://[64:ff9b:1::a00:1]/client.json',
    'https://[fd00:ec2::254]/client.json',
    'https://localhost/client.json',
    'https://2130706433/client.json',
  ])('at %s is not asked for, and why is not told', async (id) => {
    const documents = createClientDocuments({ loopback: false })
    const spelled = new URL(id).href
    await expect(documents.find(spelled)).rejects.toThrow(/^its document cannot be fetched$/)
  })
})

test('an address of a document is https, has a path, and is spelled in one way', () => {
  for (const good of ['https://client.example/oauth/client.json', 'https://client.example:8443/c?v=1'])
    expect(isDocumentAddress(good, false), good).toBe(true)
  for (const bad of [
    'http://client.example/c',
    'http://127.0.0.1/c',
    'https://client.example',
    'https://client.example/',
    'https://client.example/a/../c',
    'https://client.example/%2e%2e/c',
    'https://client.example/c#x',
    'https://user@client.example/c',
    'https://CLIENT.example/c',
    'https://client.example:443/c',
    'https:client.example/c',
    ' https://client.example/c',
    'client_0123456789abcdef',
  ])
    expect(isDocumentAddress(bad, false), bad).toBe(false)
  expect(isDocumentAddress('http://127.0.0.1:1/c', true)).toBe(true)
})
