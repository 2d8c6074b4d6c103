/**
 * The drivers `docker` and `podman`: each child is a container of its own, without a network, capabilities and a writable root, of the
 * image that the installation names. Paths are the same inside as outside. No value of the child's environment is on a command line,
 * and no image is downloaded. A watcher in a session of its own removes the container when its client is gone, however that ended.
 */
import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { promisify } from 'node:util'
import { ChildError } from '../child-error.ts'
import { containerArguments, environmentFile } from './container-arguments.ts'
import { podmanProfile } from './container-seccomp.ts'
import {
  GUARANTEES,
  type ConfinedCommand,
  type ConfinedLaunch,
  type DriverState,
  type SandboxDriver,
} from './driver.ts'
import { findTool } from './tools.ts'
import { userIdOf } from './user-id.ts'

export type ContainerEngine = 'docker' | 'podman'

const CHECK_MS = 15_000
/** The watcher ends with the container; the client is replaced by this shell's own program, so that its id stays. */
const WATCHED = `engine=$1; name=$2; shift 2
setsid /bin/sh -c 'while kill -0 "$1" 2>/dev/null; do sleep 1; done; exec "$2" rm --force "$3"' toolway-watch $$ "$engine" "$name" \\
  </dev/null >/dev/null 2>&1 3<&- 4<&- &
exec "$engine" "$@"`

/** What each engine says of itself, and the sentence where it does not. */
const ABOUT = {
  docker: {
    format: '{{json .MemoryLimit}} {{json .PidsLimit}} {{len .ServerErrors}}',
    mend: 'start its daemon, and give the gateway’s user access to it',
  },
  podman: { format: '{{json .Host.CgroupControllers}}', mend: 'install podman and crun' },
} as const

export function createContainerDriver(engine: ContainerEngine): SandboxDriver {
  const program = findTool(engine)
  return {
    name: engine,
    async check(): Promise<DriverState> {
      if (!existsSync(program) || !existsSync(findTool('setsid')))
        return { ready: false, reason: `${engine} or setsid is not installed.` }
      if (engine === 'podman' && hasHybridGroups())
        return { ready: false, reason: 'podman needs cgroup v2: start the system with cgroup v2 only.' }
      try {
        const { format } = ABOUT[engine]
        const words = ['info', '--format', format]
        const { stdout } = await promisify(execFile)(program, words, { env: ownEnvironment(), timeout: CHECK_MS })
        const bounded =
          engine === 'docker'
            ? stdout.startsWith('true true')
            : ['memory', 'pids'].every((value) => stdout.includes(`"${value}"`))
        const filtered = engine === 'docker' || podmanProfile() !== undefined
        return {
          ready: true,
          guarantees: GUARANTEES.filter(
            (guarantee) => (bounded || !BY_CGROUP.has(guarantee)) && (filtered || guarantee !== 'system calls'),
          ),
        }
      } catch (thrown) {
        return { ready: false, reason: reasonOf(engine, thrown) }
      }
    },
    confine: (launch) => confine(engine, program, launch),
  }
}

const BY_CGROUP: ReadonlySet<string> = new Set(['memory', 'process count'])

function confine(engine: ContainerEngine, program: string, launch: ConfinedLaunch): ConfinedCommand {
  const image = launch.container?.image
  if (image === undefined) {
    throw new ChildError('NOT_CONFINED', `The driver ${engine} needs an image: set TOOLWAY_SANDBOX_IMAGE.`)
  }
  const name = `toolway-${randomUUID()}`
  const ownUser = process.getuid?.() === 0 ? (userIdOf(launch.name) ?? 65_534) : undefined
  const user = ownUser ?? process.getuid?.() ?? 65_534
  const profile = engine === 'podman' ? podmanProfile() : undefined
  const args = containerArguments({ engine, name, image, user, hasProfile: profile !== undefined, launch })
  return {
    command: '/bin/sh',
    args: ['-c', WATCHED, 'toolway-container', program, name, ...args],
    env: ownEnvironment(),
    cwd: '/',
    fds: [environmentFile(launch), ...(profile === undefined ? [] : [profile])],
    ...(ownUser === undefined ? {} : { owner: ownUser }),
    without: launch.network === 'host' ? ['network'] : [],
    cleanUp: () => removeContainer(program, name),
  }
}

/** It is gone already where it ended by itself. */
async function removeContainer(program: string, name: string): Promise<void> {
  await promisify(execFile)(program, ['rm', '--force', name], { env: ownEnvironment(), timeout: CHECK_MS }).catch(
    () => undefined,
  )
}

/** Of the engine itself: nothing of the child, which could make it another engine. */
function ownEnvironment(): Record<string, string> {
  const { homedir, uid } = userInfo()
  const runtime = `/run/user/${uid}`
  return {
    PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    HOME: homedir,
    ...(existsSync(runtime) ? { XDG_RUNTIME_DIR: runtime } : {}),
  }
}

/** Version 2 beside version 1, which crun refuses. */
function hasHybridGroups(): boolean {
  const mounts = existsSync('/proc/mounts') ? readFileSync('/proc/mounts', 'utf8') : ''
  return / cgroup2 /.test(mounts) && / cgroup /.test(mounts)
}

function reasonOf(engine: ContainerEngine, thrown: unknown): string {
  const { stderr = '', code } = thrown as { stderr?: string; code?: unknown }
  const text = stderr.trim().split('\n').at(-1)?.slice(0, 200) ?? ''
  return `${engine} does not respond (${text === '' ? String(code) : text}): ${ABOUT[engine].mend}.`
}
