import { authorityOf } from '@toolway/contract'
import { expect, test } from 'vitest'
import { adapterOf } from './provider-adapters.ts'

const CLIENT = { clientId: 'Iv1.a/b', secret: 's:e&c%ret', method: 'client_secret_post', appId: undefined } as const

test('what is no vendor of ours differs in nothing', () => {
  const answer = { access_token: 'a', scope: 'x,y', token_type: 'DPoP', error: 'odd' }
  for (const name of ['mcp', 'nobody', 'constructor']) {
    const at = 'https://id.example.com'
    const adapter = adapterOf({
      provider: name,
      authorizationEndpoint: `${at}/authorize`,
      tokenEndpoint: `${at}/token`,
    })
    expect(adapter.tokensIn(answer)).toBe(answer)
    expect(adapter.failureIn(answer)).toBeUndefined()
    expect(adapter.accountIn(answer)).toEqual({ id: undefined, name: undefined })
    expect([adapter.scopeParameter, adapter.scopeSeparator, adapter.tokenBody, adapter.revocation]).toEqual([
      'scope',
      ' ',
      'form',
      undefined,
    ])
  }
})

test('scopes are separated by spaces, however the vendor writes them', () => {
  for (const scope of ['repo,gist', 'repo gist', 'repo, gist', ['repo', 'gist']])
    expect(adapterOf(authorityOf('github')).tokensIn({ access_token: 'a', scope })['scope']).toBe('repo gist')
  expect(adapterOf(authorityOf('bitbucket')).tokensIn({ access_token: 'a', scopes: 'account' })['scope']).toBe(
    'account',
  )
  expect(adapterOf(authorityOf('github')).tokensIn({ access_token: 'a' })).not.toHaveProperty('scope')
})

test('a token that runs out does so also where the answer does not say it', () => {
  expect(adapterOf(authorityOf('gitlab')).tokensIn({ access_token: 'a' })['expires_in']).toBe(7200)
  expect(adapterOf(authorityOf('gitlab')).tokensIn({ access_token: 'a', expires_in: 60 })['expires_in']).toBe(60)
  expect(adapterOf(authorityOf('github')).tokensIn({ access_token: 'a' })).not.toHaveProperty('expires_in')
})

test('Slack’s failure is one whatever its status is, and its success none', () => {
  const { failureIn } = adapterOf(authorityOf('slack'))
  expect(failureIn({ ok: false, error: 'invalid_code' })).toBe('invalid_grant')
  expect(failureIn({ ok: false, error: 'something_new' })).toBe('something_new')
  expect(failureIn({ ok: false })).toBe('server_error')
  expect(failureIn({ ok: true, error: 'invalid_code' })).toBeUndefined()
})

test('a vendor’s word for a failure is never one of an object’s own', () => {
  expect(adapterOf(authorityOf('github')).failureIn({ error: 'toString' })).toBe('toString')
  expect(adapterOf(authorityOf('notion')).failureIn({ code: 'unauthorized' })).toBe('invalid_client')
  expect(adapterOf(authorityOf('notion')).failureIn({ error: 'invalid_grant' })).toBe('invalid_grant')
  expect(adapterOf(authorityOf('notion')).failureIn({ access_token: 'a' })).toBeUndefined()
})

test('an identity token that is none tells nothing, and breaks nothing', () => {
  const { accountIn } = adapterOf(authorityOf('gmail'))
  for (const token of [undefined, 7, '', 'a.b', '..', `x.${Buffer.from('[1]').toString('base64url')}.y`, 'x.e30.y'])
    expect(accountIn({ id_token: token })).toEqual({ id: undefined, name: undefined })
})

test('GitHub takes back one token, from the client that proves itself', () => {
  const request = adapterOf(authorityOf('github')).revocation?.(CLIENT, 'gho_1')
  expect(request).toMatchObject({
    url: 'https://api.github.com/applications/Iv1.a%2Fb/token',
    method: 'DELETE',
    body: '{"access_token":"gho_1"}',
  })
  const [, proof = ''] = request?.headers['authorization']?.split(' ') ?? []
  expect(Buffer.from(proof, 'base64').toString()).toBe('Iv1.a%2Fb:s%3Ae%26c%25ret')
})

test('Google is told the token and no secret', () => {
  const request = adapterOf(authorityOf('google_docs')).revocation?.(CLIENT, 'ya29.1')
  expect(request).toMatchObject({ url: 'https://oauth2.googleapis.com/revoke', body: 'token=ya29.1' })
  expect(JSON.stringify(request)).not.toContain('ret')
})
