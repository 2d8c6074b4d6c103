import { describe, expect, test } from 'vitest'
import { Fault, FAULTS, type FaultCode } from './faults.ts'

const codes = Object.keys(FAULTS) as FaultCode[]
const blanksOf = (sentence: string) => [...sentence.matchAll(/\{([^}]*)\}/g)].map(([, name = '']) => name)

/** A fault of any code with every blank filled, past the types: a table cannot know which facts each row wants. */
const filled = (code: FaultCode): Fault => {
  const { say, mend } = FAULTS[code]
  const facts = Object.fromEntries([...blanksOf(say), ...blanksOf(mend)].map((name) => [name, `<${name}>`]))
  return new (Fault as unknown as new (code: FaultCode, facts: object) => Fault)(code, facts)
}

describe('every row of the fault table', () => {
  test.for(codes)('%s has words, a status, a number and filled sentences that belong together', (code) => {
    const { word, phase, http, rpc, say, mend, retry } = FAULTS[code]
    expect(code).toMatch(/^[a-z]+(\.[a-z]+(-[a-z]+)*)?$/)
    expect(word).toMatch(/^[A-Z]+(_[A-Z]+)*$/)
    expect(phase).toMatch(/^[a-z]+$/)
    expect(http === 200 || (http >= 400 && http < 600)).toBe(true)
    expect(rpc).toBeLessThan(0)
    expect(Number.isInteger(rpc)).toBe(true)
    // A fault that asks the client to retry must not have a status that says "never".
    if (retry) expect([400, 408, 409, 423, 429, 502, 503, 504, 507]).toContain(http)
    if (word === 'UNAUTHENTICATED') expect(http).toBe(401)
    if (word === 'RATE_LIMITED') expect(retry).toBe(true)
    const fault = filled(code)
    for (const sentence of [fault.message, fault.mend]) {
      expect(sentence).not.toBe('')
      expect(sentence).not.toMatch(/[{}]/)
      expect(sentence.trim()).toBe(sentence)
    }
    for (const name of blanksOf(say)) expect(fault.message).toContain(`<${name}>`)
    for (const name of blanksOf(mend)) expect(fault.mend).toContain(`<${name}>`)
  })

  test('has a sentence of its own, so that no two faults look the same', () => {
    expect(new Set(codes.map((code) => FAULTS[code].say)).size).toBe(codes.length)
  })

  test('answers 404 or 401 alike whatever the reason is, where the reason would tell a stranger something', () => {
    for (const code of ['place.unknown', 'session.unknown', 'key.unknown'] as const)
      expect(blanksOf(FAULTS[code].say)).toEqual([])
  })
})

test('U-13: every word of the ledger is said by a fault, each with the number that it says', () => {
  const WORDS =
    'INVALID_ARGUMENT POLICY_VIOLATION EXECUTION_ERROR TOOL_NOT_FOUND UNAUTHENTICATED PERMISSION_DENIED RATE_LIMITED TIMEOUT ' +
    'NEEDS_AUTH APPROVAL_REQUIRED PAYLOAD_TOO_LARGE METADATA_UNAVAILABLE NOT_SUPPORTED INTERNAL'
  const rows = codes.filter((code) => !code.startsWith('bridge.')).map((code) => FAULTS[code])
  const said = new Set<string>(rows.map(({ word }) => word))
  expect(WORDS.split(' ').filter((word) => !said.has(word))).toEqual([])
  for (const { word, http, rpc } of rows) {
    if (word === 'UNAUTHENTICATED') expect([http, rpc]).toEqual([401, -32_001])
    if (word === 'TIMEOUT' || word === 'METADATA_UNAVAILABLE') expect(rpc).toBe(-32_003)
    if (word === 'INTERNAL') expect([http, rpc]).toEqual([500, -32_603])
    // Faults that have a number in MCP or JSON-RPC keep it.
    expect([
      -32_700, -32_600, -32_601, -32_602, -32_603, -32_001, -32_002, -32_003, -32_020, -32_021, -32_022,
    ]).toContain(rpc)
  }
})

describe('a fault', () => {
  test('is an error that says what happened and, beside it, what to do', () => {
    const fault = new Fault('tool.unknown', { tool: 'a__b' })
    expect(fault).toBeInstanceOf(Error)
    expect(fault).toMatchObject({
      name: 'Fault',
      code: 'tool.unknown',
      message: 'Unknown tool: a__b',
      facts: { tool: 'a__b' },
    })
    expect(fault.mend).toBe('List the tools again; the tool may have been removed or renamed.')
    expect(fault.row).toBe(FAULTS['tool.unknown'])
  })

  test('uses one fact wherever a sentence has its blank, numbers too', () => {
    const fault = new Fault('upstream.unreachable', { connection: 'docs', problem: 'HTTP 500' })
    expect(fault.message).toContain('docs')
    expect(fault.mend).toContain('docs')
    expect(new Fault('request.too-large', { limit: 0 }).message).toContain(' 0 bytes')
  })

  test('ends with one full stop, whether the fact before it brings its own or not', () => {
    const said = (problem: string) => new Fault('upstream.unreachable', { connection: 'docs', problem }).message
    expect(said('HTTP 500')).toBe('The connection docs is not available: HTTP 500.')
    expect(said('It is gone.')).toBe('The connection docs is not available: It is gone.')
  })

  test('does not look for blanks inside facts', () => {
    expect(new Fault('upstream.malformed', { connection: 'a', problem: '{connection} {x} $1 $&' }).message).toContain(
      '{connection} {x} $1 $&',
    )
  })

  test('keeps its cause for the log and out of its words', () => {
    const cause = new Error('connect ECONNREFUSED 10.0.0.7 with uru_secret')
    const fault = new Fault('upstream.lost', { connection: 'docs' }, { cause })
    expect(fault.cause).toBe(cause)
    expect(`${fault.message} ${fault.mend} ${JSON.stringify(fault)}`).not.toMatch(/10\.0\.0\.7|uru_secret/)
    expect('cause' in new Fault('key.missing')).toBe(false)
  })

  test('carries data for programs as it was given', () => {
    expect(new Fault('envelope.version', {}, { data: { supported: ['a'] } }).data).toEqual({ supported: ['a'] })
    expect(new Fault('key.missing').data).toBeUndefined()
  })

  test('does not compile with a fact missing, misspelt or too much, or a code that is none', () => {
    const made = [
      // @ts-expect-error The tool is missing.
      () => new Fault('tool.unknown'),
      // @ts-expect-error The tool is misspelt.
      () => new Fault('tool.unknown', { tol: 'a' }),
      // @ts-expect-error This one has no blanks.
      () => new Fault('key.missing', { key: 'uru_secret' }),
      // @ts-expect-error There is no such code.
      () => new Fault('key.lost'),
    ]
    expect(made).toHaveLength(4)
  })
})

describe('whatever is thrown', () => {
  test('stays a fault if it is one', () => {
    const fault = new Fault('key.missing')
    expect(Fault.of(fault)).toBe(fault)
  })

  test.each([[new Error('secret')], ['secret'], [undefined], [null], [{ code: 'key.missing', message: 'secret' }]])(
    'is a bug otherwise, with its cause kept and its words not told: %s',
    (thrown) => {
      const fault = Fault.of(thrown)
      expect(fault.code).toBe('internal')
      expect(fault.cause).toBe(thrown)
      expect(`${fault.message} ${fault.mend}`).not.toContain('secret')
    },
  )
})
