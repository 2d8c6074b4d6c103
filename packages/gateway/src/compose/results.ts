/** What was cut of results: kept, sealed, and removed when its time is over. */
import { createCleanResults } from '../jobs/clean-results.ts'
import { createKeptResults, type KeptResults } from '../results/kept-results.ts'
import { keptResultRow } from '../vault/sealed-columns.ts'
import type { Ground } from './ground.ts'

export function composeResults({ config, db, vault, log, opened }: Ground): KeptResults {
  const results = createKeptResults({
    db,
    seal: (text, id) => vault.seal(text, keptResultRow(id)),
    open: (sealed, id) => vault.open(sealed, keptResultRow(id)),
    seconds: config.TOOLWAY_RESULTS_SECONDS,
  })
  const cleaning = createCleanResults(results, log)
  opened.defer(() => cleaning.close())
  return results
}
