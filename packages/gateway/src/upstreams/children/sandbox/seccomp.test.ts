import { describe, expect, test } from 'vitest'
import { seccompFilter } from './seccomp.ts'

const ALLOW = 0x7fff0000
const KILL = 0x80000000
const errno = (code: number) => 0x00050000 + code

/** Runs a filter as the kernel does, for a call with its first two arguments. */
function run(filter: Uint8Array, audit: number, number: number, first = 0, second = 0): number {
  const program = Buffer.from(filter)
  const facts = Buffer.alloc(64)
  facts.writeUInt32LE(number, 0)
  facts.writeUInt32LE(audit, 4)
  facts.writeUInt32LE(first, 16)
  facts.writeUInt32LE(second, 24)
  let loaded = 0
  for (let at = 0; at < program.length / 8;) {
    const [code, yes, no] = [program.readUInt16LE(at * 8), program.readUInt8(at * 8 + 2), program.readUInt8(at * 8 + 3)]
    const value = program.readUInt32LE(at * 8 + 4)
    at++
    if (code === 0x06) return value
    if (code === 0x20) loaded = facts.readUInt32LE(value)
    else {
      const holds = code === 0x15 ? loaded === value : code === 0x35 ? loaded >= value : (loaded & value) !== 0
      at += holds ? yes : no
    }
  }
  throw new Error('the program ran off its end')
}

const X64 = {
  arch: 'x64',
  audit: 0xc000003e,
  read: 0,
  ptrace: 101,
  clone: 56,
  clone3: 435,
  ioctl: 16,
  socket: 41,
} as const
const ARM64 = {
  arch: 'arm64',
  audit: 0xc00000b7,
  read: 63,
  ptrace: 117,
  clone: 220,
  clone3: 435,
  ioctl: 29,
  socket: 198,
} as const

describe.each([X64, ARM64])('the filter of $arch', ({ arch, audit, read, ptrace, clone, clone3, ioctl, socket }) => {
  const filter = seccompFilter(arch) ?? new Uint8Array()
  const answer = (number: number, first = 0, second = 0) => run(filter, audit, number, first, second)

  test('allows what programs do, and refuses what it names', () => {
    expect(answer(read)).toBe(ALLOW)
    expect(answer(ptrace)).toBe(errno(1))
    expect(answer(clone3)).toBe(errno(38))
  })

  test('allows threads and processes, and no namespaces', () => {
    expect(answer(clone, 0x3d0f00)).toBe(ALLOW) // a thread, as glibc makes it
    expect(answer(clone, 0x01200011)).toBe(ALLOW) // fork
    for (const kind of [0x80, 0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000])
      expect(answer(clone, kind | 0x11)).toBe(errno(1))
  })

  test('allows sockets of the usual families, and terminals but for pushed input', () => {
    for (const family of [1, 2, 10, 16]) expect(answer(socket, family)).toBe(ALLOW)
    for (const family of [17, 38, 40, 44]) expect(answer(socket, family)).toBe(errno(97))
    expect(answer(ioctl, 0, 0x5401)).toBe(ALLOW)
    expect(answer(ioctl, 0, 0x5412)).toBe(errno(1))
  })

  test('ends a program that calls by the numbers of another architecture', () => {
    expect(run(filter, 0x40000003, read)).toBe(KILL)
  })
})

test('the second interface of x86-64 is not there', () => {
  expect(run(seccompFilter('x64') ?? new Uint8Array(), X64.audit, 0x40000000 + 1)).toBe(errno(38))
})

test('there is none for an architecture without a table', () => {
  expect(seccompFilter('s390x')).toBeUndefined()
})
