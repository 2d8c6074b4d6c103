/**
 * The remedy for a fault, worded for the console: its buttons and menus are named where the gateway's own text names a command.
 */
import { texts } from '../texts/texts.ts'

export const mendOf = ({
  code,
  mend,
}: {
  readonly code?: string | null | undefined
  readonly mend?: string | undefined
}): string | undefined => (code == null ? undefined : texts.mends[code]) ?? mend
