import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { evaluateExpression } from './expression.ts'

describe('an expression', () => {
  test.each([
    ['1 + 2 * 3', 7],
    ['(1 + 2) * 3', 9],
    ['10 - 4 - 3', 3],
    ['24 / 4 / 2', 3],
    ['-2^2', -4],
    ['(-2)^2', 4],
    ['2^3^2', 512],
    ['2^-2', 0.25],
    ['--3', 3],
    ['7 % 4', 3],
    ['-7 % 4', -3],
    ['0.1 + 0.2', 0.3],
    ['.5 + 1.', 1.5],
    ['1.5e3 + 2E-1', 1500.2],
    ['sqrt(16) + abs(-3)', 7],
    ['ROUND(2.345, 2)', 2.35],
    ['round(1.005, 2)', 1.01],
    ['round(-2.5)', -3],
    ['round(1234, -2)', 1200],
    ['min(3, 1, 2) + max(3, 1, 2)', 4],
    ['log(8, 2)', 3],
    ['cos(pi)', -1],
    ['9007199254740991', 9007199254740991],
    ['sum(1,2,3) * hypot(3,4)', 30],
  ])('%s is %d', (text, value) => {
    expect(evaluateExpression(text)).toBeCloseTo(value, 12)
  })

  test.each([
    ['', 1, 'found the end'],
    ['1 +', 4, 'found the end'],
    ['1 + * 2', 5, "found '*'"],
    ['(1 + 2', 7, "expected ')'"],
    ['1 2', 3, 'expected an operator'],
    ['2pi', 2, 'expected an operator'],
    ['4 / (2 - 2)', 3, 'division by zero'],
    ['4 % 0', 3, 'division by zero'],
    ['1 + foo(2)', 5, "unknown name 'foo'"],
    ['constructor(1)', 1, "unknown name 'constructor'"],
    ['sqrt 4', 6, "expected '('"],
    ['sqrt(1, 2)', 1, 'takes 1 value(s), not 2'],
    ['3 + sqrt(-1)', 5, 'not a real number'],
    ['10^400', 3, 'too large'],
    ['1 + 😀', 5, "found '😀'"],
    ['round(1, 99)', 1, 'not a real number'],
  ])('%s is refused at its column', (text, column, reason) => {
    expect(() => evaluateExpression(text)).toThrow(
      expect.objectContaining({ column, message: expect.stringContaining(reason) }),
    )
  })

  test('that is nested or written without end is refused, not followed', () => {
    expect(() => evaluateExpression('('.repeat(500) + '1' + ')'.repeat(500))).toThrow('nested deeper than 100 levels')
    expect(() => evaluateExpression('-'.repeat(1_500) + '1')).toThrow('nested deeper than 100 levels')
    expect(() => evaluateExpression('1+'.repeat(2_000) + '1')).toThrow('at most 2000 characters')
  })

  test('whatever is typed, the answer is a finite number or a fault with a column', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...'0123456789.+-*/%^(),e ', 'sqrt', 'max', 'pi')), (parts) => {
        try {
          return Number.isFinite(evaluateExpression(parts.join('')))
        } catch (fault) {
          return fault instanceof Error && /^Column \d+: /.test(fault.message)
        }
      }),
    )
  })
})
