/**
 * Fuzzes every operation of the admin interface, with names and bodies made of its own field names and of texts that break
 * parsers and databases. No answer may be an error of the gateway itself.
 */
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { OPERATIONS } from '../../packages/gateway/src/app/operations.ts'
import { startTestGateway, type TestGateway } from '../../packages/gateway/src/testing/gateway.ts'
import { runs } from '../setup/form.ts'

const RUNS = runs(40)
/** Removing operations come last, so that the others find their objects. */
const ORDERED = OPERATIONS.map(({ operation }) => operation).toSorted(
  (one, other) => Number(one.method === 'DELETE') - Number(other.method === 'DELETE'),
)
const NASTY = [
  '',
  '\0',
  '\ud800',
  '../../..',
  "'; drop table users; --",
  '${7*7}',
  'default',
  '%00',
  '1e999',
  'x'.repeat(5_000),
]
const text = fc.oneof(fc.constantFrom(...NASTY), fc.string({ unit: 'binary' }))
const value = fc.oneof({ weight: 2, arbitrary: text }, fc.jsonValue(), fc.bigInt().map(Number), fc.constant([]))

/** The names that a shape knows, at its top. */
function namesOf(shape: z.ZodType): string[] {
  const schema = z.toJSONSchema(shape, { io: 'input', unrepresentable: 'any' })
  return [schema, ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].flatMap((one) =>
    typeof one === 'object' ? Object.keys(one.properties ?? {}) : [],
  )
}

function fields(shape: z.ZodType): fc.Arbitrary<Record<string, unknown>> {
  const names = [...namesOf(shape), '__proto__', 'constructor']
  return fc.dictionary(fc.constantFrom(...names), value, { maxKeys: 6, noNullPrototype: true })
}

const encoded = (raw: string): string => encodeURIComponent(raw.toWellFormed()) || '%20'

describe('S3-SEC-02: input of the admin interface', () => {
  let gateway: TestGateway
  beforeAll(async () => void (gateway = await startTestGateway({ settings: { TOOLWAY_AUTH: 'off' } })))
  afterAll(() => gateway[Symbol.asyncDispose]())

  test.each(ORDERED.map((operation) => [operation.id, operation] as const))(
    '%s never breaks it',
    async (_, operation) => {
      const inPath = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
      const asked = fc.record({
        params: fc.array(fc.oneof(fc.constant('default'), text), {
          minLength: inPath.length,
          maxLength: inPath.length,
        }),
        query: fields(operation.query),
        body: fc.oneof(
          fields(operation.body).map((one) => JSON.stringify(one)),
          fc.json(),
          text,
          fc.constant('['.repeat(5_000)),
        ),
        type: fc.constantFrom('application/json', 'text/plain'),
      })
      await fc.assert(
        fc.asyncProperty(asked, async ({ params, query, body, type }) => {
          const path = inPath.reduce(
            (built, name, at) => built.replace(`{${name}}`, encoded(params[at] ?? '')),
            operation.path,
          )
          const search = Object.entries(query).map(([name, one]) => `${encoded(name)}=${encoded(JSON.stringify(one))}`)
          const gone = new AbortController()
          const response = await fetch(`${gateway.address}${path}?${search.join('&')}`, {
            method: operation.method,
            headers: { 'content-type': type },
            redirect: 'manual',
            signal: gone.signal,
            ...(operation.method === 'GET' ? {} : { body: body.toWellFormed() }),
          })
          const { status } = response
          if (status >= 500) expect([status, await response.text()]).toEqual([status, 'no fault of its own'])
          gone.abort()
        }),
        { numRuns: RUNS, seed: 20_261_120 },
      )
    },
  )

  test('that no database can hold is told where it stands', async () => {
    const look = (search: string) => fetch(`${gateway.address}/api/v1/admin/tenants?${search}`)
    expect((await look('limit=%00')).status).toBe(422)
    expect((await look('limit=-1')).status).toBe(422)
    expect((await look("offset=1'; drop table users")).status).toBe(422)
    expect((await look('limit=1')).status).toBe(200)
  })
})
