/**
 * Secret settings by reference: `secret://file|env|vault|aws|gcp/NAME#FIELD`, alone or within the text, in place of the value.
 *
 * They are found here, read once at the start by a reader that the command line hands in, and replaced before any setting is
 * checked. A setting that is not marked as secret takes none. No value is in an error, and none is put into the environment.
 */
import { ConfigFault } from './fault.ts'
import { BaoFault } from '../vault/bao-client.ts'
import {
  hasReference,
  referencesIn,
  replaceReferences,
  SecretFault,
  type SecretReference,
} from '../vault/references/secret-source.ts'

/** Whose secrets these are at each place: no organization has this slug, since a slug begins with a letter or a digit. */
export const OF_GATEWAY = '_gateway'

/** Settings that open a place of secrets, and so cannot be read from it. */
const OPENS: Readonly<Record<string, readonly string[]>> = {
  VAULT_TOKEN: ['vault'],
  VAULT_SECRET_ID: ['vault'],
  AWS_SECRET_ACCESS_KEY: ['aws'],
  AWS_SESSION_TOKEN: ['aws'],
}

/** The library of AWS reads its keys from the environment itself, and would take a reference for a key. */
export function awsKeysProblem(texts: SettingReferences['texts']): string | undefined {
  const name = ['AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN'].find((value) => hasReference(texts[value] ?? ''))
  const isUsed =
    texts['TOOLWAY_SECRET_AWS'] !== undefined || texts['TOOLWAY_KEY_SERVICE']?.startsWith('aws-kms:') === true
  if (name === undefined || !isUsed) return undefined
  return `${name} is a reference, which the AWS library cannot read: give TOOLWAY_KEY_SERVICE and TOOLWAY_SECRET_AWS a machine role, or set the value.`
}

/** Values that were read, by the words of the reference. */
export type ReadSecrets = ReadonlyMap<string, string>

export interface SettingText {
  readonly name: string
  readonly text: string | undefined
  readonly secret: boolean
}

export interface SettingReferences {
  readonly references: readonly {
    readonly name: string
    readonly words: string
    readonly reference: SecretReference
  }[]
  /** The settings as they are written, by name. */
  readonly texts: Readonly<Record<string, string | undefined>>
  /** Reads a variable of the environment. */
  readonly lookup: (name: string) => string | undefined
}

/** The references in a setting, by their words. Throws ConfigFault where it may have none. */
export function settingReferences({ name, text, secret }: SettingText): ReadonlyMap<string, SecretReference> {
  if (text === undefined || !hasReference(text)) return new Map()
  if (!secret) throw new ConfigFault(`${name} is not a secret and does not accept a reference: set its value.`)
  const found = wordUnreadable(name, () => referencesIn(text))
  for (const { source } of found.values())
    if (OPENS[name]?.includes(source) === true)
      throw new ConfigFault(
        `${name} cannot be read from secret://${source}, because it gives access to that store: use another store.`,
      )
  return found
}

/** The text with the values in place of its references. Throws ConfigFault for one that was not read. */
export function withSecrets({ name, text, secret }: SettingText, read: ReadSecrets): string | undefined {
  if (text === undefined || settingReferences({ name, text, secret }).size === 0) return text
  return replaceReferences(text, (words) => {
    const value = read.get(words)
    if (value === undefined) throw unread(name, new SecretFault(`${words} was not read`))
    return value
  })
}

/** The reason why a setting has no value; of a cause that may hold an answer only its code is told. */
export function unread(name: string, cause: unknown): ConfigFault {
  const isWorded = cause instanceof SecretFault || cause instanceof BaoFault
  const { code } = (typeof cause === 'object' && cause !== null ? cause : {}) as { readonly code?: unknown }
  const reason = isWorded
    ? cause.message
    : `its store cannot be reached (${typeof code === 'string' ? code : 'no answer'})`
  return new ConfigFault(`${name} is a reference to a secret that cannot be read: ${reason}.`, { cause })
}

export const withoutPlace = (name: string, { source }: SecretReference): ConfigFault =>
  unread(name, new SecretFault(`this installation has no store for secret://${source}`))

function wordUnreadable<T>(name: string, work: () => T): T {
  try {
    return work()
  } catch (thrown) {
    throw unread(name, thrown)
  }
}
