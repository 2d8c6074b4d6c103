/**
 * The seccomp filter of a confined child, as the bytes of a classic BPF program (seccomp(2), linux/filter.h). It refuses calls that
 * debug other processes, mount, make namespaces, load code into the kernel or change the machine; everything else is allowed.
 * Calls for which programs have another way (io_uring, clone3, memfd_create) answer ENOSYS, the others EPERM.
 */
import { endianness } from 'node:os'

const ALLOW = 0x7fff0000
const KILL = 0x80000000
const errno = (code: number) => 0x00050000 | code
const [EPERM, ENOSYS, EAFNOSUPPORT] = [errno(1), errno(38), errno(97)]

/** BPF instructions: load a word, compare with a constant, return. */
const [LOAD, EQUAL, AT_LEAST, HAS_BIT, RETURN] = [0x20, 0x15, 0x35, 0x45, 0x06]
/** Offsets in struct seccomp_data: the low words of arguments are at 16 + 8 n on a little-endian machine. */
const [NUMBER, ARCHITECTURE, FIRST, SECOND] = [0, 4, 16, 24]

/** CLONE_NEWTIME, NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET. */
const NEW_NAMESPACES = 0x7e020080
/** Pushes characters into a terminal's input. */
const [TIOCSTI, TIOCLINUX] = [0x5412, 0x541c]
/** AF_PACKET, AF_ALG, AF_VSOCK (reaches the host of a virtual machine), AF_XDP. */
const FAMILIES = [17, 38, 40, 44]

interface Table {
  readonly audit: number
  readonly refused: readonly number[]
  readonly absent: readonly number[]
  readonly clone: number
  readonly ioctl: number
  readonly socket: number
  /** Numbers from here on are another interface to the same calls (x32). */
  readonly other?: number
}

/**
 * The same numbers on all architectures: open_tree, move_mount, fsopen, fsconfig, fsmount, fspick, pidfd_getfd, process_madvise,
 * mount_setattr, quotactl_fd, open_tree_attr.
 */
const COMMON = [428, 429, 430, 431, 432, 433, 438, 440, 442, 443, 467]
/** io_uring_setup, io_uring_enter, io_uring_register, clone3, memfd_secret. */
const COMMON_ABSENT = [425, 426, 427, 435, 447]

const TABLES: Readonly<Partial<Record<NodeJS.Architecture, Table>>> = {
  x64: {
    audit: 0xc000003e,
    // ptrace, process_vm_readv, process_vm_writev, kcmp, kexec_load, kexec_file_load, bpf, perf_event_open
    // add_key, request_key, keyctl, mount, umount2, pivot_root, chroot, swapon, swapoff, reboot
    // create_module, init_module, finit_module, delete_module, userfaultfd, unshare, setns
    // name_to_handle_at, open_by_handle_at, acct, quotactl, settimeofday, clock_settime, clock_adjtime
    // sethostname, setdomainname, syslog, iopl, ioperm, vhangup, lookup_dcookie, modify_ldt, fanotify_init, uselib
    refused: [
      ...[101, 310, 311, 312, 246, 320, 321, 298],
      ...[248, 249, 250, 165, 166, 155, 161, 167, 168, 169],
      ...[174, 175, 313, 176, 323, 272, 308],
      ...[303, 304, 163, 179, 164, 227, 305],
      ...[170, 171, 103, 172, 173, 153, 212, 154, 300, 134],
      ...COMMON,
    ],
    absent: [319, 29, ...COMMON_ABSENT], // memfd_create, shmget: memory that no bound and no watch sees
    ...{ clone: 56, ioctl: 16, socket: 41, other: 0x40000000 },
  },
  arm64: {
    audit: 0xc00000b7,
    refused: [
      ...[117, 270, 271, 272, 104, 294, 280, 241],
      ...[217, 218, 219, 40, 39, 41, 51, 224, 225, 142],
      ...[105, 273, 106, 282, 97, 268],
      ...[264, 265, 89, 60, 170, 112, 266],
      ...[161, 162, 116, 58, 18, 262],
      ...COMMON,
    ],
    absent: [279, 194, ...COMMON_ABSENT],
    ...{ clone: 220, ioctl: 29, socket: 198 },
  },
}

type Instruction = readonly [code: number, yes: number, no: number, value: number]
const load = (offset: number): Instruction => [LOAD, 0, 0, offset]
const end = (value: number): Instruction => [RETURN, 0, 0, value]
/** Ends with `answer` where the loaded word is the number, and goes on otherwise. */
const when = (value: number, answer: number, test = EQUAL): Instruction[] => [[test, 0, 1, value], end(answer)]

/** For one call: looks at the low word of an argument, then allows. The number is no longer loaded afterwards. */
function inspect(call: number, argument: number, checks: readonly Instruction[]): Instruction[] {
  const inside = [load(argument), ...checks, end(ALLOW)]
  return [[EQUAL, 0, inside.length, call], ...inside]
}

/** The filter of an architecture; undefined where there is no table for it. */
export function seccompFilter(architecture: NodeJS.Architecture = process.arch): Uint8Array | undefined {
  const table = TABLES[architecture]
  if (table === undefined || endianness() !== 'LE') return undefined
  const program = [
    load(ARCHITECTURE),
    [EQUAL, 1, 0, table.audit] as const,
    end(KILL),
    load(NUMBER),
    ...(table.other === undefined ? [] : when(table.other, ENOSYS, AT_LEAST)),
    ...table.refused.flatMap((number) => when(number, EPERM)),
    ...table.absent.flatMap((number) => when(number, ENOSYS)),
    ...inspect(table.clone, FIRST, when(NEW_NAMESPACES, EPERM, HAS_BIT)),
    ...inspect(
      table.ioctl,
      SECOND,
      [TIOCSTI, TIOCLINUX].flatMap((command) => when(command, EPERM)),
    ),
    ...inspect(
      table.socket,
      FIRST,
      FAMILIES.flatMap((family) => when(family, EAFNOSUPPORT)),
    ),
    end(ALLOW),
  ]
  return encode(program)
}

/** struct sock_filter: two bytes of code, one of each jump, four of value. */
function encode(program: readonly Instruction[]): Uint8Array {
  const bytes = Buffer.alloc(program.length * 8)
  for (const [at, [code, yes, no, value]] of program.entries()) {
    bytes.writeUInt16LE(code, at * 8)
    bytes.writeUInt8(yes, at * 8 + 2)
    bytes.writeUInt8(no, at * 8 + 3)
    bytes.writeUInt32LE(value >>> 0, at * 8 + 4)
  }
  return bytes
}
