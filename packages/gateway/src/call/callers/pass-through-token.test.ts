import { describe, expect, test } from 'vitest'
import { createReadPassThroughToken } from './pass-through-token.ts'

const brought = createReadPassThroughToken((text) => text === 'own.signed.token')
const refusal = (token: unknown, authorization?: string) => {
  try {
    brought(token, authorization)
  } catch (thrown) {
    return (thrown as Error).message
  }
  return 'taken'
}

describe('a token that is brought with a call', () => {
  test('is taken as it is, whatever vendor it is of, and nothing is taken where none is', () => {
    for (const token of ['gho_16C7e42F292c6912E7710c838347Ae178B4a', 'ya29.a0Af/_H-x~y+z==', 'a'.repeat(8_192)])
      expect(brought(token, 'Bearer mine')).toBe(token)
    expect(brought(undefined, 'Bearer mine')).toBeUndefined()
  })

  test('is refused when it is no Bearer token, or too long for one', () => {
    for (const token of ['', 'two words', 'Bearer abc', 'one, other', 'line\r\nx-admin: 1', 'ключ', 7, null, { a: 1 }])
      expect(refusal(token)).toContain('is not a Bearer token')
    expect(refusal('a'.repeat(8_193))).toContain('longer than 8192')
  })

  test('is refused when it is what opens this gateway: a key, a token of ours, or what the caller is known by', () => {
    const keys = [`uru_${'a'.repeat(64)}`, 'smcp_tu_abc', 'twr_refresh', 'own.signed.token']
    for (const token of keys) expect(refusal(token)).toContain('is a key or token of this gateway')
    expect(refusal('guest-token', 'bearer  guest-token')).toContain('is a key or token of this gateway')
    expect(refusal('guest-token', 'Bearer other')).toBe('taken')
  })

  test('is in no sentence that refuses it', () => {
    for (const token of ['se cret', 'own.signed.token', 'smcp_tu_secret']) expect(refusal(token)).not.toContain(token)
  })
})
