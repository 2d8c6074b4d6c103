import { expect, test } from 'vitest'
import { batchesBetween, batchesIn, batchRates, batchSentence } from './record-batches.ts'

const metrics = (batches: number, records: number) => `# TYPE toolway_record_batches_total counter
toolway_record_batches_total ${batches}
toolway_records_stored_total ${records}
`

test('batches of records are counted between two readings of the metrics, and told for a second and for each batch', () => {
  const stored = batchesBetween(batchesIn(metrics(10, 100)), batchesIn(metrics(110, 900)))
  expect(stored).toEqual({ batches: 100, records: 800 })
  const rates = batchRates([
    { stored, seconds: 2 },
    { stored: undefined, seconds: 9 },
  ])
  expect(rates && batchSentence(rates)).toBe('50 batches of records a second, 8.0 records each')
})

test('a target that counts no batches has no figures of them', () => {
  expect(batchesIn('toolway_calls_in_flight 1\n')).toBeUndefined()
  expect(batchesBetween(undefined, batchesIn(metrics(1, 1)))).toBeUndefined()
  expect(batchRates([{ stored: undefined, seconds: 1 }])).toBeUndefined()
})
