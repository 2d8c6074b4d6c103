import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { canonicalJson } from './canonical.ts'
import { parseJson, type Json } from './json.ts'

describe('the canonical text of a value', () => {
  test('is that of the samples of RFC 8785', () => {
    const sample = String.raw`{
      "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
      "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
      "literals": [null, true, false]
    }`
    expect(canonicalJson(parseJson(sample))).toBe(
      String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
    )
  })

  test('orders members by UTF-16 code units, as section 3.2.3 has it', () => {
    const sample = String.raw`{
      "\u20ac": "Euro Sign", "\r": "Carriage Return", "\ufb33": "Hebrew Letter Dalet With Dagesh", "1": "One",
      "\ud83d\ude00": "Emoji: Grinning Face", "\u0080": "Control", "\u00f6": "Latin Small Letter O With Diaeresis"
    }`
    const order = [...canonicalJson(parseJson(sample)).matchAll(/:"(\w+)/g)].map(([, word]) => word)
    expect(order).toEqual(['Carriage', 'One', 'Control', 'Latin', 'Euro', 'Emoji', 'Hebrew'])
  })

  test('does not know in which order members came, at any depth', () => {
    const turned = (value: Json): Json => {
      if (Array.isArray(value)) return value.map(turned)
      if (typeof value !== 'object' || value === null) return value
      return Object.fromEntries(
        Object.entries(value)
          .toReversed()
          .map(([name, inner]) => [name, turned(inner)]),
      )
    }
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (made) => {
        const value = parseJson(JSON.stringify(made))
        expect(canonicalJson(turned(value))).toBe(canonicalJson(value))
        expect(JSON.parse(canonicalJson(value))).toEqual(value)
      }),
    )
  })

  test.each([
    ['1.0', '1'],
    ['-0', '0'],
    ['1e21', '1e+21'],
    ['9007199254740993', '9007199254740992'],
    ['"\\u00e9"', '"é"'],
    ['"e\\u0301"', '"e\u0301"'],
  ])('of %s is %s', (text, canonical) => expect(canonicalJson(parseJson(text))).toBe(canonical))

  test('tells apart what looks alike', () => {
    const alike = ['"é"', '"e\u0301"', '"\\ud800"', '"\\ufffd"', '"\\u0000"', '"\u200b"', '""', '"1"', '1', 'null']
    expect(new Set(alike.map((text) => canonicalJson(parseJson(text)))).size).toBe(alike.length)
  })

  test('holds a member of any name, and nests as deep as a message may', () => {
    expect(canonicalJson(parseJson('{"__proto__":1,"constructor":2}'))).toBe('{"__proto__":1,"constructor":2}')
    const deep = `${'['.repeat(68)}${']'.repeat(68)}`
    expect(canonicalJson(parseJson(deep))).toBe(deep)
  })
})
