/**
 * Reading arbitrary bytes always ends: in a message or in a Fault that gives the position, never in another kind of crash. The
 * seed differs for each run and is printed: written in its place, it runs the same cases again.
 */
import { Fault } from '@toolway/contract'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { runs } from '../../../test/setup/form.ts'
import {
  checkHeaders,
  checkParameterHeaders,
  headerParameters,
  headersFor,
  isObject,
  joinName,
  joinUri,
  metaOf,
  parseJson,
  readEnvelope,
  readInitialize,
  readMessage,
  splitUri,
  type Json,
  type JsonObject,
} from './index.ts'

const seed = Date.now() % 2_147_483_647
let cases = 0
function settings(numRuns: number) {
  cases += runs(numRuns)
  return { numRuns: runs(numRuns), seed, verbose: false }
}
afterAll(() => console.info(`fuzz cases ${cases}`))
console.info(`fuzz seed ${seed}`)

/** Runs it; only a Fault may come out. */
function settle<Value>(work: () => Value): Value | Fault {
  try {
    return work()
  } catch (thrown) {
    if (thrown instanceof Fault) return thrown
    throw thrown
  }
}

const key = fc.constantFrom(
  'jsonrpc',
  'id',
  'method',
  'params',
  'result',
  'error',
  '_meta',
  'name',
  'arguments',
  '__proto__',
  'constructor',
  'io.modelcontextprotocol/protocolVersion',
  'io.modelcontextprotocol/clientCapabilities',
  'properties',
  'type',
  'x-mcp-header',
)
const leaf = fc.oneof(
  fc.constantFrom('2.0', 'tools/call', 'initialize', '2026-07-28', '2025-11-25', '', 'string', 'integer', 'X'),
  fc.integer(),
  fc.double(),
  fc.boolean(),
  fc.constant(null),
  fc.string({ unit: 'binary', maxLength: 12 }),
)
const { value } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    leaf as fc.Arbitrary<Json>,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(key, tie('value'), { maxKeys: 6 }),
  ),
}))
const headers = fc.dictionary(
  fc.constantFrom('mcp-protocol-version', 'mcp-method', 'mcp-name', 'mcp-param-x'),
  fc.oneof(fc.string({ maxLength: 20 }), fc.constantFrom('=?base64?SGVsbG8=?=', '2026-07-28', 'tools/call')),
)

describe('the wire', () => {
  test('reads any text or says where it breaks', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 200 }),
      value.map((one) => JSON.stringify(one)),
      value.chain((one) => fc.nat(60).map((cut) => JSON.stringify(one).slice(0, cut))),
    )
    fc.assert(
      fc.property(text, (given) => {
        const read = settle(() => parseJson(given))
        if (read instanceof Fault) expect(read.row.phase).toBe('receive')
        else expect(JSON.stringify(read)).toBe(JSON.stringify(JSON.parse(given)))
      }),
      settings(40_000),
    )
  })

  test('takes any value for a message or refuses it, and what it takes has the shape that is routed on', () => {
    fc.assert(
      fc.property(value, (given) => {
        const read = settle(() => readMessage(given))
        if (read instanceof Fault) return
        if ('method' in read) expect(typeof read.method).toBe('string')
        if ('id' in read) expect(['string', 'number']).toContain(typeof read.id)
      }),
      settings(40_000),
    )
  })

  test('reads any envelope, opening and headers, or refuses them', () => {
    fc.assert(
      fc.property(value, headers, (given, said) => {
        const params: JsonObject = isObject(given) ? given : {}
        if (params['_meta'] !== undefined && !isObject(params['_meta'])) return
        const header = (name: string) => (Object.hasOwn(said, name) ? said[name] : undefined)
        settle(() => readEnvelope(params, header))
        settle(() => readInitialize(params))
        settle(() => checkHeaders(header, 'tools/call', params))
        const parameters = headerParameters(given) ?? []
        settle(() => checkParameterHeaders(header, parameters, params['arguments']))
        for (const [, written] of Object.entries(headersFor('tools/call', params, parameters)))
          expect(written).toMatch(/^[\x20-\x7e]*$/)
        metaOf(params)
      }),
      settings(30_000),
    )
  })

  test('names and addresses any tool and resource, and finds the way back', () => {
    const alias = fc.stringMatching(/^[a-z][a-z0-9]{0,8}$/)
    fc.assert(
      fc.property(alias, fc.string({ unit: 'binary', maxLength: 90 }), (owner, name) => {
        expect(joinName(owner, name)).toMatch(/^[A-Za-z0-9_-]{1,64}$/)
        expect(splitUri(joinUri(owner, name))).toEqual({ alias: owner, uri: name })
      }),
      settings(20_000),
    )
  })
})
