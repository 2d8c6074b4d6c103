import { readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect, test } from 'vitest'
import { containerArguments, environmentFile } from './container-arguments.ts'
import type { ConfinedLaunch } from './driver.ts'
import { podmanProfile } from './container-seccomp.ts'

const launch: ConfinedLaunch = {
  name: 'acme files',
  command: '/usr/bin/npx',
  args: ['server', '--root', '/srv/files'],
  env: { HOME: '/data/children/acme', API_KEY: 'a secret = with "signs" #' },
  cwd: '/data/children/acme/work',
  folder: '/data/children/acme',
  temporary: '/tmp/toolway-abc123',
  packageFolders: ['/opt2/tools'],
  neededFolders: [],
  allowPaths: [{ path: '/srv/files', write: true }],
  hiddenPaths: ['/srv/files/private', '/data'],
  givenFiles: [],
  identities: new Map(),
  network: 'listed',
  allowHosts: ['api.example.com'],
  egressSocket: '/tmp/egress/proxy',
  bounds: { memoryBytes: 268_435_456, processes: 100, fileBytes: 1_000_000 },
  container: { image: 'toolway', runtime: 'runsc' },
}
const argumentsOf = (changes: Partial<ConfinedLaunch> = {}) =>
  containerArguments({
    ...{ engine: 'podman', name: 'toolway-1', image: 'toolway', user: 4242, hasProfile: true },
    launch: { ...launch, ...changes },
  })

test('a container has no network, capabilities, writable root or user of the gateway', () => {
  const words = argumentsOf().join(' ')
  for (const part of [
    '--read-only --cap-drop ALL --security-opt no-new-privileges',
    '--security-opt seccomp=/dev/fd/4',
    '--network none',
    '--user 4242:4242',
    '--memory 268435456 --memory-swap 268435456 --pids-limit 100',
    '--pull never',
    '--runtime runsc',
  ])
    expect(words).toContain(part)
})

test('it sees its folders, its package and what is allowed, and nothing that is hidden in them', () => {
  const args = argumentsOf()
  const mounts = args.filter((_, at) => args[at - 1] === '--mount')
  expect(mounts).toEqual([
    'type=bind,source=/srv/files,destination=/srv/files',
    'type=bind,source=/opt2/tools,destination=/opt2/tools,readonly',
    'type=tmpfs,destination=/srv/files/private',
    'type=bind,source=/data/children/acme,destination=/data/children/acme',
    'type=bind,source=/tmp/toolway-abc123,destination=/tmp/toolway-abc123',
    'type=bind,source=/tmp/egress/proxy,destination=/run/toolway/egress.sock',
    expect.stringMatching(
      /^type=bind,source=.*egress-relay\.ts,destination=\/run\/toolway\/egress-relay\.ts,readonly$/,
    ),
  ])
})

test('a hidden file is covered by an empty one', () => {
  const file = new URL(import.meta.url).pathname
  const words = argumentsOf({ packageFolders: [dirname(file)], hiddenPaths: [file] }).join(' ')
  expect(words).toContain(`type=bind,source=/dev/null,destination=${file},readonly`)
})

test('no value of its environment is on the command line', () => {
  expect(argumentsOf().join(' ')).not.toContain('secret')
  const text = Buffer.from(environmentFile(launch)).toString()
  expect(text).toContain('API_KEY=a secret = with "signs" #\n')
  expect(text).toContain('HTTPS_PROXY=http://127.0.0.1:')
  expect(Buffer.from(environmentFile({ ...launch, network: 'none' })).toString()).not.toContain('PROXY')
})

test('what a container cannot be given is refused in words', () => {
  expect(() => environmentFile({ ...launch, env: { A: 'two\nB=lines' } })).toThrow('has a name or a line break')
  expect(() => argumentsOf({ folder: '/data,readonly=false' })).toThrow('has a comma')
})

test('the profile of Podman lets no process debug, make namespaces or load code', () => {
  const file = new URL('./container-seccomp.test.json', import.meta.url).pathname
  const read = JSON.parse(String(Buffer.from(podmanProfile(file) ?? []))) as {
    syscalls: { names: string[]; action: string; args?: { value: number }[] }[]
  }
  const rules = read.syscalls.filter(({ names }) => names.includes('clone'))
  expect(rules).toEqual([
    { names: ['clone'], action: 'SCMP_ACT_ALLOW', args: [expect.objectContaining({ value: 0x7e_02_00_00 })] },
  ])
  expect(read.syscalls.flatMap(({ names }) => names)).toEqual(['read', 'write', 'clone', 'clone3'])
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ defaultAction: 'SCMP_ACT_ERRNO' })
  expect(podmanProfile('/no/such/file')).toBeUndefined()
})
