/**
 * Arithmetic for the demo: `+ - * / % ^`, parentheses, unary minus, `pi`, `e` and the functions below. Throws an Error that names
 * the column of a mistake. It evaluates no code.
 */
const NAMES = new Map<string, number | ((...values: number[]) => number)>([
  ['pi', Math.PI],
  ['e', Math.E],
  ['sqrt', Math.sqrt],
  ['abs', Math.abs],
  ['min', Math.min],
  ['max', Math.max],
  ['round', (value, digits = 0) => Number(value.toFixed(digits))],
])

/** The value of an expression such as `2 * (3 + 4)`. */
export function calculate(text: string): number {
  const tokens = [...text.matchAll(/(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|[a-z]+|\S/gi)]
  let at = 0
  const takeToken = (...requested: string[]) =>
    requested.includes(tokens[at]?.[0] ?? '') ? tokens[at++]?.[0] : undefined
  const wrong = (problem: string) => new Error(`Column ${(tokens[at]?.index ?? text.length) + 1}: ${problem}.`)
  const close = (sign: string) => {
    if (!takeToken(sign)) throw wrong(`expected '${sign}'`)
  }

  function sum(): number {
    let left = product()
    for (let sign = takeToken('+', '-'); sign; sign = takeToken('+', '-')) left += sign === '+' ? product() : -product()
    return left
  }
  function product(): number {
    let left = power()
    for (let sign = takeToken('*', '/', '%'); sign; sign = takeToken('*', '/', '%')) {
      const right = power()
      if (sign !== '*' && right === 0) throw wrong('division by zero')
      left = sign === '*' ? left * right : sign === '/' ? left / right : left % right
    }
    return left
  }
  function power(): number {
    if (takeToken('-')) return -power()
    const base = atom()
    return takeToken('^') ? base ** power() : base
  }
  function atom(): number {
    if (takeToken('(')) {
      const inner = sum()
      close(')')
      return inner
    }
    const token = tokens[at]?.[0] ?? ''
    const known = NAMES.get(token.toLowerCase()) ?? (/^[.\d]/.test(token) ? Number(token) : Number.NaN)
    if (Number.isNaN(known)) throw wrong(token ? `expected a number, found '${token}'` : 'expected a number')
    at += 1
    if (typeof known === 'number') return known
    close('(')
    const values = [sum()]
    while (takeToken(',')) values.push(sum())
    close(')')
    return known(...values)
  }

  const result = sum()
  if (at < tokens.length) throw wrong(`expected an operator, found '${tokens[at]?.[0]}'`)
  if (!Number.isFinite(result)) throw new Error('The result is not a finite number.')
  return result
}
