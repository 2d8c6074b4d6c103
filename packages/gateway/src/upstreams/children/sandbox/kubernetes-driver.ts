/**
 * The driver `kubernetes`: each child is a Pod of the cluster that the gateway runs in, made and joined by a program of ours
 * (`kubernetes/run-pod.ts`). Its network is what the NetworkPolicies of the chart allow: everything public, or nothing. Whether the
 * cluster enforces NetworkPolicies cannot be seen from here, so the operator has to say it.
 */
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { ChildError } from '../child-error.ts'
import {
  GUARANTEES,
  type ConfinedCommand,
  type ConfinedLaunch,
  type DriverState,
  type Guarantee,
  type SandboxDriver,
} from './driver.ts'
import { createCluster, IN_CLUSTER, namespaceOf, type ClusterAccess } from './kubernetes/cluster.ts'
import { CONTAINER, labelOf, podOf, preambleOf } from './kubernetes/pod.ts'

const RUN_POD = fileURLToPath(new URL('./kubernetes/run-pod.ts', import.meta.url))

/** `enforced`: the operator states that the cluster enforces its NetworkPolicies; otherwise the network is no guarantee. */
export function createKubernetesDriver(enforced: boolean, access: ClusterAccess = IN_CLUSTER): SandboxDriver {
  return {
    name: 'kubernetes',
    async check(): Promise<DriverState> {
      if (!existsSync(`${access.account}/token`))
        return { ready: false, reason: 'The gateway does not run in a Pod with a service account.' }
      try {
        await createCluster(access, namespaceOf(access)).list('toolway.dev/stdio=confined')
      } catch (thrown) {
        const text = thrown instanceof Error ? thrown.message : String(thrown)
        return {
          ready: false,
          reason: `The cluster does not allow the gateway to create Pods (${text}): set stdio.mode to jobs.`,
        }
      }
      // How many processes a Pod may have is a setting of the nodes.
      const unproven = new Set<Guarantee>(enforced ? ['process count'] : ['process count', 'network'])
      return { ready: true, guarantees: GUARANTEES.filter((guarantee) => !unproven.has(guarantee)) }
    },
    confine: (launch) => confine(access, launch),
  }
}

function confine(access: ClusterAccess, launch: ConfinedLaunch): ConfinedCommand {
  const { container, network, allowPaths } = launch
  const no = (sentence: string) => new ChildError('NOT_CONFINED', sentence)
  if (container === undefined) throw no('The driver kubernetes needs an image: set TOOLWAY_SANDBOX_IMAGE.')
  if (network === 'listed')
    throw no(
      'The kubernetes driver does not support a list of hosts: set the network of this server to public or none.',
    )
  if (allowPaths.length > 0) throw no('A Pod cannot access the gateway’s folders: remove allow_paths.')
  const { image, runtime, namespace = namespaceOf(access) } = container
  const name = `toolway-stdio-${randomUUID()}`
  const pod = podOf({ name, image, launch, ...(runtime === undefined ? {} : { runtime }) })
  const order = {
    ...access,
    namespace,
    child: labelOf(launch.name),
    name,
    container: CONTAINER,
    pod,
    preamble: preambleOf(launch),
  }
  return {
    command: process.execPath,
    args: [RUN_POD],
    env: {},
    cwd: '/',
    fds: [Buffer.from(JSON.stringify(order))],
    without: network === 'host' ? ['network'] : [],
    cleanUp: () =>
      createCluster(access, namespace)
        .remove(name)
        .catch(() => undefined),
  }
}
