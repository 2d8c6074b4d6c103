/**
 * The remedy for a fault, worded for the console: its buttons and menus are named where the gateway's own text names a command.
 * Their texts are not among those that the first screen waits for; until they are loaded, the gateway's own text is shown.
 */
import type { Texts } from '../texts/texts.ts'

let mends: Texts['mends'] | undefined

/** Never rejected: without the gateway there are no texts of remedies either. */
export const mendsLoaded: Promise<void> = import('../texts/mends.ts').then(
  (loaded) => {
    mends = loaded.mends
  },
  () => undefined,
)

export const mendOf = ({
  code,
  mend,
}: {
  readonly code?: string | null | undefined
  readonly mend?: string | undefined
}): string | undefined => (code == null ? undefined : mends?.[code]) ?? mend
