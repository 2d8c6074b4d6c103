/**
 * The arguments of `docker run` and `podman run` for a child, and the file with its environment. It decides nothing about the machine:
 * the same launch gives the same arguments.
 */
import { statSync } from 'node:fs'
import { extname } from 'node:path'
import { ChildError } from '../child-error.ts'
import type { ConfinedLaunch } from './driver.ts'
import { PROXY_ENVIRONMENT, RELAY, commandThroughRelay } from './egress-command.ts'
import { isInside } from './paths.ts'

export interface ContainerParts {
  readonly engine: 'docker' | 'podman'
  /** Of the container. */
  readonly name: string
  readonly image: string
  readonly user: number
  /** The second content that the command reads is a seccomp profile. */
  readonly hasProfile: boolean
  readonly launch: ConfinedLaunch
}

const MEBIBYTE = 1024 * 1024
const [TEMPORARY, SHARED] = [64 * MEBIBYTE, 256 * MEBIBYTE]
const SOCKET = '/run/toolway/egress.sock'
const RELAY_INSIDE = `/run/toolway/egress-relay${extname(RELAY)}`
/** Descriptor at which the engine reads the environment. */
const ENVIRONMENT = '/dev/fd/3'
const PROFILE = '/dev/fd/4'

export function containerArguments({ engine, name, image, user, hasProfile, launch }: ContainerParts): string[] {
  const { bounds, network, cwd, container } = launch
  return [
    ...['run', '--interactive', '--rm', '--name', name, '--hostname', 'child', '--log-driver', 'none'],
    // Podman brings no init of its own.
    ...(engine === 'docker' ? ['--init'] : []),
    // What is run is on the machine already.
    ...['--pull', 'never'],
    ...['--read-only', '--cap-drop', 'ALL', '--security-opt', 'no-new-privileges', '--ipc', 'private'],
    ...(hasProfile ? ['--security-opt', `seccomp=${PROFILE}`] : []),
    ...['--network', network === 'host' ? 'host' : 'none', '--user', `${user}:${user}`],
    // A rootless engine maps the user of the gateway to itself.
    ...(engine === 'podman' && process.getuid?.() !== 0 ? ['--userns', 'keep-id'] : []),
    ...['--memory', String(bounds.memoryBytes), '--memory-swap', String(bounds.memoryBytes)],
    ...['--pids-limit', String(bounds.processes), '--ulimit', 'core=0:0', '--ulimit', 'nofile=4096:4096'],
    // Of the one user id that only this child has; another's would count for it.
    ...(process.getuid?.() === 0 ? ['--ulimit', `nproc=${bounds.processes}:${bounds.processes}`] : []),
    ...(bounds.fileBytes === undefined ? [] : ['--ulimit', `fsize=${bounds.fileBytes}:${bounds.fileBytes}`]),
    ...(bounds.cpuSeconds === undefined ? [] : ['--ulimit', `cpu=${bounds.cpuSeconds}:${bounds.cpuSeconds}`]),
    ...['--tmpfs', `/tmp:rw,nosuid,nodev,size=${TEMPORARY},mode=1777`, '--shm-size', String(SHARED)],
    ...(container?.runtime === undefined ? [] : ['--runtime', container.runtime]),
    ...mounts(launch).flatMap((mount) => ['--mount', mount]),
    ...['--workdir', cwd, '--env-file', ENVIRONMENT, '--entrypoint', ''],
    ...[image, ...programOf(launch)],
  ]
}

const socketOf = ({ network, egressSocket }: ConfinedLaunch): string | undefined =>
  network === 'public' || network === 'listed' ? egressSocket : undefined

function programOf(launch: ConfinedLaunch): readonly string[] {
  const { command, args } = launch
  if (socketOf(launch) === undefined) return [command, ...args]
  return commandThroughRelay({ node: process.execPath, relay: RELAY_INSIDE, socket: SOCKET, command, args })
}

/** From the outside in: a later mount lies over an earlier one. */
function mounts(launch: ConfinedLaunch): string[] {
  const { folder, temporary, packageFolders, allowPaths, hiddenPaths, givenFiles } = launch
  const shown = [...packageFolders.map((path) => ({ path, write: false })), ...allowPaths].toSorted(
    (a, b) => a.path.length - b.path.length,
  )
  const socket = socketOf(launch)
  return [
    ...shown.map(({ path, write }) => bind(path, path, write)),
    ...hiddenPaths
      .filter((path) => shown.some((allowedPath) => isInside(path, allowedPath.path)))
      .map((path) => (isFile(path) ? bind('/dev/null', path, false) : `type=tmpfs,destination=${plain(path)}`)),
    ...[folder, temporary].map((path) => bind(path, path, true)),
    ...givenFiles.map((path) => bind(path, path, false)),
    ...(socket === undefined ? [] : [bind(socket, SOCKET, true), bind(RELAY, RELAY_INSIDE, false)]),
  ]
}

const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() === true

const bind = (from: string, to: string, write: boolean): string =>
  `type=bind,source=${plain(from)},destination=${plain(to)}${write ? '' : ',readonly'}`

/** A comma or a quote would be another option of the mount. */
function plain(path: string): string {
  if (!/[",\n]/.test(path)) return path
  throw new ChildError(
    'NOT_CONFINED',
    `The path "${path}" has a comma, a quote or a line break, which cannot be passed to a container.`,
  )
}

/** `NAME=value` in lines, as both engines read it: nothing in a value has a meaning but the end of a line. */
export function environmentFile(launch: ConfinedLaunch): Uint8Array {
  const all = { ...(socketOf(launch) === undefined ? {} : PROXY_ENVIRONMENT), ...launch.env }
  const lines = Object.entries(all).map(([name, value]) => {
    if (/^\w+$/.test(name) && !/[\r\n]/.test(value)) return `${name}=${value}\n`
    throw new ChildError(
      'NOT_CONFINED',
      `The variable "${name}" has a name or a line break that cannot be passed to a container.`,
    )
  })
  return Buffer.from(lines.join(''))
}
