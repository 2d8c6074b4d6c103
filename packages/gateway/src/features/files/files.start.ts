/** The file store as the settings want it, and the job that removes what is over. */
import type { BaseWithDatabase } from '../../base/base.ts'
import { filePlaceOf, type Config } from '../../config.ts'
import type { FileStore } from '../../snapshot/ports/file-store.ts'
import type { AdminFiles } from './admin-files.ts'
import type { FileTransfers } from './file-transfers.ts'
import { filesWithoutContent, openBlobs, openFiles } from './open-files.ts'
import { createSweepFiles } from './sweep-files.job.ts'

export interface StartedFiles {
  readonly store: FileStore
  readonly transfers: FileTransfers
  readonly admin: AdminFiles
}

/** Undefined: this installation keeps no files. */
export async function startFiles({
  config,
  db,
  vault,
  log,
  opened,
}: BaseWithDatabase): Promise<StartedFiles | undefined> {
  const place = filePlaceOf(config)
  if (place === undefined) return undefined
  const blobs = await openBlobs(place)
  opened.defer(() => blobs.close())
  const { store, transfers, sweep, admin } = openFiles({ db, vault, blobs, limits: limitsOf(config) })
  const sweeping = createSweepFiles({ sweep, log })
  opened.defer(() => sweeping.close())
  return { store, transfers, admin: { ...admin, wake: sweeping.wake } }
}

/** For the command line beside the gateway: content goes to the gateway, and so does the removal of content. */
export const localFiles = ({ config, vault }: Pick<BaseWithDatabase, 'config' | 'vault'>): AdminFiles | undefined =>
  filePlaceOf(config) === undefined ? undefined : { ...filesWithoutContent(vault, limitsOf(config)), wake() {} }

const DAY = 24 * 60 * 60
const limitsOf = (config: Config): AdminFiles['limits'] => ({
  one: config.TOOLWAY_FILES_LIMIT,
  organization: config.TOOLWAY_FILES_QUOTA,
  seconds: config.TOOLWAY_FILES_DAYS * DAY,
  resultSeconds: Math.max(config.TOOLWAY_RESULTS_SECONDS, 60),
})
