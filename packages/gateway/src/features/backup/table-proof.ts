/**
 * Reads the rows of one table of a backup as a restore reads them: rows that end, as many fields as the table has columns, and
 * values of their types. A restore that goes on afterwards fails only on what needs a database: checks, uniqueness, references.
 */
import { BrokenCopy, rowsOf, WholeRows, type Field } from '../../db/backup/copy-text.ts'
import { valuesOf } from '../../db/backup/column-values.ts'
import { RowSum } from './make-backup.ts'
import type { Closing, Manifest } from './manifest.ts'

export type ManifestTable = Manifest['tables'][number]

export class TableProof {
  readonly #table: ManifestTable
  readonly #onRow: (fields: readonly Field[]) => void
  readonly #sum = new RowSum()
  readonly #whole = new WholeRows()
  readonly #checks: readonly ((field: Field) => string | undefined)[]
  #rows = 0

  constructor(table: ManifestTable, onRow: (fields: readonly Field[]) => void) {
    this.#table = table
    this.#onRow = onRow
    this.#checks = checksOf(table)
  }

  /** A chunk may end anywhere. Throws BrokenCopy, whose message names table and row and never a value. */
  add(chunk: Uint8Array): void {
    this.#sum.add(chunk)
    this.#named(() => {
      const block = this.#whole.take(chunk)
      if (block !== undefined) for (const fields of rowsOf(block)) this.#row(fields)
    })
  }

  /** Throws BrokenCopy. */
  close(): Closing['tables'][string] {
    this.#named(() => this.#whole.close())
    return this.#sum.close()
  }

  #row(fields: readonly Field[]): void {
    const { columns } = this.#table
    if (fields.length !== columns.length)
      throw new BrokenCopy(`it has ${fields.length} fields where the table has ${columns.length} columns`)
    for (const [at, check] of this.#checks.entries()) {
      const fault = check(fields[at] ?? null)
      if (fault !== undefined) throw new BrokenCopy(fault)
    }
    this.#onRow(fields)
    this.#rows++
  }

  #named(read: () => void): void {
    try {
      read()
    } catch (thrown) {
      if (!(thrown instanceof BrokenCopy)) throw thrown
      const { name } = this.#table
      throw new BrokenCopy(`row ${this.#rows + 1} of the table ${name} cannot be restored, because ${thrown.message}`)
    }
  }
}

function checksOf({ columns, types = [], required = [] }: ManifestTable) {
  return columns.map((column, at) => {
    const type = types[at]
    const isValue = type === undefined ? undefined : valuesOf(type)
    const isRequired = required.includes(column)
    return (field: Field): string | undefined => {
      if (field === null) return isRequired ? `its column ${column} is null` : undefined
      return isValue?.(field) === false ? `its column ${column} is not of the type ${type}` : undefined
    }
  })
}
