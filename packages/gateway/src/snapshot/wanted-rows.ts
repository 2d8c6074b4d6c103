/** Which rows of an organization are to be read anew: all, or those that notices of changes named. */

/** The part of a notice that concerns an organization. */
export interface ChangedRows {
  /** The table; undefined where no row changed but the count of changes. */
  readonly table?: string | undefined
  /** Undefined: any of the table. */
  readonly ids?: readonly string[] | undefined
  /** The count of changes that all rows told of until now belong to. */
  readonly version?: number | undefined
}

export interface NamedRows {
  readonly tables: ReadonlyMap<string, ReadonlySet<string> | 'all'>
  /** Undefined: as it was. */
  readonly version: number | undefined
}

export type WantedRows = 'all' | NamedRows

export const NO_ROWS: NamedRows = { tables: new Map(), version: undefined }

export const rowsOf = ({ table, ids, version }: ChangedRows): NamedRows => ({
  tables: table === undefined ? NO_ROWS.tables : new Map([[table, ids === undefined ? 'all' : new Set(ids)]]),
  version,
})

export function joinRows(rows: WantedRows, other: WantedRows): WantedRows {
  if (rows === 'all' || other === 'all') return 'all'
  const tables = new Map(rows.tables)
  for (const [table, ids] of other.tables) {
    const before = tables.get(table)
    tables.set(
      table,
      before === undefined ? ids : before === 'all' || ids === 'all' ? 'all' : new Set([...before, ...ids]),
    )
  }
  const versions = [rows.version, other.version].filter((version) => version !== undefined)
  return { tables, version: versions.length === 0 ? undefined : Math.max(...versions) }
}
