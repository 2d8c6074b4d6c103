/**
 * The driver `process`: what the kernel gives without bubblewrap. No new privileges and bounds on each process; where the gateway is
 * root a user id of the child's own; where namespaces can be made by `unshare`, a process, network and mount namespace in which
 * the data folder is covered. Other files of the machine stay visible, and no seccomp filter is set.
 */
import { execFile } from 'node:child_process'
import { statSync } from 'node:fs'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import type { ConfinedCommand, ConfinedLaunch, DriverState, Guarantee, SandboxDriver } from './driver.ts'
import { prlimitCommand, priority, WITHOUT_CAPABILITIES } from './limits.ts'
import { splitLoaderVariables, finalStep } from './loader-variables.ts'
import { commandThroughBridge, proxyVariables } from './network-bridge.ts'
import { isOpenToOthers, userIdOf } from './user-id.ts'
import { findTool, missingTools } from './tools.ts'

const OUTER = `trap '' TERM; exec "$@"`
const isRoot = () => process.getuid?.() === 0

/**
 * Covers each hidden folder with an empty one and gives the child its own folder inside. $1 is the child's folder, $2 a folder to
 * keep it at meanwhile, $3 the program `ip` or nothing; then the folders to cover, `--`, and the rest of the command.
 * Its programs are those of the system, never of the PATH of the child: it runs before the rights are given up.
 */
const cover = () => `set -e
own=$1; stage=$2; ip=$3; shift 3
[ -z "$ip" ] || "$ip" link set lo up
${findTool('mount')} --bind "$own" "$stage"
while [ "$1" != -- ]; do
  if [ -d "$1" ]; then ${findTool('mount')} -t tmpfs -o size=1m,mode=0755 none "$1"; elif [ -e "$1" ]; then ${findTool('mount')} --bind /dev/null "$1"; fi
  shift
done
shift
${findTool('mkdir')} -p "$own"
${findTool('mount')} --bind "$stage" "$own"
${findTool('umount')} "$stage"
cd "$TOOLWAY_CWD"; unset TOOLWAY_CWD
exec "$@"`

const NAMESPACES = ['--mount', '--pid', '--fork', '--kill-child=KILL', '--mount-proc', '--ipc']

export function createProcessDriver({ namespaces }: { readonly namespaces?: boolean } = {}): SandboxDriver {
  let found = namespaces === false ? Promise.resolve(false) : undefined
  const canUnshare = () => (found ??= tryNamespaces())
  return {
    name: 'process',
    async check(): Promise<DriverState> {
      if (process.platform !== 'linux') return { ready: false, reason: 'The limits of this driver need Linux.' }
      const missing = missingTools(['setpriv', 'prlimit', 'nice', 'env'])
      if (missing !== undefined) return { ready: false, reason: missing }
      const apartFromOthers = await canUnshare()
      const guarantees: Guarantee[] = ['memory', 'disk', 'privileges']
      if (apartFromOthers) guarantees.push('processes', 'network')
      if (isRoot() && userIdOf('check') !== undefined) guarantees.push('process count')
      return { ready: true, guarantees }
    },
    confine: async (launch) => ((await canUnshare()) ? confineApart(launch) : confinePlainly(launch)),
  }
}

const userWords = () => (isRoot() ? [] : ['--user', '--map-root-user'])

async function tryNamespaces(): Promise<boolean> {
  if (missingTools(['unshare']) !== undefined) return false
  const words = [...userWords(), ...NAMESPACES, '--net', '--', '/bin/sh', '-c', 'mount -t tmpfs none /mnt']
  return promisify(execFile)(findTool('unshare'), words, { env: { PATH: '/usr/bin:/bin' }, timeout: 10_000 }).then(
    () => true,
    () => false,
  )
}

function confineApart(launch: ConfinedLaunch): ConfinedCommand {
  const own = ownUser(launch, launch.hiddenPaths)
  const proxied = launch.network === 'public' || launch.network === 'listed'
  // A new network namespace has its loopback interface down, and `ip` alone takes it up.
  const isolated = launch.network === 'none' || (proxied && missingTools(['ip']) === undefined)
  const bridge = isolated && proxied ? launch.egressSocket : undefined
  const { safe, unsafe } = splitLoaderVariables(launch.env)
  const last = finalStep(unsafe, [launch.command, ...launch.args])
  const chain = inner(own, true, launch, bridge === undefined ? last.program : commandThroughBridge(last.program))
  const covered = [...launch.hiddenPaths, '--', ...chain]
  return {
    command: '/bin/sh',
    args: [
      ...[
        '-c',
        OUTER,
        'toolway-child',
        findTool('unshare'),
        ...userWords(),
        ...NAMESPACES,
        ...(isolated ? ['--net'] : []),
      ],
      ...[
        '--',
        '/bin/sh',
        '-c',
        cover(),
        'toolway-cover',
        launch.folder,
        launch.temporary,
        bridge === undefined ? '' : findTool('ip'),
        ...covered,
      ],
    ],
    env: { ...(bridge === undefined ? {} : proxyVariables()), ...safe, ...last.env, TOOLWAY_CWD: launch.cwd },
    cwd: '/',
    ...(own === undefined ? {} : { owner: own }),
    ...(bridge === undefined ? {} : { bridge }),
    without: [...(isolated ? [] : (['network'] as const)), ...(own === undefined ? rootless() : [])],
  }
}

function confinePlainly(launch: ConfinedLaunch): ConfinedCommand {
  const own = ownUser(launch, [])
  const { safe, unsafe } = splitLoaderVariables(launch.env)
  const last = finalStep(unsafe, [launch.command, ...launch.args])
  const [command = '', ...args] = inner(own, own !== undefined, launch, last.program)
  return {
    ...{ command, args, env: { ...safe, ...last.env }, cwd: launch.cwd },
    ...(own === undefined ? {} : { owner: own }),
    without: own === undefined ? rootless() : [],
  }
}

/** Of a child without a user id of its own. */
const rootless = (): Guarantee[] => (isRoot() ? ['process count', 'privileges'] : ['process count'])

/** The user id of its own, where its folder and what it needs can be reached with it. */
function ownUser(launch: ConfinedLaunch, covered: readonly string[]): number | undefined {
  const { name, folder, neededFolders, allowPaths } = launch
  const needed = [...neededFolders.map((path) => ({ path, write: false })), ...allowPaths]
  const reachable =
    isReachable(folder, covered) &&
    needed.every(({ path, write }) => isOpenToOthers(path, write) && isReachable(path, covered))
  return reachable ? userIdOf(name) : undefined
}

/** Whether others may enter each folder above; those that are covered are open. */
function isReachable(path: string, covered: readonly string[]): boolean {
  for (let at = dirname(path); at !== '/'; at = dirname(at)) {
    if (covered.some((value) => at === value || at.startsWith(`${value}/`))) continue
    if (((statSync(at, { throwIfNoEntry: false })?.mode ?? 1) & 0o1) === 0) return false
  }
  return true
}

function inner(
  own: number | undefined,
  counted: boolean,
  launch: ConfinedLaunch,
  program: readonly string[],
): string[] {
  const privileged = isRoot() || counted
  return [
    findTool('setpriv'),
    ...(own === undefined ? [] : [`--reuid=${own}`, `--regid=${own}`, '--clear-groups']),
    ...(privileged ? WITHOUT_CAPABILITIES : ['--no-new-privs']),
    ...[
      '--',
      ...prlimitCommand(launch.bounds, counted),
      ...priority(),
      findTool('env'),
      '--unset=PWD',
      '--default-signal=TERM',
      ...program,
    ],
  ]
}
