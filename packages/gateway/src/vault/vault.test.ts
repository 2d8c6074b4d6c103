import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { firstHashRoot } from './root.ts'
import { createVault } from './vault.ts'

const root = Buffer.from(Array.from({ length: 32 }, (_, index) => index))
const vault = createVault(root)
const other = createVault(Buffer.alloc(32, 9))

describe('a sealed value', () => {
  test('opens as what it was, for its own row', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 500 }), fc.string({ unit: 'grapheme' }), (text, row) => {
        expect(vault.open(vault.seal(text, row), row)).toBe(text)
      }),
    )
    expect(vault.open(vault.seal('', 'row'), 'row')).toBe('')
  })

  test("S2-ENC-01: that was swapped with another row's does not open", () => {
    const [one, two] = [vault.seal('one', 'connection con_1'), vault.seal('two', 'connection con_2')]
    expect(() => vault.open(two, 'connection con_1')).toThrow()
    expect(() => vault.open(one, 'connection con_2')).toThrow()
    expect(() => vault.open(one, '')).toThrow()
    expect(() => vault.open(one, 'connection con_1 ')).toThrow()
  })

  test('does not open with any one byte changed, left out or added', () => {
    const sealed = vault.seal('a secret', 'row')
    for (let at = 0; at < sealed.length; at++) {
      for (const bit of [1, 128]) {
        const flipped = Buffer.from(sealed)
        flipped[at] = (flipped[at] ?? 0) ^ bit
        expect(() => vault.open(flipped, 'row')).toThrow()
      }
      expect(() => vault.open(sealed.subarray(0, at), 'row')).toThrow()
      expect(() =>
        vault.open(Buffer.concat([sealed.subarray(0, at), Buffer.from([7]), sealed.subarray(at)]), 'row'),
      ).toThrow()
    }
    expect(() => vault.open(Buffer.concat([sealed, Buffer.from([0])]), 'row')).toThrow()
    expect(vault.open(sealed, 'row')).toBe('a secret')
  })

  test('does not open with another key', () => {
    expect(() => other.open(vault.seal('a secret', 'row'), 'row')).toThrow()
  })

  test('S2-ENC-01: never looks the same twice, and never shows the text', () => {
    const sealed = Array.from({ length: 200 }, () => vault.seal('uru_secret', 'row'))
    expect(new Set(sealed.map((one) => one.toString('hex'))).size).toBe(200)
    expect(new Set(sealed.map((one) => one.subarray(9, 21).toString('hex'))).size).toBe(200)
    for (const one of sealed) expect(one.includes('uru_secret')).toBe(false)
  })

  test('that was sealed by an earlier version still opens', () => {
    const kept = '01c6204f2e8d2cd679549b150aaca6d0462b68efed2009620b987815361491ff0181ae366f67b4'
    expect(vault.open(Buffer.from(kept, 'hex'), 'connection con_1')).toBe('kept words')
  })

  test('names the key that it was sealed with, and does not open when it names another', () => {
    const sealed = vault.seal('a secret', 'row')
    expect(sealed[0]).toBe(2)
    expect(sealed.toString('hex', 1, 9)).toBe(vault.fingerprint.slice(0, 16))
    const both = createVault({ roots: [root, Buffer.alloc(32, 9)] })
    const renamed = Buffer.concat([
      sealed.subarray(0, 1),
      Buffer.from(other.keyIds[0] ?? '', 'hex'),
      sealed.subarray(9),
    ])
    expect(both.open(sealed, 'row')).toBe('a secret')
    expect(() => both.open(renamed, 'row')).toThrow()
  })

  test('says nothing of its text when it does not open', () => {
    const sealed = vault.seal('uru_secret', 'row')
    try {
      vault.open(sealed, 'another row')
      expect.fail('it opened')
    } catch (thrown) {
      expect(JSON.stringify([String(thrown), (thrown as Error).stack])).not.toContain('uru_secret')
    }
  })

  test.each([Buffer.alloc(0), Buffer.from('x'), Buffer.alloc(28, 1), Buffer.alloc(64)])(
    'is not what %j is',
    (bytes) => {
      expect(() => vault.open(bytes, 'row')).toThrow()
    },
  )
})

describe('keys that are derived', () => {
  test('are the same for the same root and different for another', () => {
    expect(createVault(Buffer.from(root)).fingerprint).toBe(vault.fingerprint)
    expect(createVault(Buffer.from(root)).hash('key')).toEqual(vault.hash('key'))
    expect(createVault(Buffer.from(root)).sign('text', 'cursor')).toBe(vault.sign('text', 'cursor'))
    expect(other.fingerprint).not.toBe(vault.fingerprint)
    expect(other.hash('key')).not.toEqual(vault.hash('key'))
  })

  test('keep the values that databases and clients already hold', () => {
    expect(vault.fingerprint).toBe('770cc648dbf3848086cbddac37349aea')
    expect(vault.hash('uru_key').toString('hex')).toBe(
      '8305525c14bcce20a529c4714a8a692abc0393f331fda0f671dc4aeaa1a044e5',
    )
    expect(vault.sign('text', 'cursor')).toBe('62hjR4fkoYu6M6B35PbMloBLqREWWxYVmfpOdKHBffQ')
  })

  test('do not tell the root, nor one another', () => {
    const told = [vault.fingerprint, vault.hash('').toString('hex'), vault.sign('', 'a'), vault.sign('', 'b')]
    expect(new Set(told).size).toBe(4)
    for (const one of told) expect(root.toString('hex')).not.toContain(one)
  })

  test.each([0, 16, 31, 33, 64])('are not made of a root of %i bytes', (length) => {
    expect(() => createVault(randomBytes(length))).toThrow('32 bytes')
  })
})

describe('a ring of keys', () => {
  const [old, next] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)]
  const before = createVault(old)
  const sealed = before.seal('a secret', 'row')
  const after = createVault({ roots: [next, old], hashRoot: firstHashRoot(old) })

  test('seals with the first, and opens what any of them sealed', () => {
    expect(after.open(sealed, 'row')).toBe('a secret')
    expect(() => before.open(after.seal('new', 'row'), 'row')).toThrow('which is not there')
    expect(after.keyIds).toEqual([createVault(next).keyIds[0], before.keyIds[0]])
    const earlier = Buffer.from('01c6204f2e8d2cd679549b150aaca6d0462b68efed2009620b987815361491ff0181ae366f67b4', 'hex')
    expect(createVault({ roots: [next, root, old] }).open(earlier, 'connection con_1')).toBe('kept words')
  })

  test('verifies what any of them signed, and signs with the first', () => {
    expect(after.verify('text', before.sign('text', 'cursor'), 'cursor')).toBe(true)
    expect(after.verify('text', after.sign('text', 'cursor'), 'cursor')).toBe(true)
    expect(before.verify('text', after.sign('text', 'cursor'), 'cursor')).toBe(false)
    expect(after.signingKeys('tokens').map(({ id }) => id)).toEqual([
      createVault(next).signingKeys('tokens')[0]?.id,
      before.signingKeys('tokens')[0]?.id,
    ])
    expect(after.signingKeys('tokens')).toBe(after.signingKeys('tokens'))
  })

  test('finds keys by the same hash whichever of them seals', () => {
    expect(after.hash('uru_key')).toEqual(before.hash('uru_key'))
  })

  test('can be turned while it is in use, and forgets what is not in it any more', () => {
    const turning = createVault(old)
    const { open, seal } = turning
    turning.turn({ roots: [next, old], hashRoot: firstHashRoot(old) })
    expect(open(sealed, 'row')).toBe('a secret')
    expect(seal('new', 'row').toString('hex', 1, 9)).toBe(turning.keyIds[0])
    turning.turn({ roots: [next], hashRoot: firstHashRoot(old) })
    expect(() => open(sealed, 'row')).toThrow()
    expect(turning.verify('text', before.sign('text', 'cursor'), 'cursor')).toBe(false)
    expect(turning.hash('uru_key')).toEqual(before.hash('uru_key'))
  })
})

describe('a signature', () => {
  const signature = vault.sign('text', 'cursor')

  test('holds for its text and its purpose', () => {
    expect(vault.verify('text', signature, 'cursor')).toBe(true)
    expect(vault.verify('texT', signature, 'cursor')).toBe(false)
    expect(vault.verify('text', signature, 'session')).toBe(false)
    expect(other.verify('text', signature, 'cursor')).toBe(false)
  })

  test('does not hold with any character changed, missing or too much', () => {
    for (let at = 0; at < signature.length; at++) {
      for (const put of ['', 'A', '-', '=', signature.charAt(at).repeat(2)]) {
        const changed = signature.slice(0, at) + put + signature.slice(at + 1)
        if (changed !== signature) expect(vault.verify('text', changed, 'cursor')).toBe(false)
      }
    }
    for (const odd of ['', ' ', `${signature}=`, ` ${signature}`, '\u{1F600}'.repeat(11)])
      expect(vault.verify('text', odd, 'cursor')).toBe(false)
  })
})
