/**
 * How the children of this gateway are confined: the driver is chosen once, before the first start, and what it does not guarantee is
 * logged then. Each child with a way out gets an egress proxy of its own, which ends with it.
 */
import { ChildError } from './child-error.ts'
import type { Confinement } from './frame.ts'
import type { Launch } from './launch.ts'
import { refusedHostWords } from './refused-hosts.ts'
import type { RefusedHost } from '../http/egress/egress-refused.ts'
import { rootsOf } from './sandbox/allowed-roots.ts'
import {
  type Stated,
  chooseDriver,
  type SandboxPolicy,
  type SandboxState,
  type WantedDriver,
} from './sandbox/choose-driver.ts'
import type { ChildNetwork, ContainerSettings } from './sandbox/driver.ts'
import type { Log } from '../../lib/log.ts'

export interface EgressWish {
  readonly name: string
  readonly network: 'public' | 'listed'
  readonly allowHosts: readonly string[]
  /** Told of each host that the rules of the child refuse, once; a bounded number of them. */
  onRefused(refused: RefusedHost): void
}

export interface SandboxParts {
  readonly policy: SandboxPolicy
  readonly driver: WantedDriver
  /** Folders and files that no child may see. */
  readonly hiddenPaths: readonly string[]
  /** Folders below which paths may be allowed, `{organization}` for the slug in them; absent: anywhere. */
  readonly roots?: readonly string[]
  /** Processes and threads of one child. */
  readonly processes: number
  /** Bytes of the folders of one child. */
  readonly diskLimit: number
  /** Facts that the operator states about this place. */
  readonly stated?: Stated
  /** For drivers that make containers. */
  readonly container?: ContainerSettings
  /** Opens the egress proxy of one child, at a Unix socket. */
  readonly openEgress?: (wish: EgressWish) => Promise<{ readonly path: string; close(): Promise<void> }>
}

export interface OpenConfinement {
  readonly order?: Confinement
  /** Sentences about the hosts that its proxy refused so far. */
  words(): readonly string[]
  onRefused(tell: () => void): void
  close(): void
}

const NONE: OpenConfinement = { words: () => [], onRefused: () => undefined, close: () => undefined }

export function createConfinement(
  parts: SandboxParts | undefined,
  inherited: Readonly<Record<string, string>>,
  log: Log,
) {
  let chosen: Promise<SandboxState> | undefined
  const state = async (): Promise<SandboxState | undefined> => {
    if (parts === undefined) return undefined
    chosen ??= chooseDriver(parts.policy, parts.driver, parts.stated).then((found) => {
      logSandbox(log, found)
      return found
    })
    return chosen
  }

  return {
    state,
    /** Throws ChildError NOT_CONFINED where the policy lets none be started. */
    async open(launch: Launch): Promise<OpenConfinement> {
      if (launch.own === true) return NONE
      const found = await state()
      if (parts === undefined || found === undefined) return NONE
      if (found.refusal !== undefined) throw new ChildError('NOT_CONFINED', found.refusal)
      const network = networkOf(launch.network ?? 'public', inherited, parts, found)
      const allowHosts = [...(launch.allowHosts ?? [])]
      const refused: RefusedHost[] = []
      let tellRefused = () => {}
      const onRefused = (host: RefusedHost) => {
        refused.push(host)
        tellRefused()
      }
      const egress =
        network === 'public' || network === 'listed'
          ? await parts.openEgress?.({ name: launch.name, network, allowHosts, onRefused })
          : undefined
      return {
        words: () => refusedHostWords(refused, { alias: launch.alias ?? launch.name, network }),
        onRefused: (listener) => void (tellRefused = listener),
        order: {
          ...{ driver: found.driver, required: parts.policy === 'required', network, allowHosts },
          ...{ name: launch.name, alias: launch.alias ?? launch.name },
          ...{ allowPaths: [...(launch.allowPaths ?? [])], hiddenPaths: [...parts.hiddenPaths] },
          ...(parts.roots === undefined ? {} : { roots: rootsOf(parts.roots, launch.organization) }),
          ...{ processes: parts.processes, diskLimit: parts.diskLimit },
          ...(egress === undefined ? {} : { egressSocket: egress.path }),
          ...(parts.container === undefined ? {} : { container: parts.container }),
        },
        close: () =>
          void egress
            ?.close()
            .catch((thrown: unknown) => log.warn({ child: launch.name, err: thrown }, 'an egress proxy did not close')),
      }
    },
  }
}

/** A proxy of the installation is outside of a network namespace: programs that use it share the network of this machine. */
function networkOf(
  network: ChildNetwork,
  inherited: Readonly<Record<string, string>>,
  { openEgress }: SandboxParts,
  { driver }: SandboxState,
): ChildNetwork {
  if (driver === 'none') return 'host'
  if (network === 'public' && (openEgress === undefined || inherited['HTTPS_PROXY'] !== undefined)) return 'host'
  if (network === 'listed' && openEgress === undefined)
    throw new ChildError('NOT_CONFINED', 'The network "listed" needs the egress proxy, which is not running here.')
  return network
}

function logSandbox(log: Log, { driver, missing, reasons, refusal }: SandboxState): void {
  const facts = { driver, missing, reasons }
  if (refusal !== undefined) log.error(facts, 'stdio servers cannot be confined here, so none is started')
  else if (missing.length > 0)
    log.warn(facts, `stdio servers are not fully confined: no guarantee of ${missing.join(', ')}`)
  else log.debug(facts, 'stdio servers are confined')
}
