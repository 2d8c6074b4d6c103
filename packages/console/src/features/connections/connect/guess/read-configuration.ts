/** What a reader of configurations finds in a text; the reader itself is loaded when a text needs it. */
import type { Draft } from '../draft.ts'

export interface Configuration {
  readonly drafts: readonly Draft[]
  /** Names of entries that cannot be used here. */
  readonly left: readonly string[]
}
/** Undefined for what is no configuration, or names no server. */
export type ReadConfiguration = (text: string) => Configuration | undefined
