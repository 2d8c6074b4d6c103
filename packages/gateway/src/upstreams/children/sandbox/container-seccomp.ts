/**
 * The seccomp profile of containers of Podman: that of its distribution, without the calls that debug processes, make namespaces,
 * read keys or reach the kernel's newer and larger surfaces. Docker's own profile refuses those already.
 */
import { existsSync, readFileSync } from 'node:fs'
import { z } from 'zod'

const FILE = '/usr/share/containers/seccomp.json'

const REFUSED: ReadonlySet<string> = new Set([
  ...['ptrace', 'process_vm_readv', 'process_vm_writev', 'kcmp', 'process_madvise', 'pidfd_getfd', 'perf_event_open'],
  ...['unshare', 'setns', 'clone', 'clone3', 'chroot', 'pivot_root'],
  ...[
    'mount',
    'umount',
    'umount2',
    'fsopen',
    'fsmount',
    'fsconfig',
    'fspick',
    'move_mount',
    'open_tree',
    'mount_setattr',
  ],
  ...['add_key', 'keyctl', 'request_key'],
  ...[
    'bpf',
    'userfaultfd',
    'io_uring_setup',
    'io_uring_enter',
    'io_uring_register',
    'name_to_handle_at',
    'open_by_handle_at',
  ],
])
/** The flags of clone(2) that make a namespace. */
const NAMESPACES = 0x7e_02_00_00
const NOT_THERE = 38

const Profile = z.looseObject({
  defaultAction: z.literal('SCMP_ACT_ERRNO'),
  syscalls: z.array(z.looseObject({ names: z.array(z.string()), action: z.string() })),
})

/** Undefined where the distribution brings no profile that allows what it names and nothing else. */
export function podmanProfile(file = FILE): Uint8Array | undefined {
  if (!existsSync(file)) return undefined
  const read = Profile.safeParse(JSON.parse(readFileSync(file, 'utf8')))
  if (!read.success) return undefined
  const allowed = read.data.syscalls
    .map((rule) => ({ ...rule, names: rule.names.filter((name) => !REFUSED.has(name)) }))
    .filter(({ names }) => names.length > 0)
  const threads = { index: 0, value: NAMESPACES, valueTwo: 0, op: 'SCMP_CMP_MASKED_EQ' }
  const own = [
    { names: ['clone'], action: 'SCMP_ACT_ALLOW', args: [threads] },
    // Its flags are in memory, which a filter cannot read: libraries take clone where it is not there.
    { names: ['clone3'], action: 'SCMP_ACT_ERRNO', errnoRet: NOT_THERE },
  ]
  return Buffer.from(JSON.stringify({ ...read.data, syscalls: [...allowed, ...own] }))
}
