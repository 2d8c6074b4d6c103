import { describe, expect, test } from 'vitest'
import {
  appNamesOf,
  authorityAt,
  authorityOf,
  findProvider,
  isAtVendor,
  placeAt,
  PlaceProblem,
  providerAt,
  PROVIDERS,
} from './providers.ts'

/** The keys of the source system (connectors.md, 2.1). */
const KEYS = [
  'github',
  'gitlab',
  'bitbucket',
  'jira',
  'confluence',
  'linear',
  'slack',
  'discord',
  'google_docs',
  'google_sheets',
  'gmail',
  'google_slides',
  'google_calendar',
  'microsoft',
  'teams',
  'outlook',
  'excel',
  'powerpoint',
  'notion',
  'zoom',
]

test('the twenty providers of the source system are there, each once, and each makes an authority over https', () => {
  expect(PROVIDERS.map(({ key }) => key).toSorted()).toEqual(KEYS.toSorted())
  for (const { key } of PROVIDERS) {
    const authority = authorityOf(key)
    for (const address of [authority.issuer, authority.authorizationEndpoint, authority.tokenEndpoint])
      expect(new URL(address).protocol).toBe('https:')
    expect(JSON.stringify(Object.values(authority).filter((one) => typeof one === 'string'))).not.toContain('{')
  }
})

test('Copilot is connected with GitHub, and whoever shares a client says whose', () => {
  expect(findProvider('copilot')?.key).toBe('github')
  expect(findProvider('mcp')).toBeUndefined()
  expect(findProvider('constructor')).toBeUndefined()
  expect(appNamesOf('confluence')).toEqual(['confluence', 'jira'])
  expect(appNamesOf('gmail')).toEqual(['gmail', 'google'])
  expect(appNamesOf('teams')).toEqual(['teams', 'microsoft'])
  expect(appNamesOf('github')).toEqual(['github'])
  expect(appNamesOf('copilot')).toEqual(['github'])
})

test('a server that somebody runs has its endpoints at the same paths, and is not the vendor', () => {
  const place = { base: 'https://code.example.com/gitlab/' }
  expect(authorityOf('gitlab', place)).toMatchObject({
    issuer: 'https://code.example.com/gitlab',
    authorizationEndpoint: 'https://code.example.com/gitlab/oauth/authorize',
    tokenEndpoint: 'https://code.example.com/gitlab/oauth/token',
    revocationEndpoint: 'https://code.example.com/gitlab/oauth/revoke',
  })
  expect(isAtVendor(authorityOf('gitlab', place))).toBe(false)
  expect(isAtVendor(authorityOf('gitlab', { base: 'https://gitlab.com/' }))).toBe(true)
  expect(isAtVendor(authorityOf('gitlab'))).toBe(true)
  expect(isAtVendor(authorityOf('teams', { tenant: 'contoso.com' }))).toBe(true)
  expect(isAtVendor({ ...authorityOf('gitlab'), provider: 'mcp' })).toBe(false)
})

test('a place that cannot be is refused with a sentence, and never becomes part of an address', () => {
  const wrong = [
    ['slack', { base: 'https://slack.example.com' }],
    ['gitlab', { base: 'file:///etc/passwd' }],
    ['gitlab', { base: 'https://user@code.example.com' }],
    ['gitlab', { base: 'https://code.example.com/?x=1' }],
    ['gitlab', { base: 'gitlab' }],
    ['gitlab', { tenant: 'contoso.com' }],
    ['teams', { tenant: 'common/../evil' }],
    ['teams', { tenant: '' }],
    ['teams', { tenant: 'a@b' }],
    ['nobody', {}],
  ] as const
  for (const [name, place] of wrong) expect(() => authorityOf(name, place), name).toThrow(PlaceProblem)
})

test('Microsoft is asked at the tenant that is named, else at the common one', () => {
  expect(authorityOf('outlook').tokenEndpoint).toBe('https://login.microsoftonline.com/common/oauth2/v2.0/token')
  expect(authorityOf('outlook', { tenant: 'contoso.onmicrosoft.com' }).tokenEndpoint).toBe(
    'https://login.microsoftonline.com/contoso.onmicrosoft.com/oauth2/v2.0/token',
  )
})

describe('the authorization server follows the address of a connection:', () => {
  const endpoints = (name: string, address: string, tenant?: string) => {
    const { authorizationEndpoint, tokenEndpoint, revocationEndpoint } = authorityAt(name, address, tenant)
    return [authorizationEndpoint, tokenEndpoint, revocationEndpoint]
  }

  test.each([
    ['gitlab', 'https://code.example.com', 'https://code.example.com'],
    ['gitlab', 'https://code.example.com/git/api/v4/mcp', 'https://code.example.com/git'],
    ['gitlab', 'http://10.0.0.7:8080/', 'http://10.0.0.7:8080'],
  ])('%s at %s', (name, address, base) =>
    expect(endpoints(name, address)).toEqual(['authorize', 'token', 'revoke'].map((path) => `${base}/oauth/${path}`)),
  )

  test.each(['https://ghe.example.com/api/v3', 'https://ghe.example.com', 'https://ghe.example.com/api/v3/'])(
    'GitHub Enterprise Server at %s',
    (address) =>
      expect(endpoints('github', address)).toEqual([
        'https://ghe.example.com/login/oauth/authorize',
        'https://ghe.example.com/login/oauth/access_token',
        'https://ghe.example.com/api/v3/applications/{clientId}/token',
      ]),
  )

  test.each(['jira', 'confluence'])('%s Data Center, which has other scopes and parameters than the cloud', (name) => {
    const authority = authorityAt(name, 'https://work.example.com/jira/rest/api/2')
    expect(endpoints(name, 'https://work.example.com/jira/rest/api/2')).toEqual(
      ['authorize', 'token', 'revoke'].map((path) => `https://work.example.com/jira/rest/oauth2/latest/${path}`),
    )
    expect(authority.scopes).toEqual(['WRITE'])
    expect(providerAt(authority)).toMatchObject({ authorizationParameters: {}, tokenBody: 'form', pkce: 'checked' })
    expect(providerAt(authorityOf(name))).toMatchObject({
      authorizationParameters: { prompt: 'consent' },
      tokenBody: 'json',
    })
  })

  test('one directory of Microsoft’s at Microsoft’s own API', () =>
    expect(endpoints('outlook', 'https://graph.microsoft.com', 'contoso.com')[1]).toBe(
      'https://login.microsoftonline.com/contoso.com/oauth2/v2.0/token',
    ))

  test('a token is had at the vendor only for an address that is one of the vendor’s hosts', () => {
    for (const { key, hosts } of PROVIDERS)
      for (const host of hosts.map((one) => one.replace('*.', 'www.')))
        expect(authorityAt(key, `https://${host}/any/path`), host).toEqual(authorityOf(key))
    const elsewhere = [
      'https://HOST.evil.test/',
      'https://evil.test/HOST',
      'https://evil.test/?HOST',
      'https://evil.test/#HOST',
      'https://HOST@evil.test/',
      'https://HOST:x@evil.test/',
      'https://HOST%2eevil.test/',
      'https://x-HOST/',
      'https://evil.test\\@HOST/',
      'http://HOST/',
      'https://HOST:8443/',
      'ws://HOST/',
      'wss://HOST:444/',
      'https://127.0.0.1/',
      'https://[::1]/',
      'https://0x7f.1/',
      'https://xn--gthub-n4a.com/',
      'https://gіthub.com/',
    ]
    for (const { key, hosts, tokenEndpoint } of PROVIDERS)
      for (const host of hosts.map((one) => one.replace('*.', '')))
        for (const address of elsewhere.map((one) => one.replace('HOST', host))) {
          let authority
          try {
            authority = authorityAt(key, address)
          } catch (thrown) {
            expect(thrown, address).toBeInstanceOf(PlaceProblem)
            continue
          }
          expect(new URL(authority.tokenEndpoint).origin, address).not.toBe(new URL(tokenEndpoint).origin)
          // It is had at the very server that it goes to.
          expect(new URL(authority.tokenEndpoint).origin, address).toBe(new URL(address).origin)
          expect(new URL(authority.authorizationEndpoint).origin, address).toBe(new URL(address).origin)
        }
  })

  test('where a product cannot be run by others, the problem names the hosts and what mends it', () => {
    expect(() => placeAt('slack', 'https://slack.example.com')).toThrow(
      /^is no address for accounts at Slack, whose tokens are only sent to slack\.com, .*: use one of these, or set/,
    )
    expect(() => placeAt('github', 'http://api.github.com')).toThrow(/use https:\/\/api\.github\.com without a port$/)
    expect(() => placeAt('gitlab', 'https://code.example.com', 'contoso.com')).toThrow('GitLab has none')
  })
})
