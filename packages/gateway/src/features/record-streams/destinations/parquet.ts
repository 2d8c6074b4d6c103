/** Items as one Parquet file: a column for each field, `at` as a timestamp of microseconds in UTC. */
import { StreamItem, ITEM_FIELDS } from '../stream-items.rows.ts'

const NUMBERS: ReadonlySet<keyof StreamItem> = new Set(['seq', 'bytes_in', 'bytes_out', 'duration_us'])

export async function parquetOf(items: readonly StreamItem[]): Promise<Uint8Array> {
  const { parquetWriteBuffer } = await import('hyparquet-writer')
  const columnData = ITEM_FIELDS.map((name) => ({
    name,
    data: items.map((item) => valueOf(name, item[name])),
  }))
  const schema = [
    { name: 'root', num_children: ITEM_FIELDS.length },
    ...ITEM_FIELDS.map((name) => {
      const repetition_type = StreamItem.shape[name].safeParse(null).success
        ? ('OPTIONAL' as const)
        : ('REQUIRED' as const)
      if (name === 'at')
        return { name, repetition_type, type: 'INT64' as const, converted_type: 'TIMESTAMP_MICROS' as const }
      if (NUMBERS.has(name)) return { name, repetition_type, type: 'INT64' as const }
      return { name, repetition_type, type: 'BYTE_ARRAY' as const, converted_type: 'UTF8' as const }
    }),
  ]
  return new Uint8Array(parquetWriteBuffer({ columnData, schema, createdBy: 'toolway' }))
}

function valueOf(name: keyof StreamItem, value: string | number | null): string | bigint | null {
  if (value === null) return null
  if (name === 'at') return microseconds(String(value))
  return NUMBERS.has(name) ? BigInt(value) : String(value)
}

/** `2026-11-20T10:00:00.123456Z`; a date has milliseconds alone. */
function microseconds(at: string): bigint {
  const fraction = /\.(\d{6})Z$/.exec(at)?.[1] ?? '000000'
  return BigInt(Date.parse(`${at.slice(0, 19)}Z`)) * 1_000n + BigInt(fraction)
}
