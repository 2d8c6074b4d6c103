import { describe, expect, test } from 'vitest'
import { withDigits, withDigitsAsText } from './exact.ts'
import { parseJson, type Json, type JsonObject } from './json.ts'

const again = (text: string) => JSON.stringify(withDigits(parseJson(text)))

describe('numbers of JSON', () => {
  const TEXTS = [
    '{"id":1234567890123456789}',
    '{"a":[1.0,1e400,-0,0.10,1E5,-0.0,123456789012345678901234567890.123456789012345678901234567890]}',
    '[[[9007199254740993]],{"a":{"b":9007199254740993}}]',
    '{"text":"1.0 and 9007199254740993","\\"1.0\\"":"\\\\","n":1.0}',
    '{"__proto__":1.0,"a":-0}',
    '{"a":1,"b":1.5,"c":-3,"d":1e21,"e":"x","f":null}',
    '{"a":[],"b":{},"c":[1.0,"x",{"d":2.50}]}',
  ]

  test.each(TEXTS)('keep their digits: %s', (text) => {
    expect(again(text)).toBe(text)
  })

  test('are doubles for everything that looks at them', () => {
    const value = parseJson('{"a":1.0,"b":1e400,"c":9007199254740993,"d":[0.10]}')
    expect(value).toEqual({ a: 1, b: Infinity, c: 9007199254740992, d: [0.1] })
    expect(value).toEqual(JSON.parse('{"a":1.0,"b":1e400,"c":9007199254740993,"d":[0.10]}'))
  })

  test('come back where the same number stands at the same place, and nowhere else', () => {
    const original = parseJson(
      '{"id":9007199254740993,"limit":1000.0,"secret":1.0,"rows":[{"n":1.0},{"n":2.0}]}',
    ) as JsonObject
    const changed = { ...original, limit: 50, secret: '[redacted]', rows: [{ n: 1, m: 2 }] }
    expect(JSON.stringify(withDigits(changed, original))).toBe(
      '{"id":9007199254740993,"limit":50,"secret":"[redacted]","rows":[{"n":1.0,"m":2}]}',
    )
    expect(JSON.stringify(withDigits({ other: 9007199254740992 }, original))).toBe('{"other":9007199254740992}')
    expect(JSON.stringify(withDigits({ result: original['rows'] ?? null }, { result: original['rows'] ?? null }))).toBe(
      '{"result":[{"n":1.0},{"n":2.0}]}',
    )
  })

  test('are the very value where there is nothing to put back', () => {
    const value = parseJson('{"a":1,"b":[1.5]}')
    expect(withDigits(value)).toBe(value)
  })

  test('are told to people as text where a double would be another number', () => {
    const told = withDigitsAsText(parseJson('[1.0,1e3,-0,9007199254740993,1e400,0.1,0.10000000000000000000001]'))
    expect(told).toEqual([1, 1000, -0, '9007199254740993', '1e400', 0.1, '0.10000000000000000000001'])
  })

  test('that are none are refused as before, with the place', () => {
    for (const text of ['[1.0.0]', '[01.0]', '[1.0 1]', '{"a":1.}', '[-]', '{"a":1.0', '[1e400', '{"a" 1.0}', '"1.0']) {
      expect(() => JSON.parse(text) as Json, text).toThrow()
      expect(() => parseJson(text), text).toThrow(expect.objectContaining({ code: 'request.not-json' }))
    }
  })
})
