/**
 * Finds paths that a server needs and its sandbox does not show, and the path that would have to be allowed for each of them.
 *
 * A path that does not exist is one that is to be created: its nearest existing folder would have to be allowed, or a folder is to be
 * made where that one is the whole of somebody's files. It looks at the file system, a few calls for each path, and changes nothing.
 * Its answer says whether a path exists on this machine: it is for administrators, and no caller may read it.
 */
import { realpath } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join, normalize, relative } from 'node:path'
import { namedHomePaths, namedPaths, notAllowedWords, type ClosedPath } from '@toolway/contract'
import { hasSecretForm, isTellingName, secretArguments } from '@toolway/contract/secret-marks'
import { isInRoots } from './allowed-roots.ts'
import type { ChildNetwork } from './driver.ts'
import { isInside } from './paths.ts'

/** The view from the sandbox of one child. Paths are absolute and without links. */
export interface SandboxView {
  /** Its own folder, its program's folders and the allowed paths. */
  readonly shown: readonly string[]
  /** Allowed paths that it may only read. */
  readonly readOnly: readonly string[]
  /** Paths that can never be allowed. */
  readonly hidden: readonly string[]
  /** Folders below which paths may be allowed; absent: anywhere. */
  readonly roots?: readonly string[]
  readonly network: ChildNetwork
}

/** Sentences about the paths of one child. */
const MOST = 5
/** Folders that are nobody's to allow whole: a new file in them needs a folder of its own. */
const WHOLE = /^\/[^/]*$|^\/(?:home|Users|mnt|media)\/[^/]+$|^\/var\/[^/]+$/
/** In the sandbox there is another of these, and it may be written. */
const OWN_THERE = new Set(['/tmp', '/var/tmp'])

/** Undefined where the sandbox shows it, where it cannot be allowed, and where nothing but the root exists of it. */
export async function findClosedPath(path: string, view: SandboxView): Promise<ClosedPath | undefined> {
  const plain = normalize(path).replace(/(.)\/+$/, '$1')
  const real = await realOf(plain)
  if (real === null) return undefined
  if (real !== undefined) return isOpen(real, view) || !mayBeAllowed(real, view) ? undefined : { path, grant: plain }
  for (let missing = plain; missing !== '/'; missing = dirname(missing)) {
    const above = dirname(missing)
    const there = await realOf(above)
    if (there === undefined) continue
    if (there === null || there === '/' || OWN_THERE.has(there) || isOpen(there, view)) return undefined
    const isWhole = WHOLE.test(there) || there === homedir()
    const grant = isWhole ? missing : above
    if (!mayBeAllowed(join(there, relative(above, grant)), view)) return undefined
    return { path, grant, ...(isWhole ? { missing: true } : {}) }
  }
  return undefined
}

const isOpen = (real: string, { shown }: SandboxView): boolean => shown.some((folder) => isInside(real, folder))

const mayBeAllowed = (real: string, { hidden, roots }: SandboxView): boolean =>
  !hidden.some((closed) => isInside(real, closed)) && (roots === undefined || isInRoots(real, roots))

/** Undefined where it does not exist, null where nobody can tell. */
const realOf = (path: string): Promise<string | null | undefined> =>
  realpath(path).catch(({ code }: NodeJS.ErrnoException) =>
    code === 'ENOENT' || code === 'ENOTDIR' ? undefined : null,
  )

/** The parts of a connection that may name paths. */
export interface NamingPaths {
  readonly args: readonly string[]
  /** Positions of arguments with a secret, whatever they look like. */
  readonly secretArgs?: ReadonlySet<number>
  /** The connection's own variables. */
  readonly environment: Readonly<Record<string, string>>
}

/** A variable that holds the place of a credential, and not the credential. */
const PLACE_NAME = /(?:^|_)(?:FILE|PATH|DIR|DIRECTORY|FOLDER|ROOT|HOME|LOCATION|APPLICATION_CREDENTIALS)S?$/i

const namesPath = (name: string, value: string): boolean =>
  name !== 'PATH' && !hasSecretForm(value) && (!isTellingName(name) || PLACE_NAME.test(name))

/** The variables that are not looked at, since they may be credentials. */
export const credentialsIn = (environment: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(environment).filter(([name, value]) => name !== 'PATH' && !namesPath(name, value)))

interface Naming {
  readonly path: string
  /** Where it is in truth: another than the path that begins with `~`. */
  readonly at: string
  /** Only where it exists it is surely a path. */
  readonly ofCredential: boolean
}

/** The paths that arguments and variables name; no value that may be a credential is one. */
function namings({ args, secretArgs, environment }: NamingPaths): readonly Naming[] {
  const secret = new Set(secretArguments(args, secretArgs))
  const words = [
    ...args.filter((_, at) => !secret.has(at)).map((word) => ({ word, ofCredential: false })),
    ...Object.entries(environment)
      .filter(([name, value]) => namesPath(name, value))
      .map(([name, word]) => ({ word, ofCredential: isTellingName(name) })),
  ]
  return words.flatMap(({ word, ofCredential }) => [
    ...namedPaths([word]).map((path) => ({ path, at: path, ofCredential })),
    ...namedHomePaths([word]).map((path) => ({ path, at: join(homedir(), path.slice(1)), ofCredential })),
  ])
}

/** Sentences about the paths that its arguments and variables name and that its sandbox does not show: a few, each once. */
export async function closedPathWords(named: NamingPaths, view: SandboxView, alias: string): Promise<string[]> {
  const sentences = new Set<string>()
  const seen = new Set<string>()
  for (const { path, at, ofCredential } of namings(named)) {
    if (sentences.size >= MOST || seen.has(path) || !isAbsolute(at)) continue
    seen.add(path)
    const closed = await findClosedPath(at, view)
    if (closed === undefined) continue
    const exists = closed.grant === normalize(at).replace(/(.)\/+$/, '$1') && closed.missing !== true
    // A new file in the own home is well where ~ leads; it is there that one looks for what exists.
    if (!exists && (ofCredential || path !== at)) continue
    sentences.add(notAllowedWords({ ...closed, path }, alias))
  }
  return [...sentences]
}
