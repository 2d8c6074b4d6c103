/**
 * Keeps the secrets that a child was given out of logs when the child prints them.
 *
 * Each value of the declared environment is replaced by the name of its variable, each secret of the arguments by the mask that
 * lists show. It never guesses at secrets it was not told of; short values (a port, a flag) stay readable, because a secret of
 * seven characters is none.
 */
import { MASK } from '@toolway/contract/secret-marks'

const SHORTEST = 8

/**
 * Returns a function that replaces declared values, and each line of a value of several lines, by `[NAME]`.
 * @param hidden secrets without a name, replaced by `•••`
 * @param shortest characters of the shortest value that is replaced
 */
export function createMask(
  environment: Readonly<Record<string, string>>,
  hidden: readonly string[] = [],
  shortest = SHORTEST,
): (text: string) => string {
  const named = Object.entries(environment).map(([name, value]) => ({ value, shown: `[${name}]` }))
  const secrets = [...named, ...hidden.map((value) => ({ value, shown: MASK }))]
    .flatMap(({ value, shown }) => [value, ...value.split(/\r?\n/)].map((part) => ({ part: part.trim(), shown })))
    .filter(({ part }) => part.length >= shortest)
    // The longest first: a value that contains another is replaced whole.
    .sort((a, b) => b.part.length - a.part.length)
  return (text) => secrets.reduce((masked, { part, shown }) => masked.replaceAll(part, () => shown), text)
}
