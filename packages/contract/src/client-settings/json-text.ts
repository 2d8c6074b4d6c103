/**
 * Parses a JSON text, and locates its errors.
 *
 * Reads by RFC 8259 and keeps every number and string as written, so that a large number survives being formatted. `relaxed` also
 * takes comments, commas before a closing bracket and a byte order mark, as the settings files of editors have them. Faults carry
 * line and column (1-based) and at most one character of the text, because the text may hold secrets. Never goes deeper than
 * MAX_DEPTH.
 */
const MAX_DEPTH = 200

export type JsonNode =
  | { kind: 'object'; members: JsonMember[] }
  | { kind: 'array'; items: JsonNode[] }
  | { kind: 'string' | 'number' | 'word'; raw: string }

export interface JsonMember {
  key: string
  raw: string
  value: JsonNode
}

/** A text that is not JSON. `line` and `column` are 1-based; `offset` counts UTF-16 units from 0. */
export class JsonTextFault extends Error {
  readonly offset: number
  readonly line: number
  readonly column: number
  readonly reason: string
  constructor(text: string, offset: number, reason: string) {
    const before = text.slice(0, offset)
    const line = before.split('\n').length
    const column = offset - before.lastIndexOf('\n')
    super(`Line ${line}, column ${column}: ${reason}.`)
    this.name = 'JsonTextFault'
    this.offset = offset
    this.line = line
    this.column = column
    this.reason = reason
  }
}

/** Reads a whole text into a tree. Throws JsonTextFault. */
export function readJsonText(text: string, { relaxed = false }: { relaxed?: boolean } = {}): JsonNode {
  const scan = createScan(text, relaxed)
  const node = readNode(scan, 0)
  if (!scan.ended()) throw scan.fault(`expected the end, found ${scan.seen()}`)
  return node
}

/** The plain value of a tree. A repeated key keeps its last value, as JSON.parse does. */
export function valueOf(node: JsonNode): unknown {
  if (node.kind === 'object') return Object.fromEntries(node.members.map(({ key, value }) => [key, valueOf(value)]))
  if (node.kind === 'array') return node.items.map(valueOf)
  return JSON.parse(node.raw)
}

/** Keys that stand twice in one object, as paths; JSON.parse would drop all but the last without a word. */
export function repeatedKeys(node: JsonNode, path = '$'): string[] {
  if (node.kind === 'array') return node.items.flatMap((item, index) => repeatedKeys(item, `${path}[${index}]`))
  if (node.kind !== 'object') return []
  const seen = new Set<string>()
  return node.members.flatMap(({ key, value }) => {
    const here = `${path}.${key}`
    const twice = seen.has(key) ? [here] : []
    seen.add(key)
    return [...twice, ...repeatedKeys(value, here)]
  })
}

type Scan = ReturnType<typeof createScan>

function createScan(text: string, relaxed: boolean) {
  let at = relaxed && text.startsWith('\uFEFF') ? 1 : 0
  const blank = relaxed ? /(?:[ \t\r\n]+|\/\/[^\n]*|\/\*[^]*?\*\/)*/y : /[ \t\r\n]*/y
  const skip = () => {
    blank.lastIndex = at
    at += blank.exec(text)?.[0].length ?? 0
  }
  const fault = (reason: string, offset = at) => new JsonTextFault(text, offset, reason)
  return {
    relaxed,
    fault,
    offset: () => (skip(), at),
    ended: () => (skip(), at >= text.length),
    seen: () =>
      at < text.length ? JSON.stringify(String.fromCodePoint(text.codePointAt(at) ?? 0)) : 'the end of the text',
    peek: () => (skip(), text[at]),
    take(symbol: string) {
      skip()
      if (text[at] !== symbol) return false
      at += 1
      return true
    },
    match(pattern: RegExp) {
      pattern.lastIndex = at
      const found = pattern.exec(text)?.[0]
      if (found !== undefined) at += found.length
      return found
    },
    string() {
      const found = readString(text, at, fault)
      at += found.length
      return found
    },
  }
}

function readNode(scan: Scan, depth: number): JsonNode {
  if (depth > MAX_DEPTH) throw scan.fault(`nested deeper than ${MAX_DEPTH} levels`)
  const symbol = scan.peek()
  if (symbol === '{') return readObject(scan, depth)
  if (symbol === '[') return readArray(scan, depth)
  if (symbol === '"') return { kind: 'string', raw: scan.string() }
  const word = scan.match(/(?:true|false|null)(?![\w$])/y)
  if (word !== undefined) return { kind: 'word', raw: word }
  const number = scan.match(/-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w$.])/y)
  if (number !== undefined) return { kind: 'number', raw: number }
  throw scan.fault(`expected a value, found ${scan.seen()}`)
}

function readObject(scan: Scan, depth: number): JsonNode {
  const members: JsonMember[] = []
  scan.take('{')
  while (!scan.take('}')) {
    if (scan.peek() !== '"')
      throw scan.fault(`expected a name in double quotes${members.length === 0 ? " or '}'" : ''}, found ${scan.seen()}`)
    const raw = scan.string()
    if (!scan.take(':')) throw scan.fault(`expected ':' after the name, found ${scan.seen()}`)
    members.push({ raw, key: String(JSON.parse(raw)), value: readNode(scan, depth + 1) })
    endItem(scan, '}')
  }
  return { kind: 'object', members }
}

function readArray(scan: Scan, depth: number): JsonNode {
  const items: JsonNode[] = []
  scan.take('[')
  while (!scan.take(']')) {
    items.push(readNode(scan, depth + 1))
    endItem(scan, ']')
  }
  return { kind: 'array', items }
}

/** After an item comes the closing bracket, or a comma that (unless relaxed) something must follow. */
function endItem(scan: Scan, close: string): void {
  if (scan.peek() === close) return
  const comma = scan.offset()
  if (!scan.take(',')) throw scan.fault(`expected ',' or '${close}', found ${scan.seen()}`)
  if (!scan.relaxed && scan.peek() === close) throw scan.fault(`there is an extra comma before '${close}'`, comma)
}

function readString(text: string, start: number, fault: (reason: string, offset: number) => JsonTextFault): string {
  for (let at = start + 1; at < text.length; at += 1) {
    const symbol = text[at] ?? ''
    if (symbol === '"') return text.slice(start, at + 1)
    if (symbol < ' ') {
      throw fault(
        symbol === '\n' || symbol === '\r'
          ? 'the text in quotes does not end on its line'
          : 'a control character must be escaped',
        at,
      )
    }
    if (symbol !== '\\') continue
    const escape = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y
    escape.lastIndex = at
    const found = escape.exec(text)?.[0]
    if (found === undefined) throw fault('a backslash begins an escape that does not exist', at)
    at += found.length - 1
  }
  throw fault('the text in quotes has no end', start)
}
