/**
 * The interface of a sandbox driver: it turns the launch of a stdio server into the command that is really started, and says which
 * guarantees hold then. `check` may start a harmless program to find out; `confine` starts nothing and runs in the worker.
 */

/** What a driver can promise, in the words of doctor, console and log. */
export const GUARANTEES = [
  'files', // it sees the system's programs, its own folder, its package and allowed paths only
  'processes', // it sees no process but its own, and all of them end with it
  'network', // it reaches only what its connection allows: neither ports of this machine nor metadata addresses
  'privileges', // it has no capabilities, gains none, and does not run as root
  'system calls', // calls that debug other processes, mount or load code into the kernel are refused
  'memory', // a bound of the system on each process, besides the watch over all of them
  'process count', // a fork bomb ends at a bound of the system
  'disk', // a bound on each file, and a watch over its folders
] as const
export type Guarantee = (typeof GUARANTEES)[number]

export const DRIVER_NAMES = ['bubblewrap', 'process', 'docker', 'podman', 'kubernetes', 'none'] as const
export type DriverName = (typeof DRIVER_NAMES)[number]

/**
 * public: all public addresses, by HTTP through the egress proxy; listed: the hosts that the connection lists, in the same way;
 * none: nothing; host: the network of this machine, unconfined.
 */
export type ChildNetwork = 'public' | 'listed' | 'none' | 'host'

export interface Bounds {
  /** Bytes that it may hold with all it started. */
  readonly memoryBytes: number
  /** Processes and threads together. */
  readonly processes: number
  /** Bytes of its folders together, and of each file. */
  readonly fileBytes?: number
  /** Seconds of CPU of one process; not set: it gets a low priority and no bound. */
  readonly cpuSeconds?: number
}

export interface AllowedPath {
  readonly path: string
  readonly write: boolean
}

/** How the drivers `docker`, `podman` and `kubernetes` make containers; settings of the installation. */
export interface ContainerSettings {
  readonly image: string
  /** Of the engine (runsc, kata), or the runtime class of a Pod. */
  readonly runtime?: string
  /** Of Pods; that of the gateway where nothing is said. */
  readonly namespace?: string
}

/** All paths are absolute; all but those of its program are without links. */
export interface ConfinedLaunch {
  /** Identifies the child: the same name gets the same folder and the same user id again. */
  readonly name: string
  /** File of the program. */
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  /** Its own folder (HOME, npm cache, working folder): writable. */
  readonly folder: string
  /** Its TMPDIR: writable. */
  readonly temporary: string
  /** Folders and files of its program, outside the system's: readable. */
  readonly packageFolders: readonly string[]
  /** Those of them without which it cannot start. */
  readonly neededFolders: readonly string[]
  /** Single files that the gateway gives to all children, such as certificate authorities; also inside hidden paths. */
  readonly givenFiles: readonly string[]
  readonly allowPaths: readonly AllowedPath[]
  /** Never visible, also where a folder above is: the data folder, files with secrets. Its own folder is given inside them. */
  readonly hiddenPaths: readonly string[]
  /**
   * `device:inode` by path, as the launch was judged: of all folders and files above but `givenFiles`, as far as they are there. The
   * worker holds them until the program has spoken, so that no other place gets one of these meanwhile.
   */
  readonly identities: ReadonlyMap<string, string>
  readonly network: ChildNetwork
  /** Host names, `*.example.com`, or `host:port`; for `listed`. */
  readonly allowHosts: readonly string[]
  /** Unix socket of this child's egress proxy (HTTP CONNECT and absolute-form HTTP); absent for `none`. */
  readonly egressSocket?: string
  readonly bounds: Bounds
  /** Only for drivers that make containers. */
  readonly container?: ContainerSettings
}

/** The command that is started in place of the launch. */
export interface ConfinedCommand {
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  /** Contents that the command reads at file descriptors 3, 4, …; with a bridge, 3 is its channel and they begin at 4. */
  readonly fds?: readonly Uint8Array[]
  /** Unix socket to which connections are joined that come to the listener which the command hands over (`network-bridge.ts`). */
  readonly bridge?: string
  /** User and group that its folders must belong to before it starts; absent: those of the gateway. */
  readonly owner?: number
  /** Guarantees that do not hold for this launch though the driver has them. */
  readonly without?: readonly Guarantee[]
  /** After its end, before it is reported. */
  readonly cleanUp?: () => Promise<void>
}

export type DriverState =
  | { readonly ready: true; readonly guarantees: readonly Guarantee[] }
  /** One sentence with the next step. */
  | { readonly ready: false; readonly reason: string }

export interface SandboxDriver {
  readonly name: DriverName
  check(): Promise<DriverState>
  /** Throws ChildError where this launch cannot be confined. */
  confine(launch: ConfinedLaunch): ConfinedCommand | Promise<ConfinedCommand>
}
