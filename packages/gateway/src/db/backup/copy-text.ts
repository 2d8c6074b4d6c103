/**
 * COPY in text form (PostgreSQL manual, COPY, "Text Format"), read without a database: where rows end in a stream whose chunks end
 * anywhere, and which fields a row has. A line break ends a row and stands nowhere else, since one in a value is written `\n`.
 *
 * Only what `copy … to stdout` writes is read; anything else that `copy … from stdin` would also accept is a BrokenCopy.
 */

/** The bytes are not rows as PostgreSQL writes them; the message says why, as the rest of a sentence. */
export class BrokenCopy extends Error {}

const LINE_BREAK = 10
/** PostgreSQL has no row of more bytes (a value has at most 1 GiB). */
const MOST_ROW_BYTES = 1024 ** 3

/** Makes blocks that end at the end of a row from chunks that end anywhere. Memory: one chunk and the longest row. */
export class WholeRows {
  #rest: Uint8Array[] = []
  #length = 0

  /** The rows that are whole now; undefined if no row ends in this chunk. Throws BrokenCopy for a row beyond all limits. */
  take(chunk: Uint8Array): Buffer | undefined {
    const end = chunk.lastIndexOf(LINE_BREAK) + 1
    const rest = chunk.subarray(end)
    const block = end === 0 ? undefined : Buffer.concat([...this.#rest, chunk.subarray(0, end)])
    if (end > 0) [this.#rest, this.#length] = [[], 0]
    if (rest.length > 0) this.#rest.push(rest)
    this.#length += rest.length
    if (this.#length > MOST_ROW_BYTES) throw new BrokenCopy('a row is longer than PostgreSQL allows')
    return block
  }

  /** Throws BrokenCopy if the last row has no end. */
  close(): void {
    if (this.#length > 0) throw new BrokenCopy('its last row is cut off')
  }
}

export type Field = string | null

/** The rows of a block that ends at the end of a row. Throws BrokenCopy. */
export function* rowsOf(block: Uint8Array): Generator<readonly Field[]> {
  const lines = textOf(block).split('\n')
  lines.pop()
  for (const line of lines) yield fieldsOf(line)
}

function textOf(block: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(block)
  } catch (cause) {
    throw new BrokenCopy('a row is not valid UTF-8', { cause })
  }
}

/** Throws BrokenCopy. */
export function fieldsOf(line: string): readonly Field[] {
  if (line.includes('\r') || line.includes('\0')) throw new BrokenCopy('a row contains a raw control character')
  const fields = line.split('\t')
  return line.includes('\\') ? fields.map(valueOf) : fields
}

const ESCAPES: Readonly<Record<string, string>> = {
  ...{ b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v', '\\': '\\' },
}

function valueOf(field: string): Field {
  if (field === '\\N') return null
  if (!field.includes('\\')) return field
  return field.replaceAll(/\\(.?)/gsu, (_, escaped: string) => {
    const character = ESCAPES[escaped]
    if (character === undefined) throw new BrokenCopy(`a row contains the unknown escape sequence \\${escaped}`)
    return character
  })
}
