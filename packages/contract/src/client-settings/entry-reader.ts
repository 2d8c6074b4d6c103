/**
 * Reads single fields of an entry, and reports the input that the user has to supply where a field cannot be read.
 *
 * Each read names the path that it expected and continues, so that all problems of an entry are reported at once. Placeholders
 * are filled on the way. Messages contain names and paths, never a value of the file.
 */
import { MASK, maskName } from '../secret-marks.ts'
import { isFields } from './fields.ts'
import {
  fillPlaceholders,
  withoutPlaceholders,
  type FileInputs,
  type Filled,
  type Missing,
  type PlaceholderValues,
} from './placeholders.ts'

export interface ImportNeed {
  code:
    | 'wrong-shape'
    | 'unsupported-transport'
    | 'missing-input'
    | 'unknown-variable'
    | 'bad-url'
    | 'bad-header'
    | 'not-carried-over'
  message: string
  /** Command-line option that supplies a missing input: `--input id=value`. */
  supply?: string
  /** The input or variable whose value solves it. */
  asks?: string
}

type ImportSupply = Pick<ImportNeed, 'supply' | 'asks'>

export interface EntryReader {
  /** Where the entry stands: `mcpServers.github`. */
  readonly path: string
  readonly problems: ImportNeed[]
  readonly notes: string[]
  /** Members of the entry that nothing is made of, safe to print. */
  readonly unread: string[]
  /** Asks something of the person; the same thing once. */
  need(code: ImportNeed['code'], message: string, supply?: ImportSupply): void
  fill(text: string): Filled
  text(value: unknown, field: string): string
  list(value: unknown, field: string): string[]
  record(value: unknown, field: string): Record<string, string>
  url(value: unknown): string
  /** Headers by name; `own` are variables that stand before all others. */
  headers(value: unknown, own?: Readonly<Record<string, string>>): Record<string, string>
}

/**
 * A text of the file, safe to print: without a secret, without control characters and not longer than a line. Every message that
 * quotes the file quotes it by this function.
 */
export const clean = (name: string) => {
  const plain = maskName(name).replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '\uFFFD')
  return plain.length > 80 ? `${plain.slice(0, 79)}…` : plain
}

/** Reads the fields of the entry at `path`, collecting what is needed of the person. */
export function createEntryReader(path: string, inputs: FileInputs, values: PlaceholderValues): EntryReader {
  const problems: ImportNeed[] = []
  const notes: string[] = []
  const unread: string[] = []
  const addProblem: EntryReader['need'] = (code, message, supply) => {
    if (problems.some((problem) => problem.message === message)) return
    problems.push({ code, message, ...supply })
  }
  const fillFrom = (text: string, from: PlaceholderValues): Filled => {
    const filled = fillPlaceholders(text, from)
    for (const missing of filled.missing) addProblem(...wordsFor(missing, inputs))
    return filled
  }
  const wrong = (field: string, requested: string) =>
    addProblem('wrong-shape', `${path}.${field} must be ${requested}.`)
  const plain = createShapes(wrong)
  const fill = (text: string) => fillFrom(text, values)
  return {
    path,
    problems,
    notes,
    unread,
    need: addProblem,
    fill,
    text: plain.text,
    list: plain.list,
    record: (value, field) => mapValues(plain.record(value, field), (item) => fill(item).value),
    url(value) {
      const url = fill(plain.text(value, 'url')).value
      const fault = urlFault(values.keep === true ? withoutPlaceholders(url) : url)
      if (fault !== undefined && problems.length === 0) addProblem('bad-url', `${path}.url ${fault}`)
      return url
    },
    headers(value, own = {}) {
      const from = { ...values, own }
      const headers = mapValues(plain.record(value, 'headers'), (item) => fillFrom(item, from).value)
      for (const [name, item] of Object.entries(headers)) {
        const fault = headerFault(name, item)
        if (fault !== undefined) addProblem('bad-header', `${path}.headers: ${fault}`)
      }
      return headers
    },
  }
}

/** Texts, lists and records as written, before placeholders are filled. */
function createShapes(wrong: (field: string, requested: string) => void) {
  return {
    text(value: unknown, field: string): string {
      if (typeof value === 'string' && value.trim() !== '') return value
      wrong(field, 'a string')
      return ''
    },
    list(value: unknown, field: string): string[] {
      if (value === undefined || value === null) return []
      if (Array.isArray(value) && value.every(isPlain)) return value.map(String)
      wrong(field, 'a list of strings')
      return []
    },
    record(value: unknown, field: string): Record<string, string> {
      if (value === undefined || value === null) return {}
      if (!isFields(value)) {
        wrong(field, 'an object with string values')
        return {}
      }
      const entries = Object.entries(value).flatMap(([name, item]): [string, string][] => {
        if (isPlain(item)) return [[name, String(item)]]
        // VS Code: null takes a variable away, which a process with a clean environment never had.
        if (item !== null) wrong(`${field}.${clean(name)}`, 'a string')
        return []
      })
      return Object.fromEntries(entries)
    },
  }
}

const isPlain = (value: unknown) => ['string', 'number', 'boolean', 'bigint'].includes(typeof value)

const mapValues = (record: Record<string, string>, change: (value: string) => string) =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]))

function urlFault(text: string): string | undefined {
  const url = URL.parse(text)
  if (!url) return 'is not a valid address.'
  if (!/^(https?|wss?):$/.test(url.protocol)) return 'must begin with https://, http://, wss:// or ws://.'
  if (url.username || url.password) return 'must not contain a user name or password; use a header.'
  return undefined
}

/** A whole header line in the place of a name holds its value, too. */
const withoutValue = (name: string) => {
  const [, before, value] = /^([^:=]*)[:=]\s*([^]*)$/.exec(name) ?? []
  return before === undefined || value === '' ? clean(name) : `${clean(before)}: ${MASK}`
}

/** RFC 9110 section 5.1 and 5.5. */
function headerFault(name: string, value: string): string | undefined {
  if (!/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(name)) return `'${withoutValue(name)}' is not a valid header name.`
  // oxlint-disable-next-line no-control-regex -- control characters are exactly what a header value must not hold
  return /[\u0000-\u0008\u000A-\u001F\u007F]/.test(value)
    ? `the value of '${name}' contains a control character.`
    : undefined
}

function wordsFor(
  { kind, name }: Missing,
  inputs: FileInputs,
): [code: ImportNeed['code'], message: string, asked?: ImportSupply] {
  const shown = clean(name)
  const supply = { supply: `--input ${shown}=…`, asks: name }
  if (kind === 'input') {
    const about = inputs.get(name)?.description
    return ['missing-input', `It needs the input '${shown}'${about ? ` (${clean(about)})` : ''}.`, supply]
  }
  if (kind === 'variable')
    return ['unknown-variable', `It uses the variable ${shown}, which is not set; set it before you import.`, supply]
  if (kind === 'workspace')
    return [
      'unknown-variable',
      `It uses the folder open in the editor (\${${shown}}); in the file, replace this variable with the path to that folder.`,
    ]
  return ['unknown-variable', `It uses \${${shown}}, which has no meaning outside its client.`]
}
