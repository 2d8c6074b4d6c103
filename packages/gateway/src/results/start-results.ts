/** The full content of truncated results: stored, sealed, and removed when it expires. */
import { createCleanOld, type CleanOldParts } from '../lib/clean-old.ts'
import { createResultStore, type ResultStore, type ResultStoreParts } from './result-store.ts'

const CLEAN_EVERY = 5 * 60_000

export interface StartResultsParts extends ResultStoreParts, Pick<CleanOldParts, 'log'> {
  readonly opened: Pick<AsyncDisposableStack, 'defer'>
}

export function startResults({ log, opened, ...parts }: StartResultsParts): ResultStore {
  const results = createResultStore(parts)
  const cleaning = createCleanOld({ removeOld: results.removeOld, what: 'kept results', log, every: CLEAN_EVERY })
  opened.defer(() => cleaning.close())
  return results
}
