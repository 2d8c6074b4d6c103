/**
 * Verifies the chains of records in the rows of a backup. A backup of the first format has values in the forms that its server was
 * set to; if they cannot be read without that server, its records are not proven, and the backup is usable all the same.
 */
import type { Field } from '../../db/backup/copy-text.ts'
import type { TableColumns } from '../../db/backup/snapshot.ts'
import { ChainRow } from '../../records/chain/record-hash.ts'
import { UnorderedChains, type UnorderedVerdict } from '../../records/chain/unordered-chains.ts'

export interface RecordsProof {
  /** Takes the rows of every table, and reads those of records. */
  row(table: string, fields: readonly Field[]): void
  /** Undefined if the values are in a form that only their server reads. */
  close(): UnorderedVerdict[] | undefined
}

type ReadRow = (get: (column: string) => Field) => void

/** A value is in a form that is not known here. */
class UnknownForm extends Error {}

export function createRecordsProof(tables: readonly TableColumns[]): RecordsProof {
  const chains = new UnorderedChains()
  const places = new Map(tables.map(({ name, columns }) => [name, new Map(columns.map((column, at) => [column, at]))]))
  let isReadable = true
  const readers: Readonly<Record<string, ReadRow>> = {
    record_chains: (get) =>
      chains.begin({
        ...{ organization_id: textOf(get('organization_id')), seq: Number(get('seq')), hash: hexOf(get('hash')) },
        ...{ anchor_seq: Number(get('anchor_seq')), anchor_hash: hexOf(get('anchor_hash')) },
      }),
    record_checkpoints: (get) =>
      chains.checkpoint({
        ...{ organization_id: textOf(get('organization_id')), seq: Number(get('seq')), hash: hexOf(get('hash')) },
        at: `${timeOf(get('at')).slice(0, 23)}Z`,
        key_id: textOf(get('key_id')),
        ...{ public_key: base64Of(get('public_key')), signature: base64Of(get('signature')) },
      }),
    records: (get) => chains.record(rowOf(get)),
  }
  return {
    row(table, fields) {
      const [read, columns] = [readers[table], places.get(table)]
      if (!isReadable || read === undefined || columns === undefined) return
      try {
        read((column) => fields[columns.get(column) ?? -1] ?? null)
      } catch (thrown) {
        if (!(thrown instanceof UnknownForm)) throw thrown
        isReadable = false
      }
    },
    close: () => (isReadable ? chains.close() : undefined),
  }
}

const NUMBERS: ReadonlySet<string> = new Set(['seq', 'bytes_in', 'bytes_out', 'duration_us'])
const COLUMNS = Object.keys(ChainRow.shape) as (keyof ChainRow)[]

/** Columns are text, but for those that are not: each is read as `chain-lines.ts` reads it from the database. */
function rowOf(get: (column: string) => Field): ChainRow {
  const row: Record<string, unknown> = {}
  for (const name of COLUMNS) row[name] = NUMBERS.has(name) ? Number(get(name)) : get(name)
  row['at'] = timeOf(get('at'))
  row['hash'] = hexOf(get('hash'))
  const [salt, redacted] = [get('salt'), get('redacted')]
  row['salt'] = salt === null ? null : hexOf(salt)
  row['redacted'] = redacted === null ? null : (JSON.parse(redacted) as unknown)
  // The columns are the table's own and the database has checked their types; a Zod parse of each would take longer than all else.
  return row as ChainRow
}

const textOf = (field: Field): string => field ?? ''

function hexOf(field: Field): string {
  if (field?.startsWith('\\x') !== true) throw new UnknownForm()
  return field.slice(2)
}

const base64Of = (field: Field): string => Buffer.from(hexOf(field), 'hex').toString('base64')

const TIME = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?([+-]\d\d)(?::?(\d\d))?$/

/** A time in UTC with microseconds, as it is hashed: `2026-11-28T07:16:58.123456Z`. */
function timeOf(field: Field): string {
  const [found, date = '', time = '', fraction = '', hours = '', minutes = '00'] = TIME.exec(field ?? '') ?? []
  if (found === undefined) throw new UnknownForm()
  const seconds =
    hours === '+00' && minutes === '00'
      ? `${date}T${time}`
      : new Date(`${date}T${time}${hours}:${minutes}`).toISOString().slice(0, 19)
  return `${seconds}.${fraction.padEnd(6, '0')}Z`
}
