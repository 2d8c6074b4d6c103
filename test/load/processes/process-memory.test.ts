import { describe, expect, test } from 'vitest'
import { parsePss, readFamilyMemory } from './process-memory.ts'

describe('the memory of a process', () => {
  test('counts shared pages by their share', () => {
    const text = '00400000-7fff [rollup]\nRss:              90000 kB\nPss:              61234 kB\nPss_Anon:  1 kB\n'
    expect(parsePss(text)).toBe(61234 * 1024)
    expect(parsePss('Rss: 1 kB\n')).toBeUndefined()
  })

  test.runIf(process.platform === 'linux')('is known for this process, without a database', () => {
    expect(readFamilyMemory(process.pid)).toMatchObject({ hop: expect.any(Number), database: 0 })
  })

  test('is unknown for a process that is gone', () => {
    expect(readFamilyMemory(2 ** 30)).toBeUndefined()
  })
})
