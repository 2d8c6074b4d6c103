/** How the servers that are started here are confined: settings of the installation, what none of them may see, and their way out. */
import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { compileCacheToHide } from '../../lib/keep-compiled.ts'
import type { Log } from '../../lib/log.ts'
import type { EgressWish, SandboxParts } from './confinement.ts'
import { chooseDriver, type SandboxState, type Stated } from './sandbox/choose-driver.ts'
import type { ContainerSettings } from './sandbox/driver.ts'
import { startEgressProxy } from '../http/egress/egress-proxy.ts'
import { createSharedLookups } from '../http/egress/egress-rules.ts'
import { createExceptions } from '../http/exceptions.ts'

const MEBIBYTE = 1024 * 1024
const FOLDER = 'folder:'
/** The beginning of an origin that is a file: `NAME_FILE` named it. */
const FILE = 'file '
type Origins = Readonly<Record<string, string>>

interface RegistrySettings {
  readonly TOOLWAY_NPM_REGISTRY?: string | undefined
  readonly TOOLWAY_PYTHON_INDEX?: string | undefined
}

interface DriverSettings {
  readonly TOOLWAY_SANDBOX: SandboxParts['policy']
  readonly TOOLWAY_SANDBOX_DRIVER: SandboxParts['driver']
  readonly TOOLWAY_SANDBOX_NETWORK_POLICY: string
}

interface ContainerSetting {
  readonly TOOLWAY_SANDBOX_IMAGE?: string | undefined
  readonly TOOLWAY_SANDBOX_RUNTIME?: string | undefined
  readonly TOOLWAY_SANDBOX_NAMESPACE?: string | undefined
}

interface PathSettings {
  readonly TOOLWAY_DATA: string
  readonly TOOLWAY_OUTBOX?: string | undefined
  readonly TOOLWAY_FILES?: string | undefined
  readonly TOOLWAY_SECRET_FOLDER?: string | undefined
  readonly TOOLWAY_CONFIG?: string | undefined
}

/** What an installation settles for the programs that it starts. */
export interface SandboxSettings extends RegistrySettings, DriverSettings, ContainerSetting, PathSettings {
  readonly TOOLWAY_SANDBOX_ROOTS: readonly string[]
  readonly TOOLWAY_CHILD_PROCESSES: number
  /** MiB. */
  readonly TOOLWAY_CHILD_DISK: number
}

/** Hosts of the package registries, which may lie in the installation's own network. PyPI has its files at another host. */
export function registryHosts({ TOOLWAY_NPM_REGISTRY: npm, TOOLWAY_PYTHON_INDEX: python }: RegistrySettings): string[] {
  const hosts = [npm, python].flatMap((url) => (url === undefined ? [] : [new URL(url).hostname]))
  return hosts.includes('pypi.org') ? [...hosts, 'files.pythonhosted.org'] : hosts
}

export function sandboxOf(config: SandboxSettings, log: Log, origins: Origins = {}): SandboxParts {
  const exceptions = createExceptions({ networks: [], hosts: registryHosts(config) })
  const container = containerOf(config)
  const lookups = createSharedLookups()
  return {
    ...(container === undefined ? {} : { container }),
    policy: config.TOOLWAY_SANDBOX,
    driver: config.TOOLWAY_SANDBOX_DRIVER,
    stated: statedIn(config),
    hiddenPaths: hiddenPaths(config, origins),
    ...(config.TOOLWAY_SANDBOX_ROOTS.length === 0 ? {} : { roots: config.TOOLWAY_SANDBOX_ROOTS }),
    processes: config.TOOLWAY_CHILD_PROCESSES,
    diskLimit: config.TOOLWAY_CHILD_DISK * MEBIBYTE,
    async openEgress({ name, network, allowHosts, onRefused }: EgressWish) {
      // A short path: that of a Unix socket has 107 bytes at most.
      const folder = mkdtempSync(join(tmpdir(), 'toolway-egress-'))
      const proxy = await startEgressProxy({
        ...{ network, allowHosts, exceptions, lookups, path: join(folder, 'proxy') },
        refused(sentence, { reason, target }) {
          log.warn({ child: name }, sentence)
          onRefused({ reason, target })
        },
      })
      return {
        path: proxy.path,
        async close() {
          await proxy.close()
          await rm(folder, { recursive: true, force: true })
        },
      }
    },
  }
}

/** How programs are confined with these settings, found out when it is first asked. */
export function sandboxStateOf(config: DriverSettings): () => Promise<SandboxState> {
  let found: Promise<SandboxState> | undefined
  return () => (found ??= chooseDriver(config.TOOLWAY_SANDBOX, config.TOOLWAY_SANDBOX_DRIVER, statedIn(config)))
}

export const statedIn = ({
  TOOLWAY_SANDBOX_NETWORK_POLICY: policy,
}: Pick<DriverSettings, 'TOOLWAY_SANDBOX_NETWORK_POLICY'>): Stated => ({
  networkPolicy: policy === 'enforced',
})

function containerOf({
  TOOLWAY_SANDBOX_IMAGE: image,
  TOOLWAY_SANDBOX_RUNTIME: runtime,
  TOOLWAY_SANDBOX_NAMESPACE: namespace,
}: ContainerSetting): ContainerSettings | undefined {
  if (image === undefined) return undefined
  return { image, ...(runtime === undefined ? {} : { runtime }), ...(namespace === undefined ? {} : { namespace }) }
}

/** The data folder, what may lie outside of it, secrets of organizations, the files of settings, and code that the gateway runs as it finds it. */
function hiddenPaths(config: PathSettings, origins: Origins): string[] {
  const { TOOLWAY_DATA: data, TOOLWAY_OUTBOX: outbox, TOOLWAY_FILES: files } = config
  const { TOOLWAY_SECRET_FOLDER: secrets, TOOLWAY_CONFIG: declared } = config
  const contents = files?.startsWith(FOLDER) === true ? files.slice(FOLDER.length) : undefined
  const above = secrets === undefined ? undefined : dirname(secrets)
  const others = [outbox, contents, above, declared, '.env', compileCacheToHide()]
  const given = Object.values(origins).flatMap((from) => (from.startsWith(FILE) ? [from.slice(FILE.length)] : []))
  return [...new Set([data, ...others, ...given])].flatMap((path) =>
    path === undefined || path === '/' ? [] : [resolve(path)],
  )
}
