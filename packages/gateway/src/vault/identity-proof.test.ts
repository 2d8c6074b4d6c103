import { expect, test } from 'vitest'
import { isChallenge, isProof, proofOf } from './identity-proof.ts'
import { createVault } from './vault.ts'

const vault = createVault(Buffer.alloc(32, 1))
const CHALLENGE = 'ab'.repeat(32)

const PLACE = { address: '127.0.0.1', port: 8787 }

test('a proof holds for its challenge, its address, its port and its key, and nothing else', () => {
  const proof = proofOf(vault, CHALLENGE, PLACE)
  expect(isProof(vault, CHALLENGE, PLACE, proof)).toBe(true)
  expect(isProof(vault, CHALLENGE, { ...PLACE, address: '::ffff:127.0.0.1' }, proof)).toBe(true)
  expect(isProof(vault, CHALLENGE, { ...PLACE, port: 8788 }, proof)).toBe(false)
  for (const address of ['::1', '127.0.0.2', '172.17.0.2'])
    expect(isProof(vault, CHALLENGE, { ...PLACE, address }, proof)).toBe(false)
  expect(isProof(vault, 'cd'.repeat(32), PLACE, proof)).toBe(false)
  expect(isProof(createVault(Buffer.alloc(32, 2)), CHALLENGE, PLACE, proof)).toBe(false)
  for (const other of [undefined, '', 7]) expect(isProof(vault, CHALLENGE, PLACE, other)).toBe(false)
})

test('only random bytes are a challenge, so that nothing of a meaning is ever signed', () => {
  expect(isChallenge(CHALLENGE)).toBe(true)
  for (const text of [undefined, '', 'x', CHALLENGE.toUpperCase(), `${CHALLENGE}0`])
    expect(isChallenge(text)).toBe(false)
})
