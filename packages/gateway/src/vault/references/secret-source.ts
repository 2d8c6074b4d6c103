/**
 * The port to a place outside of the vault where secrets are kept, and the words of a reference to one:
 * `secret://SOURCE/PATH` or `secret://SOURCE/PATH#FIELD`, alone or within a text (`Bearer secret://vault/github#token`).
 *
 * A place is set by the operator with `{organization}` in it, so that a reference of one organization never leads to what another
 * one has: an organization reads below its own name alone.
 */
export const SOURCES = ['file', 'env', 'vault', 'aws', 'gcp'] as const
export type SourceName = (typeof SOURCES)[number]

export interface SecretReference {
  readonly source: SourceName
  /** Names, joined by slashes; none is `.` or `..`. */
  readonly path: string
  /** The member of a secret that is a JSON object. */
  readonly field: string | undefined
}

export interface SecretSource {
  /** @param organization its slug. Throws SecretFault, and what the network throws. */
  read(organization: string, reference: SecretReference): Promise<string>
}

/** The reason why a secret cannot be read, without anything of it. */
export class SecretFault extends Error {}
/** The place was asked, and says that there is no such secret (any more). */
export class SecretGone extends SecretFault {}

const NAME = '[A-Za-z0-9_.-]+'
const REFERENCE = new RegExp(`secret://(${SOURCES.join('|')})/(${NAME}(?:/${NAME})*)(?:#(${NAME}))?`, 'g')
/** Also of what is none, so that a misspelt one is not sent as a secret. */
const MEANT = /secret:\/\//

export const hasReference = (text: string): boolean => MEANT.test(text)

/** The references in a text, by their words. Throws SecretFault for a text that means one and has none. */
export function referencesIn(text: string): ReadonlyMap<string, SecretReference> {
  const found = new Map<string, SecretReference>()
  const rest = text.replaceAll(REFERENCE, (words, source: SourceName, path: string, field: string | undefined) => {
    if (path.split('/').some((name) => /^\.{1,2}$/.test(name))) return words
    found.set(words, { source, path, field })
    return ''
  })
  if (hasReference(rest))
    throw new SecretFault(
      `a reference has the form secret://${SOURCES.join('|')}/NAME#FIELD, with letters, digits, _ . - and / in NAME`,
    )
  return found
}

export const replaceReferences = (text: string, valueOf: (words: string) => string): string =>
  text.replaceAll(REFERENCE, (words) => valueOf(words))

export const ORGANIZATION = '{organization}'

/** The place of an organization. A slug is lower-case letters, digits and `-`, so what follows it in a place cannot belong to it. */
export const placeOf = (template: string, organization: string): string =>
  template.replaceAll(ORGANIZATION, organization)

/** One value of a secret: the text itself, or a member of the JSON object that it is. */
export function valueIn(text: string, { field, source }: SecretReference): string {
  if (field === undefined) return text.replace(/\r?\n$/, '')
  let read: unknown
  try {
    read = JSON.parse(text)
  } catch {
    throw new SecretFault(`the secret of ${source} is not a JSON object, but #${field} refers to a member of one`)
  }
  return memberOf(read, field, source)
}

export function memberOf(read: unknown, field: string, source: SourceName): string {
  const value = typeof read === 'object' && read !== null ? (read as Record<string, unknown>)[field] : undefined
  if (typeof value !== 'string') throw new SecretFault(`the secret of ${source} has no string named ${field}`)
  return value
}
