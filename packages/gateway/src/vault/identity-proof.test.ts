import { expect, test } from 'vitest'
import { isChallenge, isProof, proofOf } from './identity-proof.ts'
import { createVault } from './vault.ts'

const vault = createVault(Buffer.alloc(32, 1))
const CHALLENGE = 'ab'.repeat(32)

test('a proof holds for its challenge, its port and its key, and nothing else', () => {
  const proof = proofOf(vault, CHALLENGE, 8787)
  expect(isProof(vault, CHALLENGE, 8787, proof)).toBe(true)
  expect(isProof(vault, CHALLENGE, 8788, proof)).toBe(false)
  expect(isProof(vault, 'cd'.repeat(32), 8787, proof)).toBe(false)
  expect(isProof(createVault(Buffer.alloc(32, 2)), CHALLENGE, 8787, proof)).toBe(false)
  for (const other of [undefined, '', 7]) expect(isProof(vault, CHALLENGE, 8787, other)).toBe(false)
})

test('only random bytes are a challenge, so that nothing of a meaning is ever signed', () => {
  expect(isChallenge(CHALLENGE)).toBe(true)
  for (const text of [undefined, '', 'x', CHALLENGE.toUpperCase(), `${CHALLENGE}0`])
    expect(isChallenge(text)).toBe(false)
})
