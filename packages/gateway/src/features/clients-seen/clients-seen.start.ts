/** The list of clients that were seen, kept from now on. */
import type { BaseWithDatabase } from '../../base/base.ts'
import { forgetClientsSeen, storeClientsSeen } from './clients-seen.rows.ts'
import { createKeepClientsSeen, type KeepClientsSeen } from './keep-clients-seen.job.ts'

/** Notes a client. */
export function startClientsSeen({ db, log, opened }: BaseWithDatabase): KeepClientsSeen['note'] {
  const { note, close } = createKeepClientsSeen({
    now: Date.now,
    store: (seen) => db.system((sql) => storeClientsSeen(sql, seen)),
    forget: () => db.system(forgetClientsSeen),
    log,
  })
  opened.defer(close)
  return note
}
