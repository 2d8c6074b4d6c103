import { authorityOf, PROVIDERS } from '@toolway/contract'
import { expect, test } from 'vitest'
import { appsOf, ConfigFault, loadConfig } from '../../../config.ts'
import { createGlobalApps } from './global-apps.ts'

const load = (environment: Record<string, string>) => appsOf(loadConfig(environment, '/nowhere').config)

test('one client serves every provider of its family, and nobody else', () => {
  const apps = createGlobalApps(
    load({ GOOGLE_CLIENT_ID: 'g-1', GOOGLE_CLIENT_SECRET: 'g-s', JIRA_CLIENT_ID: 'j-1', JIRA_CLIENT_SECRET: 'j-s' }),
  )
  const served = PROVIDERS.map(({ key }) => key).filter((key) => apps.of(authorityOf(key)) !== undefined)
  expect(served.toSorted()).toEqual(
    ['gmail', 'google_calendar', 'google_docs', 'google_sheets', 'google_slides', 'jira', 'confluence'].toSorted(),
  )
  expect(apps.of(authorityOf('confluence'))).toEqual({ clientId: 'j-1', secret: 'j-s', method: 'client_secret_post' })
  expect([apps.has('gmail'), apps.has('github'), apps.has('mcp')]).toEqual([true, false, false])
})

test('each provider of the table has a pair of settings', () => {
  const every = Object.fromEntries(
    [...new Set(PROVIDERS.map(({ family }) => family.toUpperCase()))].flatMap((vendor) => [
      [`${vendor}_CLIENT_ID`, `${vendor}-1`],
      [`${vendor}_CLIENT_SECRET`, `${vendor}-s`],
    ]),
  )
  const apps = createGlobalApps(load(every))
  for (const { key } of PROVIDERS) expect([key, apps.has(key)]).toEqual([key, true])
})

test('its secret goes to the vendor and to no server that somebody else runs', () => {
  const apps = createGlobalApps(load({ GITLAB_CLIENT_ID: 'l-1', GITLAB_CLIENT_SECRET: 'l-s' }))
  expect(apps.of(authorityOf('gitlab'))?.secret).toBe('l-s')
  expect(apps.of(authorityOf('gitlab', { base: 'https://gitlab.evil.example' }))).toBeUndefined()
  expect(apps.of({ ...authorityOf('gitlab'), tokenEndpoint: 'https://evil.example/oauth/token' })).toBeUndefined()
})

test('what is a placeholder is not set, and one half of a pair is refused with a sentence', () => {
  const apps = createGlobalApps(load({ SLACK_CLIENT_ID: 'your-client-id', SLACK_CLIENT_SECRET: '<secret>' }))
  expect(apps.has('slack')).toBe(false)
  for (const half of [
    { GITHUB_CLIENT_ID: 'Iv1.abc' },
    { GITHUB_CLIENT_SECRET: 'canary' },
    { GITHUB_CLIENT_ID: 'your-client-id', GITHUB_CLIENT_SECRET: 'canary' },
  ]) {
    expect(() => load(half)).toThrow(ConfigFault)
    expect(() => load(half)).toThrow(/^GITHUB_CLIENT_(ID|SECRET) is set without GITHUB_CLIENT_(ID|SECRET)\. Set both/)
    expect(() => load(half)).not.toThrow('canary')
  }
})
