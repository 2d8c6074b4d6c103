/** What helps with a fault, in words for the console: where the gateway's own name a command, its buttons and menus are named here. */
import { texts } from '../texts/texts.ts'

export const mendOf = ({
  code,
  mend,
}: {
  readonly code?: string | null | undefined
  readonly mend?: string | undefined
}): string | undefined => (code == null ? undefined : texts.mends[code]) ?? mend
