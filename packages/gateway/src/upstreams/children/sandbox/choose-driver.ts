/**
 * The driver of the installation: the one that is set, or the best that works here. Which guarantees are missing, and why, is part
 * of the answer, so that log, doctor and console say the same.
 */
import { createBubblewrap } from './bubblewrap.ts'
import { createContainerDriver } from './container-driver.ts'
import { GUARANTEES, type DriverName, type Guarantee, type SandboxDriver } from './driver.ts'
import { createKubernetesDriver } from './kubernetes-driver.ts'
import { createNoDriver } from './no-driver.ts'
import { createProcessDriver } from './process-driver.ts'

export type SandboxPolicy = 'required' | 'preferred' | 'off'

/** Without these a child is not confined: `required` starts none. */
const NEEDED: readonly Guarantee[] = ['files', 'processes', 'network', 'privileges', 'system calls']

export interface SandboxState {
  readonly policy: SandboxPolicy
  readonly driver: DriverName
  readonly guarantees: readonly Guarantee[]
  readonly missing: readonly Guarantee[]
  /** Why a better driver is not used. */
  readonly reasons: readonly string[]
  /** Set where no child may be started. */
  readonly refusal?: string
}

/** Facts that the operator states and no driver can see. */
export interface Stated {
  /** The cluster enforces NetworkPolicies. */
  readonly networkPolicy?: boolean
}

export const DRIVERS: Readonly<Partial<Record<DriverName, (stated?: Stated) => SandboxDriver>>> = {
  bubblewrap: () => createBubblewrap(),
  process: () => createProcessDriver(),
  docker: () => createContainerDriver('docker'),
  podman: () => createContainerDriver('podman'),
  kubernetes: (stated) => createKubernetesDriver(stated?.networkPolicy === true),
  none: createNoDriver,
}

/** `disabled` starts no program at all, whatever the policy. */
export type WantedDriver = DriverName | 'auto' | 'disabled'

const DISABLED = 'TOOLWAY_SANDBOX_DRIVER is disabled.'

export async function chooseDriver(
  policy: SandboxPolicy,
  driver: WantedDriver = 'auto',
  stated: Stated = {},
): Promise<SandboxState> {
  if (driver === 'disabled') {
    const refusal = `No program is started here (${DISABLED}) Connect a server that runs elsewhere by its address.`
    return { policy, driver: 'none', guarantees: [], missing: GUARANTEES, reasons: [DISABLED], refusal }
  }
  if (policy === 'off')
    return { policy, driver: 'none', guarantees: [], missing: GUARANTEES, reasons: ['TOOLWAY_SANDBOX is off.'] }
  const reasons: string[] = []
  for (const name of driver === 'auto' ? (['bubblewrap', 'process'] as const) : [driver]) {
    const state = (await DRIVERS[name]?.(stated).check()) ?? {
      ready: false as const,
      reason: `There is no driver ${name}.`,
    }
    if (!state.ready) {
      reasons.push(`${name}: ${state.reason}`)
      continue
    }
    const missing = GUARANTEES.filter((guarantee) => !state.guarantees.includes(guarantee))
    return withRefusal({ policy, driver: name, guarantees: state.guarantees, missing, reasons })
  }
  // A driver that was asked for by name is not replaced by nothing.
  const refusal = driver === 'auto' ? undefined : refusalOf(reasons)
  const state = { policy, driver: 'none' as const, guarantees: [], missing: GUARANTEES, reasons }
  return refusal === undefined ? withRefusal(state) : { ...state, refusal }
}

function withRefusal(state: SandboxState): SandboxState {
  const lacks = neededAmong(state.missing)
  if (state.policy !== 'required' || lacks.length === 0) return state
  const unstated = state.driver === 'kubernetes' && lacks.includes('network') ? [UNSTATED] : []
  const lacked = `${state.driver} does not guarantee: ${lacks.join(', ')}.`
  return { ...state, refusal: refusalOf([...state.reasons, lacked, ...unstated]) }
}

const UNSTATED =
  'Set TOOLWAY_SANDBOX_NETWORK_POLICY=enforced (Helm: stdio.networkPolicyEnforced) if the cluster enforces NetworkPolicies.'

const refusalOf = (reasons: readonly string[]): string =>
  `The program cannot be confined here, so it is not started (${reasons.join(' ')}) \`toolway doctor\` shows what is missing.`

/** Guarantees of a launch that `required` does not do without. */
export const neededAmong = (without: readonly Guarantee[]): readonly Guarantee[] =>
  without.filter((item) => NEEDED.includes(item))
