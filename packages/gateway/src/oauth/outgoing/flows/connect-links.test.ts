import type { ConnectionId, OrganizationId } from '@toolway/contract'
import { expect, test } from 'vitest'
import { createVault } from '../../../vault/vault.ts'
import { createConnectLinks } from './connect-links.ts'

const links = createConnectLinks({
  vault: createVault(Buffer.alloc(32, 3)),
  publicUrl: () => 'https://toolway.example.com',
  now: () => 0,
})

test('a link stays short and good however many scopes a server names; those that were named last are in it', () => {
  const scopes = Array.from({ length: 1_000 }, (_, at) => `scope-${at}-${'x'.repeat(190)}`)
  const { url } = links.link({
    organizationId: 'org_1' as OrganizationId,
    connectionId: 'con_1' as ConnectionId,
    userId: undefined,
    account: undefined,
    scopes: [...scopes, 'needed'],
  })
  expect(url.length).toBeLessThan(8_192)
  const read = links.read(url.split('/').at(-1) ?? '')
  expect(read).toMatchObject({ connectionId: 'con_1' })
  expect(read?.scopes).toContain('needed')
})
