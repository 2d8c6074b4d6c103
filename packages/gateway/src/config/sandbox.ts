/** The settings of servers that are started here: what each may hold, and how it is confined. */
import { z } from 'zod'
import { list, setting, wholeNumber, type Setting } from './setting.ts'

const MEMORY_PROBLEM = 'it must be a whole number of MiB, at least 64'

const ROOT_FORM = /^\/(?:[^{}]|\{organization\})*$/
const roots = list.superRefine((all, context) => {
  const wrong = all.find((one) => !ROOT_FORM.test(one) || one.split('/').includes('..'))
  if (wrong !== undefined) context.addIssue(`${wrong} is no absolute folder such as /srv/toolway/{organization}`)
})

export const SANDBOX_SETTINGS = {
  TOOLWAY_CHILD_MEMORY: setting(
    z
      .string()
      .default('2048')
      .refine((text) => /^\d{1,7}$/.test(text) && Number(text) >= 64, MEMORY_PROBLEM)
      .transform(Number),
    'MiB that a server which is started here may hold, with all that it starts; one that holds more is ended.',
  ),
  TOOLWAY_CHILD_PROCESSES: setting(
    wholeNumber(16, 100_000).default(1024),
    'Processes and threads that a server which is started here may have together; a browser has some hundreds.',
  ),
  TOOLWAY_CHILD_DISK: setting(
    wholeNumber(16, 9_999_999).default(4096),
    'MiB that the folders of a server which is started here may hold, its package cache among them; one that holds more is ended.',
  ),
  TOOLWAY_SANDBOX: setting(
    z.enum(['required', 'preferred', 'off'], 'it must be required, preferred or off').default('preferred'),
    'How servers that are started here are confined: required starts none that cannot be confined, preferred takes the best driver that works here and says what it does not guarantee (`toolway doctor`), off confines none.',
  ),
  TOOLWAY_SANDBOX_DRIVER: setting(
    z
      .enum(
        ['auto', 'bubblewrap', 'process', 'docker', 'podman', 'kubernetes', 'disabled'],
        'it must be auto, bubblewrap, process, docker, podman, kubernetes or disabled',
      )
      .default('auto'),
    'What confines them: auto is bubblewrap where it works, otherwise process, which is what the kernel gives without it; disabled starts no server here.',
  ),
  TOOLWAY_SANDBOX_ROOTS: setting(
    roots,
    'Folders below which connections may allow paths, separated by commas; {organization} stands for the slug of the organization: /srv/toolway/{organization},/srv/shared. Unset: platform administrators allow any path, administrators of an organization none.',
  ),
  TOOLWAY_SANDBOX_IMAGE: setting(
    z
      .string()
      .regex(/^[\w][\w.:/@-]{0,250}$/, 'it must be the name of an image')
      .optional(),
    'Image of the containers that the drivers docker, podman and kubernetes start. It is on the machine already: docker and podman download none.',
  ),
  TOOLWAY_SANDBOX_RUNTIME: setting(
    z
      .string()
      .regex(/^[\w][\w./-]{0,100}$/, 'it must be the name of a runtime')
      .optional(),
    'Runtime of those containers, such as runsc or kata; for kubernetes the runtime class.',
  ),
  TOOLWAY_SANDBOX_NAMESPACE: setting(
    z
      .string()
      .regex(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/, 'it must be the name of a namespace')
      .optional(),
    'Namespace in which the driver kubernetes makes Pods; that of the gateway if unsaid.',
  ),
} as const satisfies Record<string, Setting>
