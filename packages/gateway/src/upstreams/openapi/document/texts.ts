/** Texts of a document as they may be shown and stored: no half characters, no NUL, and no longer than they need to be. */
export function textOf(value: unknown, most: number): string | undefined {
  if (typeof value !== 'string') return undefined
  const text = value.toWellFormed().replaceAll('\0', '\uFFFD').trim()
  if (text === '') return undefined
  return text.length > most ? `${text.slice(0, most - 1).toWellFormed()}…` : text
}
