import { ConnectionSettings } from '@toolway/contract'
import { expect, test } from 'vitest'
import type { ConnectionRow } from '../../connections/connections.ts'
import { unsafeAddresses } from './unsafe-addresses.ts'

const URL = 'https://ghe.example.com/api/v3'
const oauth = { kind: 'oauth', provider: 'github' } as const

test('doctor lists the connections whose accounts or headers are for another address', () => {
  const row = (alias: string, settings: object, secrets: object = {}) =>
    ({
      ...{ id: alias, alias, settings: ConnectionSettings.parse({ connector: 'mcp.http', ...settings }) },
      sealed: Buffer.from(JSON.stringify(secrets)),
    }) as unknown as ConnectionRow
  const n8n = { connector: 'n8n', url: 'https://n8n.example.com', webhooks: 'https://hooks.example.com' }
  const found = unsafeAddresses({ open: (sealed) => Buffer.from(sealed).toString() }, [
    row('fine', { url: 'https://api.githubcopilot.com/mcp/', auth: oauth }),
    row('own', { url: URL, auth: oauth }),
    row('talk', { url: 'https://slack.example.com', auth: { kind: 'oauth', provider: 'slack' } }),
    row(
      'proven',
      { url: 'https://slack.example.com', auth: { kind: 'oauth', provider: 'slack' } },
      { headers: { Authorization: 'x' } },
    ),
    row('hooks', n8n, { headers: { 'x-hook': 's' } }),
    row('open-hooks', n8n),
    row('saved', n8n, {
      headers: { 'x-hook': 's' },
      origins: { webhooks: { origin: 'https://hooks.example.com', private: false } },
    }),
  ])
  expect(found).toEqual([
    { alias: 'talk', detail: expect.stringMatching(/its address is no address for accounts at Slack.*slack\.com/) },
    { alias: 'hooks', detail: expect.stringContaining('"webhooks" (https://hooks.example.com)') },
  ])
})
