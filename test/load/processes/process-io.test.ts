import { closeSync, openSync, writeSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { parseIo, readIo } from './process-io.ts'

describe('the reads and writes of a process', () => {
  test('are taken from what the kernel counts', () => {
    const text = 'rchar: 31300\nwchar: 105273\nsyscr: 143\nsyscw: 787\nread_bytes: 4603904\nwrite_bytes: 0\n'
    expect(parseIo(text)).toEqual({ reads: 143, writes: 787 })
    expect(parseIo('rchar: 1\n')).toBeUndefined()
  })

  test.runIf(process.platform === 'linux')('grow with each write', () => {
    const file = openSync('/dev/null', 'w')
    const before = readIo(process.pid)?.writes ?? Number.NaN
    for (let at = 0; at < 50; at++) writeSync(file, 'x')
    expect((readIo(process.pid)?.writes ?? 0) - before).toBeGreaterThanOrEqual(50)
    closeSync(file)
  })

  test('are unknown for a process that is gone', () => {
    expect(readIo(2 ** 30)).toBeUndefined()
  })
})
