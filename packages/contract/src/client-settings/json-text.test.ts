import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readJsonText, repeatedKeys, valueOf } from './json-text.ts'

describe('reading JSON', () => {
  test.each([
    ['{"a": 1,}', 1, 8, "a comma before '}'"],
    ['[1, 2', 1, 6, "expected ',' or ']', found the end"],
    ['{\n  "a": 1\n  "b": 2\n}', 3, 3, "expected ',' or '}', found \"\\\"\""],
    ["{'a': 1}", 1, 2, "expected a name in double quotes or '}'"],
    ['{"a" 1}', 1, 6, "expected ':'"],
    ['{"a": tru}', 1, 7, 'expected a value, found "t"'],
    ['{"a": 01}', 1, 7, 'expected a value'],
    ['{"a": "x\n"}', 1, 9, 'does not end on its line'],
    ['"\\q"', 1, 2, 'escape that does not exist'],
    ['"open', 1, 1, 'has no end'],
    ['', 1, 1, 'expected a value, found the end'],
    ['1 2', 1, 3, 'expected the end'],
    ['// no', 1, 1, 'expected a value'],
    ['NaN', 1, 1, 'expected a value'],
  ])('%j is refused at its place', (text, line, column, reason) => {
    expect(() => readJsonText(text)).toThrow(
      expect.objectContaining({ line, column, message: expect.stringContaining(reason) }),
    )
  })

  test('relaxed takes the comments and commas of editors, and nothing else', () => {
    const text = '\uFEFF// head\n{ /* a */ "url": "http://x//y", "list": [1, 2, ], // tail\n }\n'
    expect(valueOf(readJsonText(text, { relaxed: true }))).toEqual({ url: 'http://x//y', list: [1, 2] })
    expect(() => readJsonText('{,}', { relaxed: true })).toThrow('column 2')
    expect(() => readJsonText('[1,,2]', { relaxed: true })).toThrow('column 4')
    expect(() => readJsonText('{} /* open', { relaxed: true })).toThrow('column 4')
  })

  test('says keys that stand twice, and keeps odd ones as plain data', () => {
    expect(repeatedKeys(readJsonText('{"a":1,"b":[{"c":1,"c":2}],"a":2}'))).toEqual(['$.b[0].c', '$.a'])
    const value = valueOf(readJsonText('{"__proto__": {"polluted": true}}'))
    expect(Object.hasOwn(value as object, '__proto__')).toBe(true)
    expect((value as { polluted?: boolean }).polluted).toBeUndefined()
  })

  test('does not follow brackets without end', () => {
    expect(() => readJsonText('['.repeat(100_000))).toThrow('nested deeper than 200 levels')
  })

  test('agrees with JSON.parse on every value', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(valueOf(readJsonText(text))).toEqual(JSON.parse(text))
      }),
    )
  })
})
