import { argon2Sync } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { createPasswords } from './passwords.ts'

const passwords = createPasswords({ shortest: 12 })
const GOOD = 'correct horse battery'

describe('a password', () => {
  test('U-04: is kept as argon2id with 19 MiB, two passes and one lane, another text each time', async () => {
    const [one, two] = [await passwords.hash(GOOD), await passwords.hash(GOOD)]
    expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/)
    expect(one).not.toBe(two)
    expect(one).not.toContain(GOOD)
    const [, , , , salt = '', tag = ''] = one.split('$')
    const options = { message: GOOD, nonce: Buffer.from(salt, 'base64'), memory: 19_456, passes: 2, parallelism: 1 }
    expect(argon2Sync('argon2id', { ...options, tagLength: 32 }).toString('base64')).toBe(`${tag}=`)
  })

  test('fits itself and nothing else', async () => {
    const stored = await passwords.hash(GOOD)
    expect(await passwords.verify(GOOD, stored)).toBe(true)
    expect(await passwords.verify(`${GOOD} `, stored)).toBe(false)
    expect(await passwords.verify('', stored)).toBe(false)
  })

  test('is the same from two keyboards that write a letter differently', async () => {
    const stored = await passwords.hash('caf\u00e9 au lait, bien')
    expect(await passwords.verify('cafe\u0301 au lait, bien', stored)).toBe(true)
  })

  test.each([undefined, null, '', 'not a hash', '$argon2id$v=19$m=19456,t=2,p=1$AAAA$'])(
    'of nobody (%j) is never right',
    async (stored) => {
      expect(await passwords.verify(GOOD, stored)).toBe(false)
    },
  )

  test('must have twelve characters, counted as people count them', async () => {
    await expect(passwords.hash('elevenchars')).rejects.toMatchObject({ code: 'body.shape' })
    await expect(passwords.hash('👍'.repeat(11))).rejects.toMatchObject({ code: 'body.shape' })
    await expect(passwords.hash('x'.repeat(1025))).rejects.toMatchObject({ code: 'body.shape' })
    expect(await passwords.verify('👍'.repeat(12), await passwords.hash('👍'.repeat(12)))).toBe(true)
  })

  test('is told to come again where very many are being checked at once', async () => {
    const stored = await passwords.hash(GOOD)
    const asked = await Promise.allSettled(Array.from({ length: 40 }, () => passwords.verify('wrong password', stored)))
    const refused = asked.filter(({ status }) => status === 'rejected')
    expect(refused).toHaveLength(6)
    for (const one of refused) expect(one).toMatchObject({ reason: { code: 'gateway.not-ready' } })
  })
})
