/** What a declaration file of the running gateway holds is changed in that file, and a file changes nothing that came from elsewhere. */
import { Fault } from '@toolway/contract'

/** The interfaces that call operations, as rows keep it. */
export type Origin = 'administration' | 'command line' | 'file'

const FILE = 'file' satisfies Origin

export interface StoredThing {
  readonly thing: string
  readonly name: string
  /** The interface that created it. */
  readonly origin: string
}

/** Throws `thing.declared` for what a file holds, and `thing.taken` where a file would change what is not its own. */
export function refuseDeclared({ thing, name, origin }: StoredThing, changedBy: Origin): void {
  if (origin === FILE && changedBy !== FILE) throw new Fault('thing.declared', { thing })
  if (origin !== FILE && changedBy === FILE) throw new Fault('thing.taken', { thing, name })
}
