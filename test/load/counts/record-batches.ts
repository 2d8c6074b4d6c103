/**
 * Reads from `/metrics` how many batches of records a gateway has stored, and how many records were in them.
 *
 * The difference of two readings tells what the database was asked for by a round: counts, which other work on the machine hardly
 * changes. Undefined for whatever does not serve these metrics.
 */
import type { CallTarget } from '../generator/mcp-call.ts'

export interface RecordBatches {
  readonly batches: number
  readonly records: number
}

const METRICS = { batches: 'toolway_record_batches_total', records: 'toolway_records_stored_total' }

export async function readRecordBatches({ url, key }: CallTarget): Promise<RecordBatches | undefined> {
  const headers = key === undefined ? {} : { authorization: `Bearer ${key}` }
  const response = await fetch(new URL('/metrics', url), { headers }).catch(() => undefined)
  if (response === undefined) return undefined
  const text = await response.text()
  return response.ok ? batchesIn(text) : undefined
}

/** @param text Prometheus' text format */
export function batchesIn(text: string): RecordBatches | undefined {
  const valueOf = (name: string) => {
    const [, value] = new RegExp(`^${name} (\\S+)$`, 'm').exec(text) ?? []
    return value === undefined ? undefined : Number(value)
  }
  const [batches, records] = [valueOf(METRICS.batches), valueOf(METRICS.records)]
  return batches === undefined || records === undefined ? undefined : { batches, records }
}

/** Undefined where one of the two readings is missing. */
export const batchesBetween = (
  before: RecordBatches | undefined,
  after: RecordBatches | undefined,
): RecordBatches | undefined =>
  before === undefined || after === undefined
    ? undefined
    : { batches: after.batches - before.batches, records: after.records - before.records }

/** Of several rounds, with the seconds that each took. */
export function batchRates(
  rounds: readonly { readonly stored?: RecordBatches | undefined; readonly seconds: number }[],
) {
  const known = rounds.flatMap(({ stored, seconds }) => (stored === undefined ? [] : [{ ...stored, seconds }]))
  const sum = (what: 'batches' | 'records' | 'seconds') => known.reduce((total, round) => total + round[what], 0)
  return sum('batches') === 0
    ? undefined
    : { batchesPerSecond: sum('batches') / sum('seconds'), recordsPerBatch: sum('records') / sum('batches') }
}

export type BatchRates = NonNullable<ReturnType<typeof batchRates>>

export const batchSentence = ({ batchesPerSecond, recordsPerBatch }: BatchRates): string =>
  `${batchesPerSecond.toFixed(0)} batches of records a second, ${recordsPerBatch.toFixed(1)} records each`
