import { Fault } from '@toolway/contract'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { breakOf } from './json-break.ts'
import { isObject, MAX_DEPTH, parseJson } from './json.ts'

const faultOf = (text: string): Fault => {
  try {
    parseJson(text)
  } catch (thrown) {
    return Fault.of(thrown)
  }
  throw new Error('it parsed')
}

const parses = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

const nested = (levels: number, [open, close] = ['[', ']']) => open.repeat(levels) + close.repeat(levels)

describe('reading JSON', () => {
  test('gives the value that the text says, and that value is written back as the same text', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 10 }), (text) => {
        expect(JSON.stringify(parseJson(text))).toBe(JSON.stringify(JSON.parse(text)))
      }),
    )
  })

  test('takes the last of two equal keys, so that what goes on has one', () => {
    expect(JSON.stringify(parseJson('{"name":"safe","name":"evil"}'))).toBe('{"name":"evil"}')
    expect(JSON.stringify(parseJson('{"n\\u0061me":"a","name":"b"}'))).toBe('{"name":"b"}')
  })

  test('keeps __proto__ a member like any other', () => {
    const value = parseJson('{"__proto__":{"admin":true}}')
    expect(Object.hasOwn(value as object, '__proto__')).toBe(true)
    expect(({} as Record<string, unknown>)['admin']).toBeUndefined()
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
  })

  const broken: [name: string, text: string, problem: string][] = [
    ['nothing', '', 'it is empty.'],
    ['only space', ' \r\n\t', 'it is empty.'],
    ['a bare word', '{"a": x}', 'it breaks at line 1, column 7.'],
    ['a word that is almost one', '[true, tru]', 'it breaks at line 1, column 11.'],
    ['a comma too many', '{\n  "a": 1,\n}', 'it breaks at line 3, column 1.'],
    ['a missing colon', '{"a" 1}', 'it breaks at line 1, column 6.'],
    ['a missing comma', '{"a":1\n"b":2}', 'it breaks at line 2, column 1.'],
    ['a key without quotes', '{a:1}', 'it breaks at line 1, column 2.'],
    ['single quotes', "{'a':1}", 'it breaks at line 1, column 2.'],
    ['a leading zero', '[01]', 'it breaks at line 1, column 3.'],
    ['a number without digits after the point', '[1.]', 'it breaks at line 1, column 4.'],
    ['NaN', '[NaN]', 'it breaks at line 1, column 2.'],
    ['a raw line feed in a string', '["a\nb"]', 'it breaks at line 1, column 4.'],
    ['an unknown escape', '["\\x41"]', 'it breaks at line 1, column 4.'],
    ['half an escape', '["\\u12"]', 'it breaks at line 1, column 7.'],
    ['more after the end', '{} {}', 'it breaks at line 1, column 4.'],
    ['two byte order marks', '\uFEFF\uFEFF{}', 'it breaks at line 1, column 1.'],
    ['an open object', '{"a":{', 'it ends too early, at line 1, column 7.'],
    ['an open string', '{"a":"b', 'it ends too early, at line 1, column 8.'],
    ['an open word', '[nul', 'it ends too early, at line 1, column 5.'],
  ]
  test('passes over a byte order mark', () => {
    expect(parseJson('\uFEFF{"a":1}')).toEqual({ a: 1 })
  })

  test.each(broken)('refuses %s and says where', (_, text, problem) => {
    const fault = faultOf(text)
    expect(fault.code).toBe('request.not-json')
    expect(fault.facts['problem']).toBe(problem)
  })

  test('quotes nothing of a broken body, because it may hold a secret', () => {
    const fault = faultOf('{"token":"uru_secret", oops}')
    expect(`${fault.message} ${fault.mend} ${String(fault.cause)} ${JSON.stringify(fault.facts)}`).not.toMatch(
      /secret|oops/,
    )
  })
})

describe('the place where a text stops being JSON', () => {
  const texts = fc.oneof(
    fc.string({ unit: fc.constantFrom(...'{}[]",:\\/0123456789.-+eEtrufalsn \n\u0000\u001Fx') }),
    fc.tuple(fc.json({ maxDepth: 4 }), fc.nat(), fc.string({ maxLength: 3 })).map(([text, at, put]) => {
      const cut = at % (text.length + 1)
      return text.slice(0, cut) + put + text.slice(cut + (at % 3))
    }),
  )

  test('is found exactly when the engine refuses the text', () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(breakOf(text) === undefined).toBe(parses(text))
      }),
      { numRuns: 3000 },
    )
  })

  test('is where the spoilt character is, when everything before it was a beginning of JSON', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 3 }), fc.nat(), (text, cut) => {
        const beginning = text.slice(0, cut % text.length)
        expect(breakOf(`${beginning}\u0000`)).toBe(beginning.length)
      }),
    )
  })

  test('is the end of a text from which more was to come', () => {
    for (const text of ['{', '[1,', '{"a"', '{"a":', '"a', '"\\', '"\\u00', '-', '1.', '1e', '1e+', 't'])
      expect(breakOf(text)).toBe(text.length)
  })
})

describe('depth', () => {
  test('is allowed down to the limit and refused one deeper, with the place', () => {
    expect(parseJson(nested(MAX_DEPTH))).toBeDefined()
    const fault = faultOf(nested(MAX_DEPTH + 1))
    expect(fault).toMatchObject({
      code: 'request.too-deep',
      facts: { limit: MAX_DEPTH, place: `line 1, column ${MAX_DEPTH + 1}` },
    })
  })

  test('counts objects and lists alike', () => {
    const mixed = '{"a":['.repeat(MAX_DEPTH / 2 + 1) + ']}'.repeat(MAX_DEPTH / 2 + 1)
    expect(faultOf(mixed).code).toBe('request.too-deep')
  })

  test('of a bomb of a million brackets is refused before it is parsed', () => {
    for (const open of ['[', '{"a":', '[{"a":']) expect(faultOf(open.repeat(1_000_000)).code).toBe('request.too-deep')
  })

  test('does not count brackets inside strings, however they are escaped', () => {
    for (const text of ['['.repeat(500), `"${'{'.repeat(500)}"`, `\\"${'['.repeat(500)}`, `${'['.repeat(500)}\\`]) {
      expect(parseJson(JSON.stringify({ text }))).toEqual({ text })
    }
  })

  test('does not count how many brackets there are one beside the other', () => {
    const wide = `[${Array.from({ length: 1000 }, () => '{"a":[]}').join(',')}]`
    expect(parseJson(wide)).toHaveLength(1000)
  })

  test('cannot be hidden behind a string that never ends', () => {
    expect(faultOf(`"${'['.repeat(1000)}`).code).toBe('request.not-json')
    expect(faultOf(`${'['.repeat(1000)}"`).code).toBe('request.too-deep')
  })
})

test('an object is neither a list nor null nor anything simple', () => {
  expect([{}, { a: 1 }].map(isObject)).toEqual([true, true])
  expect([null, undefined, [], 'text', 0, true].map(isObject)).toEqual([false, false, false, false, false, false])
})
