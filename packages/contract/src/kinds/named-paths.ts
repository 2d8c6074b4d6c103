/**
 * Absolute paths that the arguments, the variables and the messages of a program name, and the sentences that say that its sandbox
 * does not show them. Pure: whether a path exists, and what `~` is, only the gateway knows. Windows paths name nothing here.
 */

/** Places that hold nothing of a user, or may never be allowed. */
const NOT_MEANT = /^\/(?:(?:usr|bin|sbin|lib|lib32|lib64|opt|proc|sys|dev|run|nix)(?:\/|$)|$)/
/** Of these, a message of a program says nothing about what the program needs. */
const NOT_MEANT_IN_TEXT = /^\/(?:etc|boot|tmp|var\/tmp)(?:\/?$)|^\/(?:etc|boot)\//
/** Characters of a path that is looked at; Linux takes no longer one. */
const MOST_CHARACTERS = 4096
/** Paths of one text. */
const MOST_IN_TEXT = 8

const isWithin = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`)
const withoutSlash = (path: string): string => path.replace(/\/+$/, '')

const isMeant = (path: string): boolean =>
  !path.startsWith('//') &&
  !NOT_MEANT.test(path) &&
  path.length <= MOST_CHARACTERS &&
  !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(path)

/** `--root=`, `-r=`, `NAME=`, also several: `--env=NAME=`. */
const ASSIGNED = /^(?:-{0,2}[A-Za-z_][\w.-]*=)+/
/** `file:///srv/x`, `sqlite:////srv/x.db`, `sqlite+aiosqlite:///srv/x.db`. */
const IN_URL = /^(?:file:(?:\/\/(?:localhost)?)?|sqlite(?:\d|\+\w+)?:(?:\/\/\/?)?)(\/[^?#]*)/i
/** Of a mount: `/srv/x:/x:ro`. */
const MOUNT_MARKS = /^(?:ro|rw|z|Z|cached|delegated|consistent)$/

function pathsIn(word: string): readonly string[] {
  const value = word.replace(ASSIGNED, '')
  const inUrl = IN_URL.exec(value)?.[1]
  if (inUrl !== undefined) return [decodedOrSame(inUrl)]
  if (!/^(?:\/|~\/|~$)/.test(value)) return []
  for (const separator of [':', ',', ';']) {
    const parts = value.split(separator).filter((part) => part !== '')
    const paths = parts.filter((part) => !MOUNT_MARKS.test(part))
    if (parts.length > 1 && paths.every((part) => /^(?:\/|~\/)/.test(part))) return paths
  }
  return [value]
}

function decodedOrSame(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

/** Without those of the system's programs; none twice. */
export const namedPaths = (words: readonly string[]): readonly string[] => [
  ...new Set(words.flatMap(pathsIn).filter((path) => path.startsWith('/') && isMeant(path))),
]

/** Paths that begin with `~`, which a program takes for its own home: `~/notes`. */
export const namedHomePaths = (words: readonly string[]): readonly string[] => [
  ...new Set(words.flatMap(pathsIn).filter((path) => path.startsWith('~/') && isMeant(path))),
]

const QUOTED = /(["'`])(\/[^"'`\n]{1,1000})\1/g
const BARE = /(?<![\w/.~@-]|\b[A-Za-z]:)\/(?!\/)[^\s"'`<>|:;,()[\]{}\\*?!#&]+/g

/** Absolute paths in a message, in their order: a few of them, none of the system's. */
export function pathsInText(text: string): readonly string[] {
  const quoted = [...text.matchAll(QUOTED)].map(([, , path = '']) => path)
  const bare = text
    .replace(/\bfile:\/\/(?=\/)/gi, ' ')
    .replace(QUOTED, ' ')
    .match(BARE)
  const all = [...quoted, ...(bare ?? []).map((path) => path.replace(/[.…]+$/, ''))].map(withoutSlash)
  return [...new Set(all)]
    .filter((path) => path !== '' && isMeant(path) && !NOT_MEANT_IN_TEXT.test(path))
    .slice(0, MOST_IN_TEXT)
}

/** @param allowed as a connection has them, `:ro` behind those that may only be read */
export const notAllowed = (paths: readonly string[], allowed: readonly string[]): readonly string[] => {
  const folders = allowed.map((path) => withoutSlash(path.replace(/:ro$/, '')))
  return paths.filter((path) => !folders.some((folder) => isWithin(withoutSlash(path), folder)))
}

const NOT_ALLOWED = 'is not allowed in the sandbox'

/** Whether a sentence is about a path that a sandbox does not show. */
export const isPathHint = (sentence: string): boolean => sentence.includes(NOT_ALLOWED)

/** A path that a sandbox does not show, and what would have to be allowed for it. */
export interface ClosedPath {
  readonly path: string
  /** The path itself where it exists; of one that does not, the nearest folder that does, or the one that is to be made. */
  readonly grant: string
  /** Whether `grant` itself has to be made first. */
  readonly missing?: boolean
}

const PLAIN_WORD = /^[\w@%+=:,./~-]+$/
/** A word of a command line, quoted where a shell would read it otherwise. */
export const shellWord = (word: string): string => (PLAIN_WORD.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)

/** The sentence of log, state, test and doctor. */
export function notAllowedWords({ path, grant, missing = false }: ClosedPath, alias: string): string {
  const command = `toolway connection allow ${alias} --allow-path ${shellWord(grant)}`
  if (path.startsWith('~'))
    return `${path} ${NOT_ALLOWED}, and ~ is its own folder there: write ${grant} instead, and add it to the allowed paths of the connection (${command}).`
  if (path === grant && !missing)
    return `${path} ${NOT_ALLOWED}: add it to the allowed paths of the connection (${command}, or append :ro for read-only access).`
  return missing
    ? `${path} does not exist and ${NOT_ALLOWED}: create ${grant} and add it to the allowed paths of the connection (${command}).`
    : `${path} does not exist, and its folder ${grant} ${NOT_ALLOWED}: add the folder to the allowed paths of the connection (${command}).`
}
