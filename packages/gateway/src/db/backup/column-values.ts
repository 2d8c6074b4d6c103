/**
 * Whether a text is a value of a column's type, as far as that can be known without a database: a backup is verified with it.
 *
 * Types are named as `format_type` names them. Of a type that is not listed here every text counts as a value; domains, checks and
 * references are for the database that the rows are restored into.
 */

/** True for a text that PostgreSQL reads as a value of the type. */
export type IsValue = (text: string) => boolean

const INTEGERS: Readonly<Record<string, bigint>> = { smallint: 2n ** 15n, integer: 2n ** 31n, bigint: 2n ** 63n }

const isNumber: IsValue = (text) => /^-?(\d+(\.\d+)?(e[+-]?\d+)?|Infinity)$|^NaN$/i.test(text)
const isJson: IsValue = (text) => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
/** Two characters a byte behind `\x`. */
const isHex: IsValue = (text) => text.startsWith('\\x') && text.length % 2 === 0 && !/[^0-9a-f]/.test(text.slice(2))

const DATE = String.raw`\d{4,6}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])`
const TIME = String.raw`([01]\d|2[0-4]):[0-5]\d:([0-5]\d|60)(\.\d{1,6})?`
const ZONE = String.raw`[+-]\d{2}(:\d{2}(:\d{2})?)?`
const dateCheck = (form: string): IsValue => {
  const pattern = new RegExp(`^(${form}( BC)?|-?infinity)$`)
  return (text) => pattern.test(text)
}

const TYPES: Readonly<Record<string, IsValue>> = {
  boolean: (text) => text === 't' || text === 'f',
  bytea: isHex,
  json: isJson,
  jsonb: isJson,
  uuid: (text) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text),
  xid8: (text) => /^\d{1,20}$/.test(text),
  numeric: isNumber,
  real: isNumber,
  'double precision': isNumber,
  date: dateCheck(DATE),
  'timestamp without time zone': dateCheck(`${DATE} ${TIME}`),
  'timestamp with time zone': dateCheck(`${DATE} ${TIME}${ZONE}`),
}

/** Undefined for a type of which every text counts as a value. */
export function valuesOf(type: string): IsValue | undefined {
  if (type.endsWith('[]')) return arraysOf(valuesOf(type.slice(0, -2)))
  const most = INTEGERS[type]
  if (most !== undefined) return (text) => /^-?\d{1,19}$/.test(text) && BigInt(text) < most && BigInt(text) >= -most
  const length = /^(?:character varying|character)\((\d+)\)$/.exec(type)?.[1]
  if (length !== undefined) return (text) => text.length <= Number(length) || Array.from(text).length <= Number(length)
  return TYPES[type]
}

/** PostgreSQL manual, section 8.15.6, of one dimension: elements are bare words, NULL, or quoted with backslashes. */
function arraysOf(isElement: IsValue | undefined): IsValue {
  const element = /"((?:[^"\\]|\\.)*)"|([^"\\{},\s][^"\\{},]*)/suy
  return (text) => {
    if (text === '{}') return true
    if (!text.startsWith('{') || !text.endsWith('}')) return false
    for (let at = 1; ; at = element.lastIndex + 1) {
      element.lastIndex = at
      const found = element.exec(text)
      if (found === null) return false
      const value = found[1]?.replaceAll(/\\(.)/gsu, '$1') ?? found[2] ?? ''
      const isNull = found[1] === undefined && value === 'NULL'
      if (!isNull && isElement?.(value) === false) return false
      const next = text[element.lastIndex]
      if (next === '}') return element.lastIndex === text.length - 1
      if (next !== ',') return false
    }
  }
}
