/** A server of an authorization server's, at a host of its own, that tells whose token one is, or does not. */
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { accountAt } from './userinfo.ts'

const NOBODY = { id: undefined, name: undefined }
const egress = { alias: 'notes', privateOrigins: 'any' } as const
const heard: (string | undefined)[] = []
let answer: (response: ServerResponse) => void
let url: string
const server = createServer((request, response) => {
  heard.push(request.headers.authorization)
  answer(response)
})
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.8', resolve))
  url = `http://127.0.0.8:${(server.address() as AddressInfo).port}/userinfo`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

const says = (body: unknown, status = 200) => {
  answer = (response) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
const ask = (
  words: Partial<Parameters<typeof accountAt>[0]['tokens']> = {},
  requested: readonly string[] = ['openid'],
) =>
  accountAt(
    {
      authority: { userinfoEndpoint: url },
      requested,
      tokens: { access: 't-1', scopes: undefined, account: NOBODY, ...words },
    },
    egress,
  )

test('an account has the name that its authorization server tells', async () => {
  says({ sub: 'u-1', email: 'ada@example.com', name: 'Ada' })
  expect(await ask()).toEqual({ id: 'u-1', name: 'ada@example.com' })
  expect(heard).toEqual(['Bearer t-1'])
  says({ sub: 'u-1', preferred_username: 'ada', email: 'ada@example.com' })
  expect(await ask({ account: { id: 'u-1', name: undefined } })).toEqual({ id: 'u-1', name: 'ada' })
})

test('nobody is asked without the scope for it, or where the token has said it', async () => {
  says({ sub: 'u-1', email: 'ada@example.com' })
  heard.length = 0
  expect(await ask({}, ['tools'])).toEqual(NOBODY)
  expect(await ask({ scopes: ['tools'] })).toEqual(NOBODY)
  const known = { id: 'u-1', name: 'Ada' }
  expect(await ask({ account: known })).toEqual(known)
  expect(heard).toEqual([])
})

test('an answer about somebody else is not believed, and none that fails fails anything', async () => {
  const account = { id: 'u-1', name: undefined }
  says({ sub: 'u-2', email: 'eve@example.com' })
  expect(await ask({ account })).toEqual(account)
  for (const [body, status] of [
    [{ error: 'invalid_token' }, 401],
    [{ email: 'ada@example.com' }, 200],
    [['u-1'], 200],
    [{ sub: 'x'.repeat(300), email: 'ada@example.com' }, 200],
    [{ sub: 'u-1', email: 'x'.repeat(100_000) }, 200],
  ] as const) {
    says(body, status)
    expect(await ask({ account }), JSON.stringify(body).slice(0, 80)).toMatchObject({ id: 'u-1', name: undefined })
  }
  answer = (response) => void response.socket?.destroy()
  expect(await ask()).toEqual(NOBODY)
  answer = (response) => void response.writeHead(200).end('<html>')
  expect(await ask()).toEqual(NOBODY)
  answer = (response) => void response.writeHead(302, { location: 'http://127.0.0.9:1/' }).end()
  expect(await ask()).toEqual(NOBODY)
})

test('an address in a private network that nobody allowed is not asked', async () => {
  says({ sub: 'u-1', email: 'ada@example.com' })
  heard.length = 0
  const tokens = { access: 't-1', scopes: undefined, account: NOBODY }
  const request = { authority: { userinfoEndpoint: url }, requested: ['openid'], tokens }
  expect(await accountAt(request, { alias: 'notes', privateOrigins: [] })).toEqual(NOBODY)
  expect(heard).toEqual([])
})
