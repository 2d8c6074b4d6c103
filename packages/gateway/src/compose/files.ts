/** The file store as the settings want it, its door, and the job that removes what is over. */
import { randomUUID } from 'node:crypto'
import { filePlaceOf, type Config } from '../config.ts'
import {
  createSweepFiles,
  filesWithoutContent,
  openBlobs,
  openFiles,
  type FileOperationParts,
} from '../features/files/index.ts'
import type { Clients } from '../http/client-address.ts'
import { createFilesDoor, type FilesDoor } from '../http/files/files-door.ts'
import type { FileStore } from '../snapshot/ports/file-store.ts'
import type { BaseWithDatabase } from '../base/base.ts'

type AdminFiles = NonNullable<FileOperationParts['files']>

export interface ComposedFiles {
  readonly store: FileStore
  readonly admin: AdminFiles
  readonly door: FilesDoor
}

/** Undefined: this installation keeps no files. */
export async function composeFiles(core: BaseWithDatabase, clients: Clients): Promise<ComposedFiles | undefined> {
  const { config, db, vault, log, opened } = core
  const place = filePlaceOf(config)
  if (place === undefined) return undefined
  const blobs = await openBlobs(place)
  opened.defer(() => blobs.close())
  const { store, transfers, sweep, admin } = openFiles({ db, vault, blobs, limits: limitsOf(config) })
  const sweeping = createSweepFiles({ sweep, log })
  opened.defer(() => sweeping.close())
  return {
    store,
    admin: { ...admin, wake: sweeping.wake },
    door: createFilesDoor({ transfers, clients, log, newCorrelationId: randomUUID }),
  }
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
