/**
 * The driver `bubblewrap`: a mount, process, IPC, host name and network namespace for each child, a seccomp filter, and bounds of
 * the kernel. Only what is listed here is visible. Where the gateway runs as root, each child has a user id of its own; otherwise, or
 * where that user could not read what it needs, a user namespace without capabilities. Paths are the same inside as outside.
 */
import { execFile } from 'node:child_process'
import { existsSync, lstatSync, readlinkSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import type { ConfinedCommand, ConfinedLaunch, DriverState, Guarantee, SandboxDriver } from './driver.ts'
import { GUARANTEES } from './driver.ts'
import { prlimitCommand, priority, WITHOUT_CAPABILITIES } from './limits.ts'
import { splitLoaderVariables, finalStep } from './loader-variables.ts'
import { mountedStep, type MountedPlaces } from './mounted-step.ts'
import { commandThroughBridge, proxyVariables } from './network-bridge.ts'
import { isInside } from './paths.ts'
import { seccompFilter } from './seccomp.ts'
import { findTool, missingTools } from './tools.ts'
import { isOpenToOthers, userIdOf } from './user-id.ts'

const MEBIBYTE = 1024 * 1024
/** Memory that is a file: /tmp, and /dev/shm, which browsers use. */
const [TEMPORARY, SHARED] = [64 * MEBIBYTE, 256 * MEBIBYTE]
const FILTER_FD = 3

/** The programs of the system. A link is made as the same link. */
const SYSTEM = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/opt', '/nix/store']
/** Of /etc only what programs read to run: no keys, no passwords, no configuration of services. */
const SETTINGS = [
  ...['alternatives', 'ca-certificates', 'ca-certificates.conf', 'chromium', 'chromium.d', 'fonts', 'hosts'],
  ...['ld.so.cache', 'ld.so.conf', 'ld.so.conf.d', 'localtime', 'magic', 'mime.types', 'nsswitch.conf', 'os-release'],
  ...[
    'pki',
    'protocols',
    'python3',
    'python3.11',
    'resolv.conf',
    'services',
    'ssl',
    'terminfo',
    'timezone',
    'java-17-openjdk',
  ],
].map((name) => `/etc/${name}`)

/** Ignores SIGTERM for the outer process only: the program inside gets it, and the time to end in order. */
const OUTER = `trap '' TERM; exec "$@"`

export function createBubblewrap(): SandboxDriver {
  return {
    name: 'bubblewrap',
    async check(): Promise<DriverState> {
      if (process.platform !== 'linux') return { ready: false, reason: 'bubblewrap needs Linux.' }
      const missing = missingTools(['bwrap', 'setpriv', 'prlimit', 'nice', 'env', 'stat'])
      if (missing !== undefined) return { ready: false, reason: missing }
      const filter = seccompFilter()
      const words = [
        ...outerOf(userIdOf('check'), true),
        '--ro-bind',
        '/usr',
        '/usr',
        ...links(),
        '--proc',
        '/proc',
        '--dev',
        '/dev',
      ]
      const chain = innerOf(userIdOf('check'), [findTool('true')])
      try {
        await promisify(execFile)(findTool('bwrap'), [...words, '--remount-ro', '/', '--', ...chain], {
          env: {},
          timeout: 10_000,
        })
      } catch (thrown) {
        return { ready: false, reason: reasonOf(thrown) }
      }
      return {
        ready: true,
        guarantees: GUARANTEES.filter((guarantee) => filter !== undefined || guarantee !== 'system calls'),
      }
    },
    confine,
  }
}

function reasonOf(thrown: unknown): string {
  const { code, stderr = '' } = thrown as { code?: unknown; stderr?: string }
  const text = stderr.trim().split('\n').at(-1)?.slice(0, 200) ?? ''
  return `bubblewrap cannot create namespaces here (${text === '' ? String(code) : text}): allow user namespaces for the gateway’s user.`
}

function confine(launch: ConfinedLaunch): ConfinedCommand {
  const own = ownUser(launch)
  const isolated = launch.network !== 'host'
  const bridge = isolated && launch.network !== 'none' ? launch.egressSocket : undefined
  const filter = seccompFilter()
  const { safe, unsafe } = splitLoaderVariables(launch.env)
  const last = finalStep(unsafe, [launch.command, ...launch.args])
  const inner = innerOf(own, bridge === undefined ? last.program : commandThroughBridge(last.program), launch)
  const args = [
    ...outerOf(own, isolated),
    ...(filter === undefined ? [] : ['--seccomp', String(FILTER_FD + (bridge === undefined ? 0 : 1))]),
    ...views(launch),
    ...['--chdir', '/', '--remount-ro', '/', '--', ...inner],
  ]
  const without: Guarantee[] = [
    ...(isolated ? [] : (['network'] as const)),
    // The kernel counts no processes of root.
    ...(own === undefined && process.getuid?.() === 0 ? (['process count'] as const) : []),
  ]
  return {
    command: '/bin/sh',
    args: ['-c', OUTER, 'toolway-child', findTool('bwrap'), ...args],
    env: { ...(bridge === undefined ? {} : proxyVariables()), ...safe, ...last.env },
    cwd: '/',
    ...(filter === undefined ? {} : { fds: [filter] }),
    ...(bridge === undefined ? {} : { bridge }),
    ...(own === undefined ? {} : { owner: own }),
    without,
  }
}

/** The user id of a child of root, if what it needs is open to others; undefined: a user namespace with the id of the gateway. */
function ownUser({ name, neededFolders, allowPaths }: ConfinedLaunch): number | undefined {
  const own = userIdOf(name)
  const reachable =
    neededFolders.every((path) => isOpenToOthers(path, false)) &&
    allowPaths.every(({ path, write }) => isOpenToOthers(path, write))
  return reachable ? own : undefined
}

function outerOf(own: number | undefined, isolated: boolean): string[] {
  return [
    // The host keeps its name inside: runtimes of containers and ProtectHostname of systemd refuse sethostname, and nothing else of this.
    ...['--unshare-ipc', '--unshare-pid', '--unshare-uts', '--unshare-cgroup-try', '--die-with-parent'],
    ...(isolated ? ['--unshare-net'] : []),
    ...(own === undefined
      ? ['--unshare-user', '--uid', '65534', '--gid', '65534', '--cap-drop', 'ALL']
      : ['--cap-drop', 'ALL', ...['CAP_SETUID', 'CAP_SETGID', 'CAP_SETPCAP'].flatMap((cap) => ['--cap-add', cap])]),
  ]
}

/** Gives up what is left of the privileges, sets the bounds, and becomes the program. */
function innerOf(own: number | undefined, program: readonly string[], launch?: ConfinedLaunch): string[] {
  const user =
    own === undefined
      ? []
      : [findTool('setpriv'), `--reuid=${own}`, `--regid=${own}`, '--clear-groups', ...WITHOUT_CAPABILITIES, '--']
  // Only as the child's user: bubblewrap, with few rights left, cannot enter its folder.
  const place = launch === undefined ? [] : [`--chdir=${launch.cwd}`]
  const bounds = launch === undefined ? [] : [...prlimitCommand(launch.bounds), ...priority()]
  const looked = launch === undefined ? [] : mountedStep(mountedPlaces(launch))
  return [...user, ...looked, ...bounds, findTool('env'), '--unset=PWD', '--default-signal=TERM', ...place, ...program]
}

const links = (): string[] =>
  SYSTEM.slice(1).flatMap((path) =>
    isLink(path) ? ['--symlink', readlinkSync(path), path] : ['--ro-bind-try', path, path],
  )

const isLink = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true

interface Shown {
  readonly path: string
  readonly write: boolean
  /** Shown as part of a folder around it, and mounted again so that its name stays. */
  readonly fixed?: true
}

/** From the outside in: a later mount lies over an earlier one. */
function shownPaths({ packageFolders, allowPaths, hiddenPaths }: ConfinedLaunch): Shown[] {
  const paths = [...packageFolders.map((path) => ({ path, write: false })), ...allowPaths].toSorted(byLength)
  const fixed = [...new Set(hiddenPaths.flatMap((hidden) => namesAbove(hidden, paths)))]
  return [...paths, ...fixed.map((path) => ({ path, write: true, fixed: true as const }))].toSorted(byLength)
}

const byLength = (a: { path: string }, b: { path: string }): number => a.path.length - b.path.length

/**
 * Folders between one that the child may write and what is hidden in it. A mount cannot be renamed: the child gives none of them
 * another name, under which what is hidden would be seen at the next start.
 */
function namesAbove(hidden: string, shown: readonly Shown[]): string[] {
  const around = shown.findLast(({ path }) => isInside(hidden, path))
  if (around?.write !== true) return []
  const names: string[] = []
  for (let at = dirname(hidden); at !== around.path && isInside(at, around.path); at = dirname(at))
    if (isFolder(at)) names.push(at)
  return names
}

const isFolder = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true

const hiddenIn = (launch: ConfinedLaunch, shown: readonly Shown[]): string[] =>
  launch.hiddenPaths.filter((path) => isOfSystem(path) || shown.some((item) => isInside(path, item.path)))

const ownFolders = ({ folder, temporary }: ConfinedLaunch): string[] => [folder, temporary]

/** The places that the step before the program looks at. A place that was not judged is refused there. */
function mountedPlaces(launch: ConfinedLaunch): MountedPlaces {
  const shown = shownPaths(launch)
  const paths = [...shown.filter(({ fixed }) => fixed !== true).map(({ path }) => path), ...ownFolders(launch)]
  const isInner = (path: string) => paths.some((value) => value !== path && isInside(path, value))
  const placeOf = (path: string) => ({ path, identity: launch.identities.get(path) ?? 'unknown' })
  return {
    outer: paths.filter((path) => !isInner(path)).map(placeOf),
    inner: paths.filter(isInner).map(placeOf),
    hidden: hiddenIn(launch, shown)
      .filter((path) => launch.identities.has(path))
      .map(placeOf),
  }
}

/** What the child sees, from the outside in: a later mount lies over an earlier one. */
function views(launch: ConfinedLaunch): string[] {
  const paths = shownPaths(launch)
  const shown = paths.map(({ path, write }) => ({ path, words: [write ? '--bind' : '--ro-bind', path, path] }))
  const hidden = hiddenIn(launch, paths)
  const own = ownFolders(launch).map((path) => ({ path, words: ['--bind', path, path] }))
  return [
    ...['--ro-bind', '/usr', '/usr', ...links()],
    ...['--perms', '0755', '--dir', '/etc'],
    ...SETTINGS.flatMap((path) => ['--ro-bind-try', path, path]),
    ...['--proc', '/proc', '--dev', '/dev'],
    ...['--size', String(SHARED), '--perms', '1777', '--tmpfs', '/dev/shm'],
    // Memory without a bound, which belongs to the child where it has the user id of the gateway.
    ...['--remount-ro', '/dev'],
    ...['--size', String(TEMPORARY), '--perms', '1777', '--tmpfs', '/tmp'],
    ...shown.flatMap(({ path, words }) => [...parents(path, shown), ...words]),
    ...hidden.flatMap(cover),
    ...own.flatMap(({ path, words }) => [...parents(path, [], hidden), ...words]),
    ...launch.givenFiles.flatMap((path) => [...parents(path, [], hidden), '--ro-bind-try', path, path]),
  ]
}

const isOfSystem = (path: string): boolean => SYSTEM.some((value) => isInside(path, value))

/** Folders that bubblewrap would make readable to root alone. */
function parents(path: string, shown: readonly { path: string }[], hidden: readonly string[] = []): string[] {
  const folders: string[] = []
  for (let at = dirname(path); at !== '/' && at !== '/tmp'; at = dirname(at)) {
    const isCovered = hidden.some((value) => isInside(at, value))
    if (!isCovered && (shown.some((item) => isInside(at, item.path)) || isOfSystem(at))) break
    folders.unshift('--perms', '0755', '--dir', at)
  }
  // Pairs were put in from the innermost folder outwards, each whole.
  return folders
}

const cover = (path: string): string[] => {
  if (!existsSync(path)) return []
  return statSync(path).isDirectory()
    ? ['--size', String(MEBIBYTE), '--perms', '0755', '--tmpfs', path]
    : ['--ro-bind', '/dev/null', path]
}
