/**
 * How does a secret that was given to a child stay out of logs when the child prints it? Each value of the declared
 * environment is replaced by the name of its variable. It never guesses at secrets it was not told of; short values
 * (a port, a flag) stay readable, because a secret of seven characters is none.
 */
const SHORTEST = 8

/** Returns a function that replaces declared values, and each line of a value of several lines, by `[NAME]`. */
export function createMask(environment: Readonly<Record<string, string>>): (text: string) => string {
  const secrets = Object.entries(environment)
    .flatMap(([name, value]) => [value, ...value.split(/\r?\n/)].map((part) => ({ part: part.trim(), name })))
    .filter(({ part }) => part.length >= SHORTEST)
    // The longest first: a value that contains another is replaced whole.
    .sort((a, b) => b.part.length - a.part.length)
  return (text) => secrets.reduce((masked, { part, name }) => masked.replaceAll(part, () => `[${name}]`), text)
}
