/**
 * Parts of statements that several statements share: the columns of a row, or a filter. A part is written by hand, like a statement,
 * and stands where a value would stand: sql(Row)`select ${COLUMNS} from keys k`.
 */

export class SqlPart {
  readonly strings: TemplateStringsArray
  readonly values: readonly unknown[]

  constructor(strings: TemplateStringsArray, values: readonly unknown[]) {
    this.strings = strings
    this.values = values
  }
}

export const part = (strings: TemplateStringsArray, ...values: readonly unknown[]) => new SqlPart(strings, values)

interface Written {
  readonly strings: readonly string[]
  readonly values: readonly unknown[]
}

/** A statement with its parts put in. */
export function withParts(written: Written): Written {
  if (!hasPart(written.values)) return written
  const strings = [written.strings[0] ?? '']
  const values: unknown[] = []
  const append = (text: string) => strings.push((strings.pop() ?? '') + text)
  written.values.forEach((value, at) => {
    if (value instanceof SqlPart) {
      const whole = withParts(value)
      append(whole.strings[0] ?? '')
      strings.push(...whole.strings.slice(1))
      values.push(...whole.values)
      append(written.strings[at + 1] ?? '')
    } else {
      values.push(value)
      strings.push(written.strings[at + 1] ?? '')
    }
  })
  return { strings, values }
}

/** A loop without a function for each value: every statement of a call comes through here. */
function hasPart(values: readonly unknown[]): boolean {
  for (const value of values) if (value instanceof SqlPart) return true
  return false
}
