import { describe, expect, test } from 'vitest'
import type { Row } from '../bench-figures.ts'
import type { Beside } from '../beside.ts'
import { besideText } from './beside-text.ts'

const cpuOf = (target: number | null, descendants: number, database: number) => ({
  target,
  descendants,
  database,
  stub: 0.01,
  generator: 0.02,
})
const row = (target: Row['target'], more: Partial<Row> = {}): Row => ({
  ...{ target, connections: 64, calls: 2000, errors: 0, faults: [] },
  callsPerSecond: { median: 1000, low: 900, high: 1100 },
  ...{ p50Ms: 1, p99Ms: 2, cpuMsPerCall: cpuOf(0.2, 0, 0) },
  coreUse: { driver: 0.5, target: 0.5, others: 0 },
  ...{ rounds: 2, busyRounds: 0 },
  ...more,
})
const beside: readonly Beside[] = [
  { target: 'direct', version: 'Node 24.0.0' },
  {
    ...{ target: 'legacy-stdio', version: '0.1.0', startMs: 2500 },
    idle: { hop: 100e6, database: 40e6 },
    after: { hop: 150e6, database: 50e6 },
  },
  { target: 'mcp-proxy', version: '6.7.19', startMs: 600, idle: { hop: 70e6, database: 0 }, after: undefined },
]

describe('the table beside others', () => {
  const told = (...rows: Row[]) => besideText(beside, rows).map((line) => line.replaceAll(/ +/g, ' ').trim())
  const gateway = row('legacy-stdio', { cpuMsPerCall: cpuOf(0.2, 0.1, 0.06) })

  test('has CPU and memory of all processes without the database and with it', () => {
    const lines = told(row('direct', { cpuMsPerCall: cpuOf(null, 0, 0) }), gateway, row('mcp-proxy'))
    expect(lines).toContain('direct 1000 2.00 – – – – – – – Node 24.0.0')
    expect(lines).toContain('legacy-stdio 1000 2.00 0.240 0.300 100 140 150 200 2.50 0.1.0')
    expect(lines).toContain('mcp-proxy 1000 2.00 0.200 0.200 70 70 – – 0.60 6.7.19')
  })

  test('has targets of one road together, at the highest number of connections', () => {
    const lines = told(row('mcp-proxy', { connections: 1, p99Ms: 9 }), row('mcp-proxy'), gateway)
    expect(lines.filter((line) => line === 'stdio')).toHaveLength(1)
    expect(lines.indexOf('stdio')).toBeLessThan(lines.findIndex((line) => line.startsWith('legacy-stdio')))
    expect(lines.join('\n')).not.toContain('9.00')
  })

  test('gives no figures to a target whose calls failed', () => {
    const few = told(row('mcp-proxy', { calls: 1999, errors: 1 }))
    expect(few.find((line) => line.startsWith('mcp-proxy 1000 2.00'))).toBeDefined()
    const many = told(row('mcp-proxy', { calls: 1950, errors: 50, callsPerSecond: { median: 9e5, low: 1, high: 9e5 } }))
    expect(many.find((line) => line.startsWith('mcp-proxy 50 of 2000 failed – – –'))).toBeDefined()
  })

  test('says what each does and what it does without', () => {
    const lines = told(gateway, row('mcp-proxy'))
    expect(lines.find((line) => line.startsWith('mcp-proxy one server'))).toBeDefined()
    expect(lines).toContain('without organizations, rules, rate limits, audit records')
  })

  test('is not there where nothing was measured beside', () => {
    expect(besideText([], [gateway])).toEqual([])
  })
})
