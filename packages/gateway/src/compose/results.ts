/** The full content of truncated results: stored, sealed, and removed when it expires. */
import { createCleanOld } from '../lib/clean-old.ts'
import { createResultStore, type ResultStore } from '../results/result-store.ts'
import { keptResultRow } from '../vault/sealed-columns.ts'
import type { BaseWithDatabase } from '../base/base.ts'

const CLEAN_EVERY = 5 * 60_000

export function composeResults({ config, db, vault, log, opened }: BaseWithDatabase): ResultStore {
  const results = createResultStore({
    db,
    seal: (text, id) => vault.seal(text, keptResultRow(id)),
    open: (sealed, id) => vault.open(sealed, keptResultRow(id)),
    seconds: config.TOOLWAY_RESULTS_SECONDS,
  })
  const cleaning = createCleanOld({ removeOld: results.removeOld, what: 'kept results', log, every: CLEAN_EVERY })
  opened.defer(() => cleaning.close())
  return results
}
