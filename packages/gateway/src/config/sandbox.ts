/** The settings of servers that are started here: what each may hold, and how it is confined. */
import { z } from 'zod'
import { list, defineSetting, wholeNumber, type Setting } from './setting.ts'

const MEMORY_PROBLEM = 'it must be a whole number of MiB, at least 64'

const ROOT_FORM = /^\/(?:[^{}]|\{organization\})*$/
const roots = list.superRefine((all, context) => {
  const wrong = all.find((value) => !ROOT_FORM.test(value) || value.split('/').includes('..'))
  if (wrong !== undefined) context.addIssue(`${wrong} is not an absolute path such as /srv/toolway/{organization}`)
})

export const SANDBOX_SETTINGS = {
  TOOLWAY_CHILD_MEMORY: defineSetting(
    z
      .string()
      .default('2048')
      .refine((text) => /^\d{1,7}$/.test(text) && Number(text) >= 64, MEMORY_PROBLEM)
      .transform(Number),
    'Memory limit for a local server and its child processes, in MiB. A server that exceeds it is stopped.',
  ),
  TOOLWAY_CHILD_PROCESSES: defineSetting(
    wholeNumber(16, 100_000).default(1024),
    'Maximum number of processes and threads for a local server. A browser needs several hundred.',
  ),
  TOOLWAY_CHILD_DISK: defineSetting(
    wholeNumber(16, 9_999_999).default(4096),
    'Disk limit for a local server’s folders, package cache included, in MiB. A server that exceeds it is stopped.',
  ),
  TOOLWAY_SANDBOX: defineSetting(
    z.enum(['required', 'preferred', 'off'], 'it must be required, preferred or off').default('preferred'),
    'Sandboxing of local servers. required: a server that cannot be sandboxed is not started. preferred: the best available driver is used, and `toolway doctor` lists what it does not guarantee. off: no sandbox.',
  ),
  TOOLWAY_SANDBOX_DRIVER: defineSetting(
    z
      .enum(
        ['auto', 'bubblewrap', 'process', 'docker', 'podman', 'kubernetes', 'disabled'],
        'it must be auto, bubblewrap, process, docker, podman, kubernetes or disabled',
      )
      .default('auto'),
    'Sandbox driver. auto: bubblewrap if available, otherwise process (kernel features only). disabled: no local servers are started.',
  ),
  TOOLWAY_SANDBOX_ROOTS: defineSetting(
    roots,
    'Folders in which connections may allow paths, separated by commas. {organization} is replaced by the organization’s slug: /srv/toolway/{organization},/srv/shared. If unset, platform administrators can allow any path and organization administrators none.',
  ),
  TOOLWAY_SANDBOX_IMAGE: defineSetting(
    z
      .string()
      .regex(/^[\w][\w.:/@-]{0,250}$/, 'it must be the name of an image')
      .optional(),
    'Container image for the drivers docker, podman and kubernetes. It must already be on the machine: docker and podman do not download images.',
  ),
  TOOLWAY_SANDBOX_RUNTIME: defineSetting(
    z
      .string()
      .regex(/^[\w][\w./-]{0,100}$/, 'it must be the name of a runtime')
      .optional(),
    'Container runtime, such as runsc or kata. For kubernetes: the runtime class.',
  ),
  TOOLWAY_SANDBOX_NAMESPACE: defineSetting(
    z
      .string()
      .regex(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/, 'it must be the name of a namespace')
      .optional(),
    'Namespace in which the kubernetes driver creates Pods. Default: the gateway’s namespace.',
  ),
  TOOLWAY_SANDBOX_NETWORK_POLICY: defineSetting(
    z.enum(['enforced', 'unknown'], 'it must be enforced or unknown').default('unknown'),
    'Whether the cluster enforces NetworkPolicies, for the kubernetes driver. unknown: the network of a local server is not guaranteed, so TOOLWAY_SANDBOX=required starts none. enforced: the operator has verified that a Pod cannot reach a private address.',
  ),
} as const satisfies Record<string, Setting>
