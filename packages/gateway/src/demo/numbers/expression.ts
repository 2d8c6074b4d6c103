/**
 * What is the value of an arithmetic expression, and where is it wrong?
 *
 * A recursive descent parser that computes while it reads: sum, product, sign, power, value. It knows numbers, a few
 * constants and a closed table of functions; it never evaluates code, reads a variable or grows past its limits of
 * length and nesting. Every fault names the column (1-based) it was found at.
 */
const MAX_LENGTH = 2_000
const MAX_DEPTH = 100

/** A wrong expression: `column` is 1-based, `message` already names it. */
export class ExpressionFault extends Error {
  readonly column: number
  constructor(column: number, reason: string) {
    super(`Column ${column}: ${reason}.`)
    this.name = 'ExpressionFault'
    this.column = column
  }
}

const CONSTANTS = new Map([
  ['pi', Math.PI],
  ['tau', 2 * Math.PI],
  ['e', Math.E],
])

interface MathFunction {
  least: number
  most: number
  compute(...values: number[]): number
}

const one = (compute: (value: number) => number): MathFunction => ({ least: 1, most: 1, compute })
const any = (compute: (...values: number[]) => number): MathFunction => ({ least: 1, most: 100, compute })

const FUNCTIONS = new Map<string, MathFunction>([
  ['abs', one(Math.abs)],
  ['sqrt', one(Math.sqrt)],
  ['cbrt', one(Math.cbrt)],
  ['exp', one(Math.exp)],
  ['ln', one(Math.log)],
  ['log2', one(Math.log2)],
  ['log10', one(Math.log10)],
  ['sin', one(Math.sin)],
  ['cos', one(Math.cos)],
  ['tan', one(Math.tan)],
  ['asin', one(Math.asin)],
  ['acos', one(Math.acos)],
  ['atan', one(Math.atan)],
  ['floor', one(Math.floor)],
  ['ceil', one(Math.ceil)],
  ['trunc', one(Math.trunc)],
  ['sign', one(Math.sign)],
  ['round', { least: 1, most: 2, compute: roundTo }],
  ['log', { least: 1, most: 2, compute: (value = NaN, base = 10) => Math.log(value) / Math.log(base) }],
  ['min', any(Math.min)],
  ['max', any(Math.max)],
  ['sum', any((...values) => values.reduce((total, value) => total + value, 0))],
  ['hypot', any(Math.hypot)],
])

/** The names an expression may use, for descriptions. */
export const EXPRESSION_NAMES = [...FUNCTIONS.keys(), ...CONSTANTS.keys()]

/** Computes `text`. Throws ExpressionFault on anything that is not an expression or has no finite value. */
export function evaluateExpression(text: string): number {
  if (text.length > MAX_LENGTH)
    throw new ExpressionFault(MAX_LENGTH + 1, `an expression has at most ${MAX_LENGTH} characters`)
  const reader = createReader(text)
  const value = readSum(reader, 0)
  if (reader.symbol() !== '') throw reader.fault(`expected an operator or the end, found ${reader.seen()}`)
  return withoutNoise(value)
}

type Reader = ReturnType<typeof createReader>

function createReader(text: string) {
  let at = 0
  const skip = () => {
    while (/\s/.test(text[at] ?? '')) at += 1
  }
  const match = (pattern: RegExp) => {
    skip()
    pattern.lastIndex = at
    const found = pattern.exec(text)?.[0]
    if (found !== undefined) at += found.length
    return found
  }
  return {
    symbol: () => (skip(), text[at] ?? ''),
    column: () => (skip(), at + 1),
    take(...symbols: string[]) {
      const symbol = (skip(), text[at] ?? '')
      if (symbol === '' || !symbols.includes(symbol)) return undefined
      at += 1
      return symbol
    },
    number: () => match(/(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?/iy),
    name: () => match(/[a-z][a-z0-9]*/iy),
    seen: () => (skip(), at < text.length ? `'${String.fromCodePoint(text.codePointAt(at) ?? 0)}'` : 'the end'),
    fault: (reason: string, column = (skip(), at + 1)) => new ExpressionFault(column, reason),
  }
}

function readSum(reader: Reader, depth: number): number {
  let value = readProduct(reader, depth)
  for (let sign = reader.take('+', '-'); sign; sign = reader.take('+', '-')) {
    const next = readProduct(reader, depth)
    value = sign === '+' ? value + next : value - next
  }
  return value
}

function readProduct(reader: Reader, depth: number): number {
  let value = readSigned(reader, depth)
  for (;;) {
    const column = reader.column()
    const operator = reader.take('*', '/', '%')
    if (!operator) return value
    const next = readSigned(reader, depth)
    if (operator !== '*' && next === 0) throw reader.fault('division by zero', column)
    value = operator === '*' ? value * next : operator === '/' ? value / next : value % next
  }
}

/** A sign binds weaker than a power, as on paper: -2^2 is -4. */
function readSigned(reader: Reader, depth: number): number {
  if (depth > MAX_DEPTH) throw reader.fault(`nested deeper than ${MAX_DEPTH} levels`)
  const sign = reader.take('+', '-')
  if (sign) return sign === '-' ? -readSigned(reader, depth + 1) : readSigned(reader, depth + 1)
  return readPower(reader, depth)
}

function readPower(reader: Reader, depth: number): number {
  const base = readValue(reader, depth)
  const column = reader.column()
  if (!reader.take('^')) return base
  // Right to left, as on paper: 2^3^2 is 2^9.
  return finite(reader, base ** readSigned(reader, depth + 1), column)
}

function readValue(reader: Reader, depth: number): number {
  const column = reader.column()
  const digits = reader.number()
  if (digits !== undefined) return finite(reader, Number(digits), column)
  if (reader.take('(')) return readClosed(reader, depth)
  const name = reader.name()
  if (name === undefined) throw reader.fault(`expected a number, a function or '(', found ${reader.seen()}`)
  const constant = CONSTANTS.get(name.toLowerCase())
  if (constant !== undefined) return constant
  return readCall(reader, name, column, depth)
}

function readClosed(reader: Reader, depth: number): number {
  const value = readSum(reader, depth + 1)
  if (!reader.take(')')) throw reader.fault(`expected ')', found ${reader.seen()}`)
  return value
}

function readCall(reader: Reader, name: string, column: number, depth: number): number {
  const wanted = FUNCTIONS.get(name.toLowerCase())
  if (!wanted) throw reader.fault(`unknown name '${name}'; known are ${EXPRESSION_NAMES.join(', ')}`, column)
  if (!reader.take('(')) throw reader.fault(`expected '(' after ${name}, found ${reader.seen()}`)
  const values = [readSum(reader, depth + 1)]
  while (reader.take(',')) values.push(readSum(reader, depth + 1))
  if (!reader.take(')')) throw reader.fault(`expected ',' or ')', found ${reader.seen()}`)
  if (values.length < wanted.least || values.length > wanted.most) {
    const count = wanted.least === wanted.most ? `${wanted.least}` : `${wanted.least} to ${wanted.most}`
    throw reader.fault(`${name} takes ${count} value(s), not ${values.length}`, column)
  }
  return finite(reader, wanted.compute(...values), column)
}

function finite(reader: Reader, value: number, column: number): number {
  if (Number.isNaN(value)) throw reader.fault('the result is not a real number', column)
  if (!Number.isFinite(value)) throw reader.fault('the result is too large', column)
  return value
}

/** Rounds half away from zero, on the decimal digits people see: round(1.005, 2) is 1.01. */
function roundTo(value = NaN, digits = 0): number {
  if (!Number.isInteger(digits) || Math.abs(digits) > 15) return NaN
  const shifted = Number(`${Math.abs(value)}e${digits}`)
  const rounded = Number.isNaN(shifted) ? Math.abs(value) : Number(`${Math.round(shifted)}e${-digits}`)
  return value < 0 ? -rounded : rounded
}

/** Drops the noise of binary fractions (0.1 + 0.2) by keeping 15 significant digits; whole numbers stay exact. */
function withoutNoise(value: number): number {
  if (!Number.isFinite(value)) throw new ExpressionFault(1, 'the result is too large')
  return Number.isSafeInteger(value) ? value + 0 : Number(value.toPrecision(15))
}
