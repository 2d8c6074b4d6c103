/** How well main text is found in the saved pages stays above a floor; `node test/crawl/measure.ts` prints each page. */
import { expect, test } from 'vitest'
import { mean, measureAll } from './measure.ts'

/** A little below what was measured: precision 0.889, recall 0.988, F1 0.933. */
const FLOOR = { precision: 0.87, recall: 0.97, f1: 0.91 }
/** No page loses more than this share of its article. */
const LEAST_RECALL = 0.9

test('the main text of thirty kinds of pages is found whole, with little else', async () => {
  const all = await measureAll()
  expect(all).toHaveLength(30)
  expect(all.filter(({ recall }) => recall < LEAST_RECALL).map(({ page, recall }) => ({ page, recall }))).toEqual([])
  for (const key of ['precision', 'recall', 'f1'] as const)
    expect(mean(all.map((one) => one[key])), key).toBeGreaterThanOrEqual(FLOOR[key])
})
