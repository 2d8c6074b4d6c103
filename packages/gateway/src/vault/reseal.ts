/**
 * Sealing every value anew with the key that seals now, while the gateways go on: a batch at a time, each in a transaction of its
 * own. It may be killed at any point and run again, and two may run at once: what is done is told by the values themselves.
 *
 * A value is replaced only where it is still what was read. One that does not open stays, and is told.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import type { Db, SystemSql } from '../db/db.ts'
import { idOf } from './root.ts'
import { FOREIGN, headOf, plainTextOf } from './sealed-value.ts'
import { SEALED_COLUMNS, withNames, type SealedColumn } from './sealed-columns.ts'
import type { Vault } from './vault.ts'

export interface ResealParts {
  readonly db: Db
  readonly vault: Pick<Vault, 'fingerprint' | 'open' | 'seal'>
  readonly batch?: number
  /** After each batch: how many values have been sealed anew so far. */
  onProgress?(column: string, done: number): void
}

export interface Resealed {
  readonly done: number
  /** `table.column id` of what did not open. */
  readonly unopened: readonly string[]
  /** Values that others held locked all the time. */
  readonly left: number
}

const Value = z.object({ id: z.string(), value: z.instanceof(Buffer) })
const Id = z.object({ id: z.string() })
const Count = z.object({ count: z.int() })
const BATCH = 100
const PASSES = 100
const PAUSE_MS = 200

/** Seal with the newest key what an older one sealed, and what nobody did. */
export async function resealAll(parts: ResealParts): Promise<Resealed> {
  let done = 0
  let left = 0
  const unopened: string[] = []
  for (const column of SEALED_COLUMNS) {
    const name = `${column.table}.${column.column}`
    const seen = await resealColumn(parts, column, (count) => {
      done += count
      parts.onProgress?.(name, done)
    })
    unopened.push(...seen.unopened.map((id) => `${name} ${id}`))
    left += seen.left
  }
  return { done, unopened, left }
}

async function resealColumn(parts: ResealParts, column: SealedColumn, onBatch: (count: number) => void) {
  const { db, vault } = parts
  const unopened = new Set<string>()
  for (let pass = 0; ; pass++) {
    await passOver(parts, column, unopened, onBatch)
    const left = (await db.system((sql) => countOthers(sql, column, vault))) - unopened.size
    // A row that another transaction had locked is handled in the next pass, or has been sealed again by its writer.
    if (left <= 0 || pass === PASSES) return { unopened: [...unopened], left: Math.max(0, left) }
    await sleep(PAUSE_MS)
  }
}

async function passOver(
  { db, vault, batch = BATCH }: ResealParts,
  column: SealedColumn,
  unopened: Set<string>,
  onBatch: (count: number) => void,
): Promise<void> {
  for (let after = ''; ;) {
    const { last, changed } = await db.system(async (sql) => {
      const values = await readOthers(sql, column, vault, after, batch)
      const changed = await sealThese(sql, column, vault, values, unopened)
      return { last: values.at(-1)?.id, changed }
    })
    if (last === undefined) return
    after = last
    onBatch(changed)
  }
}

async function sealThese(
  sql: SystemSql,
  column: SealedColumn,
  vault: ResealParts['vault'],
  values: readonly z.output<typeof Value>[],
  unopened: Set<string>,
): Promise<number> {
  let changed = 0
  for (const { id, value } of values) {
    const next = sealAnew(vault, value, column.sealContext(id))
    if (next === undefined) unopened.add(id)
    else changed += (await replaceValue(sql, column, id, value, next)).length
  }
  return changed
}

function sealAnew(vault: ResealParts['vault'], value: Buffer, row: string): Buffer | undefined {
  const text = plainTextOf(value) ?? openOrNot(vault, value, row)
  return text === undefined ? undefined : vault.seal(text, row)
}

function openOrNot(vault: ResealParts['vault'], value: Buffer, row: string): string | undefined {
  try {
    return vault.open(value, row)
  } catch {
    return undefined
  }
}

/** Seal only what nobody sealed; how many values there were. */
export async function sealPlainValues({ db, vault }: Pick<ResealParts, 'db' | 'vault'>): Promise<number> {
  let done = 0
  for (const column of SEALED_COLUMNS) {
    done += await db.system(async (sql) => {
      const values = await readPlain(sql, column)
      const plain = values.filter(({ value }) => plainTextOf(value) !== undefined)
      return sealThese(sql, column, vault, plain, new Set())
    })
  }
  return done
}

const selectSealed =
  <Row extends z.ZodObject>(sql: SystemSql, row: Row, column: SealedColumn) =>
  (texts: TemplateStringsArray, ...values: readonly unknown[]) =>
    sql(row)(withNames(texts, column), ...values)

const readOthers = (
  sql: SystemSql,
  column: SealedColumn,
  { fingerprint }: Pick<Vault, 'fingerprint'>,
  after: string,
  batch: number,
) => {
  const head = headOf(idOf(fingerprint))
  return selectSealed(sql, Value, column)`
    select @id as id, @column as value from @table
     where @column is not null and substring(@column from 1 for ${head.length}) <> ${head}
       and substring(@column from 1 for ${FOREIGN.length}) <> ${Buffer.from(FOREIGN)} and @id > ${after}
     order by @id limit ${batch} for update skip locked`
}

const countOthers = async (sql: SystemSql, column: SealedColumn, { fingerprint }: Pick<Vault, 'fingerprint'>) => {
  const head = headOf(idOf(fingerprint))
  const [row] = await selectSealed(sql, Count, column)`
    select count(*)::int as count from @table
     where @column is not null and substring(@column from 1 for ${head.length}) <> ${head}
       and substring(@column from 1 for ${FOREIGN.length}) <> ${Buffer.from(FOREIGN)}`
  return row?.count ?? 0
}

const readPlain = (sql: SystemSql, column: SealedColumn) =>
  selectSealed(sql, Value, column)`
    select @id as id, @column as value from @table
     where @column is not null and substring(@column from 1 for 1) not in ('\\x01', '\\x02')
       and substring(@column from 1 for ${FOREIGN.length}) <> ${Buffer.from(FOREIGN)}
       for update`

const replaceValue = (sql: SystemSql, column: SealedColumn, id: string, old: Buffer, next: Buffer) =>
  selectSealed(sql, Id, column)`
    update @table set @column = ${next} where @id = ${id} and @column = ${old} returning @id as id`
