import type { FamilyId, UserId } from '@toolway/contract'
import { expect, test } from 'vitest'
import { createVault } from '../vault/vault.ts'
import { createAccessTokens } from './access-tokens.ts'

test('an access token outlives a rotation of the key that signed it, and ends with that key', async () => {
  const [old, next] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)]
  const vault = createVault(old)
  const tokens = createAccessTokens({
    issuer: () => 'https://tools.example.com',
    get keys() {
      return vault.signingKeys('access tokens')
    },
    lifetime: 60,
    now: Date.now,
  })
  const claims = {
    sub: 'usr_1' as UserId,
    sid: 'fam_1' as FamilyId,
    epoch: 0,
    limit: 'execute',
    client_id: 'browser',
    aud: 'https://tools.example.com',
  } as const
  const before = await tokens.mint(claims)
  vault.turn({ roots: [next, old] })
  const after = await tokens.mint(claims)
  for (const token of [before, after]) expect(await tokens.read(token)).toMatchObject({ sub: 'usr_1' })
  vault.turn({ roots: [next] })
  await expect(tokens.read(before)).rejects.toMatchObject({ code: 'token.unknown' })
  expect(await tokens.read(after)).toMatchObject({ sub: 'usr_1' })
})
