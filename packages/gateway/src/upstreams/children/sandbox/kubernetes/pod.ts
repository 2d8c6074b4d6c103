/**
 * The Pod of a child, and what its starter reads first. Arguments and environment are not in the Pod's description, which others in the
 * namespace may read: they come over its stdin, line by line, before the messages.
 */
import { createHash } from 'node:crypto'
import { ChildError } from '../../child-error.ts'
import type { ConfinedLaunch } from '../driver.ts'

export const CONTAINER = 'server'
/** Of no other program in an image. */
const USER = 10_002
/** POSIX shells read one byte after the other from a pipe, so that what follows is left for the program. */
const STARTER = `set --
while IFS= read -r line && [ -n "$line" ]; do
  case $line in E*) export "\${line#E}" ;; A*) set -- "$@" "\${line#A}" ;; esac
done
exec "$@"`

export interface PodParts {
  readonly name: string
  readonly image: string
  readonly runtime?: string
  readonly launch: ConfinedLaunch
}

/** A label that is the same at each start of the same child. */
export const labelOf = (name: string): string => createHash('sha256').update(name).digest('hex').slice(0, 32)

export function podOf({ name, image, runtime, launch }: PodParts): object {
  const { folder, temporary, cwd, network, bounds } = launch
  const disk = bounds.fileBytes === undefined ? {} : { sizeLimit: String(bounds.fileBytes) }
  const labels = {
    'toolway.dev/stdio': 'confined',
    'toolway.dev/network': network === 'none' ? 'none' : 'public',
    'toolway.dev/child': labelOf(launch.name),
  }
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, labels },
    spec: {
      restartPolicy: 'Never',
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      terminationGracePeriodSeconds: 2,
      ...(runtime === undefined ? {} : { runtimeClassName: runtime }),
      securityContext: {
        ...{ runAsNonRoot: true, runAsUser: USER, runAsGroup: USER, fsGroup: USER },
        seccompProfile: { type: 'RuntimeDefault' },
      },
      containers: [
        {
          ...{ name: CONTAINER, image, stdin: true, stdinOnce: true, command: ['/bin/sh', '-c', STARTER] },
          workingDir: cwd.startsWith(`${folder}/`) ? folder : cwd,
          securityContext: {
            ...{ allowPrivilegeEscalation: false, privileged: false, readOnlyRootFilesystem: true },
            capabilities: { drop: ['ALL'] },
          },
          resources: {
            requests: { memory: String(Math.min(bounds.memoryBytes, 128 * 1024 * 1024)), cpu: '50m' },
            limits: { memory: String(bounds.memoryBytes) },
          },
          volumeMounts: [
            { name: 'home', mountPath: folder },
            { name: 'tmp', mountPath: '/tmp' },
            ...(temporary.startsWith('/tmp/') ? [] : [{ name: 'tmp', mountPath: temporary }]),
          ],
        },
      ],
      volumes: [
        { name: 'home', emptyDir: disk },
        { name: 'tmp', emptyDir: disk },
      ],
    },
  }
}

/** What the starter reads before the program takes over. */
export function preambleOf({ command, args, env, temporary }: ConfinedLaunch): string {
  const own = temporary.startsWith('/tmp/') ? { ...env, TMPDIR: '/tmp' } : env
  const lines = [
    ...Object.entries(own).map(([name, value]) => `E${name}=${value}`),
    ...[command, ...args].map((word) => `A${word}`),
  ]
  if (lines.some((line) => /[\r\n\0]/.test(line)))
    throw new ChildError('NOT_CONFINED', 'An argument or a variable has a line break, which cannot be passed to a Pod.')
  return `${lines.join('\n')}\n\n`
}
