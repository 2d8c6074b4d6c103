import { expect, test } from 'vitest'
import { appNamesOf, authorityOf, findProvider, isAtVendor, PlaceProblem, PROVIDERS } from './providers.ts'

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
    ['github', { base: 'https://github.example.com' }],
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
