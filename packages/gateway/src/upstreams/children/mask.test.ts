import { describe, expect, test } from 'vitest'
import { createMask } from './mask.ts'

describe('a declared value', () => {
  test('is shown as the name of its variable, the longest first', () => {
    const mask = createMask({ KEY: 'abcdefgh', LONGER: 'abcdefgh-ijkl' })
    expect(mask('abcdefgh-ijkl, abcdefgh')).toBe('[LONGER], [KEY]')
  })

  test('of several lines is masked line by line', () => {
    const mask = createMask({ PEM: '-----BEGIN KEY-----\nMIIEvQIBADANBg\nxyz\n' })
    expect(mask('MIIEvQIBADANBg')).toBe('[PEM]')
  })

  test('is taken literally, and stays when it is too short to be a secret', () => {
    expect(createMask({ A: '$&.*(abc', B: '8080' })('8080 $&.*(abc')).toBe('8080 [A]')
  })
})
