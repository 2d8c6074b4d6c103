/**
 * Confines one launch: gathers what it may see, checks what it asks for, has the driver word the command, and hands its folders to the
 * user that it will run as. It runs in the worker and starts nothing.
 */
import { chown, lchown, lstat, opendir, realpath } from 'node:fs/promises'
import { isAbsolute, join } from 'node:path'
import { OWN_WORDS } from '../../program-report.ts'
import { ChildError } from '../child-error.ts'
import type { Confinement, Order } from '../frame.ts'
import { isInRoots, outsideWords, plainPath } from '../sandbox/allowed-roots.ts'
import { DRIVERS, neededAmong } from '../sandbox/choose-driver.ts'
import { closedPathWords, type SandboxView } from '../sandbox/closed-paths.ts'
import type { AllowedPath, ConfinedCommand, ConfinedLaunch, SandboxDriver } from '../sandbox/driver.ts'
import { isInside } from '../sandbox/paths.ts'
import { readableFolders, SYSTEM } from '../sandbox/readable-folders.ts'
import { watchDisk } from './disk-watch.ts'
import { createHiddenPlaces, holdPlaces, type HeldPlaces, type Place } from './held-places.ts'

interface Residence {
  /** The program that was found. */
  readonly file: string
  readonly cwd: string
  readonly environment: Readonly<Record<string, string>>
  readonly temporary: string
}

/** As `startProcess` takes it. */
export interface Confined {
  file: string
  args: string[]
  cwd: string
  environment: Record<string, string>
  fds?: readonly Uint8Array[]
  bridge?: string
  processLimit?: number
  watchDisk?: (tooMuch: () => void) => () => void
  cleanUp?: () => Promise<void>
  /** Lines for its log: guarantees that do not hold for it. */
  notes?: string[]
  /** Paths that it sees; absent where nothing is hidden from it. */
  view?: SandboxView
  /** Sentences about paths that its arguments and variables name and that it does not see. */
  closedPaths?: string[]
  /** Releases the judged places: the program runs, or has ended. */
  started?: () => void
}

const drivers = new Map<string, SandboxDriver>()
const hiddenPlaces = createHiddenPlaces()

function driverOf(name: Confinement['driver']): SandboxDriver {
  const known = drivers.get(name) ?? DRIVERS[name]?.()
  if (known === undefined) throw new ChildError('NOT_CONFINED', `There is no sandbox driver ${name}.`)
  drivers.set(name, known)
  return known
}

export async function confine(order: Order, residence: Residence): Promise<Confined> {
  const { confinement } = order
  if (confinement === undefined) {
    const { file, cwd, environment } = residence
    return { file, args: order.args, cwd, environment }
  }
  const places = holdPlaces()
  try {
    return { ...(await confineWith(order, confinement, residence, places)), started: () => void places.close() }
  } catch (thrown) {
    await places.close()
    throw thrown
  }
}

async function confineWith(
  order: Order,
  confinement: Confinement,
  residence: Residence,
  places: HeldPlaces,
): Promise<Confined> {
  const launch = await launchOf(order, confinement, residence, places)
  const made = await driverOf(confinement.driver).confine(launch)
  refuseUnconfined(confinement, made)
  for (const folder of [launch.folder, launch.temporary]) await handOver(folder, made.owner)
  const { command: file, args, env, cwd, fds, bridge, cleanUp } = made
  return {
    ...{ file, cwd, args: [...args], environment: { ...env }, processLimit: confinement.processes },
    ...(fds === undefined ? {} : { fds }),
    ...(bridge === undefined ? {} : { bridge }),
    ...(cleanUp === undefined ? {} : { cleanUp }),
    notes: notesOf(confinement, made),
    ...(await seenBy(order, confinement, launch)),
    watchDisk: (tooMuch) => watchDisk([launch.folder, launch.temporary], confinement.diskLimit, tooMuch),
  }
}

async function launchOf(
  order: Order,
  confinement: Confinement,
  residence: Residence,
  places: HeldPlaces,
): Promise<ConfinedLaunch> {
  const { file, environment } = residence
  const closed = await hiddenPlaces(confinement.hiddenPaths)
  const hidden = closed.map(({ path }) => path)
  const own = await places.hold(order.home)
  const temporary = await places.hold(residence.temporary)
  const cwd = await realpath(residence.cwd)
  const { name, network, allowHosts, egressSocket } = confinement
  const readable = readableFolders({ command: file, args: order.args, cwd, path: environment['PATH'] ?? '' })
  const folders = await heldFolders(readable.all, places)
  const isShown = (value: string) =>
    !isInside(value, own.path) && !leadsTo(value, folders.get(value)?.path ?? value, hidden)
  const authorities = await Promise.all(Object.values(order.inherited).filter(isAbsolute).map(realOrSame))
  const allowed: (Place & AllowedPath)[] = []
  const roots = confinement.roots === undefined ? undefined : await Promise.all(confinement.roots.map(realOrSame))
  for (const allowPath of confinement.allowPaths) {
    const place = await allowedPath(allowPath, hidden, places)
    if (roots !== undefined && !isInRoots(place.path, roots)) throw outside('path', allowPath, confinement)
    allowed.push(place)
  }
  // The connection names its program and PATH, and so what is shown to be read.
  const isOfRoots = (value: string) =>
    roots === undefined || isInRoots(folders.get(value)?.path ?? value, roots) || isInstalled(value, order)
  const neededFolders = readable.needed.filter(isShown)
  const strange = neededFolders.find((neededFolder) => !isOfRoots(neededFolder))
  if (strange !== undefined) throw outside('folder of its program', strange, confinement)
  const packageFolders = readable.all.filter((value) => isShown(value) && isOfRoots(value))
  return {
    ...{ name, command: file, args: order.args, env: environment, cwd, folder: own.path, temporary: temporary.path },
    packageFolders,
    neededFolders,
    givenFiles: authorities,
    allowPaths: allowed.map(({ path, write }) => ({ path, write })),
    hiddenPaths: hidden,
    identities: new Map([
      ...packageFolders.flatMap((path) => identityOf(path, folders.get(path)?.identity)),
      ...[...closed, ...allowed, own, temporary].flatMap(({ path, identity }) => identityOf(path, identity)),
    ]),
    ...{ network, allowHosts },
    ...(egressSocket === undefined ? {} : { egressSocket }),
    ...(confinement.container === undefined ? {} : { container: confinement.container }),
    bounds: { memoryBytes: order.memoryLimit, processes: confinement.processes, fileBytes: confinement.diskLimit },
  }
}

/** Of the programs of the installation: those of its PATH, of Node, and its own. */
const isInstalled = (path: string, order: Order): boolean =>
  readableFolders({ command: process.execPath, args: process.argv.slice(1, 2), cwd: '/', path: order.path }).all.some(
    (value) => isInside(path, value),
  )

const identityOf = (path: string, identity: string | undefined): (readonly [string, string])[] =>
  identity === undefined ? [] : [[path, identity]]

/** Folders of a program by the names that it uses, which may be links. */
async function heldFolders(paths: readonly string[], places: HeldPlaces): Promise<ReadonlyMap<string, Place>> {
  const placesByPath = new Map<string, Place>()
  for (const path of paths) placesByPath.set(path, await places.hold(path))
  return placesByPath
}

/**
 * Whether a folder of a program is hidden, or is a link to what is hidden or to a folder above it, where the hidden one would have
 * another name. The connection may have named the folder, in its variable PATH.
 */
const leadsTo = (path: string, real: string, hidden: readonly string[]): boolean =>
  hidden.some((closed) => isInside(path, closed) || isInside(real, closed) || (real !== path && isInside(closed, real)))

const realOrSame = (path: string): Promise<string> => realpath(path).catch(() => path)

/** An allowed path that is there; the data folder and the kernel's folders are refused. */
async function allowedPath(text: string, hidden: readonly string[], places: HeldPlaces): Promise<Place & AllowedPath> {
  const write = !text.endsWith(':ro')
  const place = await places.hold(plainPath(text)).catch(() => {
    throw new ChildError(
      'FOLDER_NOT_FOUND',
      `The allowed path "${text}" does not exist. Create it or remove it from allow_paths.`,
    )
  })
  const { path } = place
  const closed = [...hidden, '/proc', '/sys', '/dev', '/run'].find((value) => isInside(path, value))
  if (closed !== undefined || path === '/') {
    throw new ChildError(
      'NOT_CONFINED',
      `The path "${text}" cannot be allowed: it is ${path === '/' ? 'the whole machine' : `in ${closed}, which no server may access`}.`,
    )
  }
  return { ...place, write }
}

const outside = (what: string, path: string, { roots = [] }: Confinement): ChildError =>
  new ChildError('NOT_CONFINED', `The ${what} ${path} cannot be allowed: ${outsideWords(roots)}.`)

function notesOf({ driver }: Confinement, { without = [] }: ConfinedCommand): string[] {
  if (driver === 'none' || without.length === 0) return []
  return [`${OWN_WORDS}this server is not fully confined: no guarantee of ${without.join(', ')}`]
}

/** Drivers that show a server nothing but what it needs and what is allowed. */
const HIDE_FILES: readonly Confinement['driver'][] = ['bubblewrap', 'docker', 'podman']

/** Its view, and the paths that it names and will not find: the usual reason why a server fails that worked unconfined. */
async function seenBy(
  { args, secretArgs, environment }: Order,
  { driver, roots, alias }: Confinement,
  launch: ConfinedLaunch,
): Promise<Pick<Confined, 'view' | 'closedPaths'>> {
  if (!HIDE_FILES.includes(driver)) return {}
  const programs = await Promise.all([...launch.packageFolders, ...SYSTEM].map(realOrSame))
  const view: SandboxView = {
    shown: [...programs, ...launch.allowPaths.map(({ path }) => path), launch.folder, launch.temporary],
    readOnly: launch.allowPaths.filter(({ write }) => !write).map(({ path }) => path),
    hidden: launch.hiddenPaths,
    network: launch.network,
    ...(roots === undefined ? {} : { roots: await Promise.all(roots.map(realOrSame)) }),
  }
  const named = { args, secretArgs: new Set(secretArgs), environment }
  return { view, closedPaths: await closedPathWords(named, view, alias) }
}

function refuseUnconfined({ required, driver }: Confinement, { without = [] }: ConfinedCommand): void {
  const missing = neededAmong(without)
  if (!required || missing.length === 0) return
  throw new ChildError(
    'NOT_CONFINED',
    `TOOLWAY_SANDBOX is required, and the driver ${driver} cannot guarantee this server's ${missing.join(', ')}. ` +
      'Set its network to public, listed or none, or ask the operator of the gateway.',
  )
}

/** Gives a folder to the user of the child, with all that is in it. Links are not followed. */
async function handOver(folder: string, owner: number | undefined): Promise<void> {
  if (process.getuid?.() !== 0) return
  const uid = owner ?? 0
  // A folder of its own that the child removed is there again, made by us.
  const isOwn = (await lstat(folder)).uid === uid
  await handOverContents(folder, uid, !isOwn)
  if (isOwn) return
  // Last, so that an interrupted hand-over is done again.
  await chown(folder, uid, uid)
}

async function handOverContents(folder: string, owner: number, deep = true): Promise<void> {
  for await (const entry of await opendir(folder)) {
    const path = join(folder, entry.name)
    await lchown(path, owner, owner)
    if (deep && entry.isDirectory()) await handOverContents(path, owner)
  }
}
