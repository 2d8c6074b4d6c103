import type { ConnectionId, OrganizationId, Rule } from '@toolway/contract'
import type { JsonObject } from '@toolway/protocol'
import { describe, expect, test } from 'vitest'
import { OPERATOR } from '../../identity/principal.ts'
import type { StoredResult, ResultOwner } from '../../results/result-store.ts'
import type { ToolListing } from '../../catalog/tool-listing.ts'
import { shapeResult, shapeTask } from './shape-result.ts'
import type { ShapeParts, Shaping } from './shaping.ts'

type Result = NonNullable<Rule<'size'>['parameters']['result']>
const rule = (result: Result, id = 'rul_1'): Rule<'size'> => ({
  id,
  name: id,
  scope: 'organization',
  of: undefined,
  match: { tools: ['*'] },
  reason: 'r',
  state: 'on',
  action: 'size',
  parameters: { result },
})
const CALLER = { revision: '2026-07-28' } as const

function place(limit = 100_000, sizes: Rule<'size'>[] = []) {
  const kept: StoredResult[] = []
  const requestContext: Shaping = {
    organizationId: 'org_1' as OrganizationId,
    principal: OPERATOR,
    owner: 'o',
    toolListing: { readResult: 'read_result', sizes: () => sizes } as Partial<ToolListing> as ToolListing,
  }
  const parts: ShapeParts = {
    resultLimit: limit,
    fileFrom: 5_242_880,
    results: {
      seconds: 600,
      keep: async (_: ResultOwner, result: StoredResult) => `res_${kept.push(result)}` as never,
      find: async () => undefined,
    },
  }
  return {
    kept,
    parts,
    requestContext,
    shape: async (result: JsonObject, ...rules: Result[]) =>
      shapeResult(
        parts,
        requestContext,
        result,
        rules.map((one, at) => rule(one, `rul_${at}`)),
        CALLER,
      ),
  }
}

const orders = (length: number) =>
  Array.from({ length }, (_, id) => ({ id, customer: { name: `n${id}`, email: 'ada@example.com' }, tags: ['a', 'b'] }))
const both = (structuredContent: JsonObject): JsonObject => ({
  content: [{ type: 'text', text: JSON.stringify(structuredContent) }],
  structuredContent,
})
const textsOf = ({ content }: JsonObject) => (content as { text?: string }[]).map(({ text }) => text ?? '')
const reportOf = (result: JsonObject) => (result['_meta'] as JsonObject)['dev.toolway/budget'] as JsonObject

describe('a result', () => {
  test('has nothing readable in the envelopes of ours either: of older clients, and of what does not fit its contract', async () => {
    const rows = [{ id: 1, email: 'ada@example.com' }]
    const unfit = { 'dev.toolway/unfit': { problems: ['/0 is odd'], value: rows } }
    for (const structuredContent of [{ result: rows }, unfit, { result: unfit }] as JsonObject[]) {
      const result = await place().shape({ ...both({}), structuredContent }, { redact: ['*.email'] })
      expect(JSON.stringify(result)).not.toContain('ada@')
      expect(JSON.stringify(result['structuredContent'])).toContain('"id":1,"email":"[redacted]"')
    }
  })

  test('that fits goes on as the very same object, and nothing is kept', async () => {
    const { shape, kept } = place()
    const result = both({ orders: orders(3) })
    expect(await shape(result)).toBe(result)
    expect(await shape(result, { rows: 10, fields: ['orders'], redact: ['phone'], text: 50_000 })).toBe(result)
    expect(kept).toEqual([])
  })

  test('keeps only the members that are asked for, in structured content and in the text that says the same', async () => {
    const { shape, kept } = place()
    const whole = { orders: orders(2), total: 2 }
    const result = await shape(both(whole), { fields: ['orders.*.id', 'orders.*.customer.name'] })
    const expected = {
      orders: [
        { id: 0, customer: { name: 'n0' } },
        { id: 1, customer: { name: 'n1' } },
      ],
    }
    expect(result['structuredContent']).toEqual(expected)
    expect(JSON.parse(textsOf(result)[0] ?? '')).toEqual(expected)
    expect(textsOf(result)[1]).toContain('some members')
    expect(kept.map(({ text }) => JSON.parse(text) as unknown)).toEqual([whole])
  })

  test('has no more rows than are allowed, and says how many there were', async () => {
    const { shape, kept } = place()
    const result = await shape(both({ orders: orders(500) }), { rows: 20 })
    expect((result['structuredContent'] as { orders: unknown[] }).orders).toHaveLength(20)
    expect(textsOf(result)[1]).toMatch(/20 of 500 are shown.*read_result.*res_1.*toolway:\/\/results\/res_1/)
    const report = reportOf(result)
    expect(report).toMatchObject({ cut: ['rows'], rows: { shown: 20, of: 500 }, result: 'toolway://results/res_1' })
    const { before, after } = report['bytes'] as { before: number; after: number }
    expect(before).toBeGreaterThan(after)
    expect(report['tokens_saved']).toBe(Math.round((before - after) / 4))
    expect(kept[0]?.mime).toBe('application/json')
  })

  test('is under the strictest of all rules, and never above the limit of the installation', async () => {
    const { shape } = place(10_000)
    const long = { content: [{ type: 'text', text: 'x'.repeat(50_000) }] }
    const sizeOf = async (...rules: Result[]) => Buffer.byteLength(textsOf(await shape(long, ...rules)).join(''))
    expect(await sizeOf({ text: 5_000 }, { text: 2_000 })).toBeLessThanOrEqual(2_000)
    expect(await sizeOf({ text: 60_000 })).toBeLessThanOrEqual(10_000)
    const cut = await shape(
      both({ orders: orders(50) }),
      { rows: 30 },
      { rows: 5 },
      { fields: ['orders.*.id'] },
      { fields: ['orders'] },
    )
    expect(cut['structuredContent']).toEqual({ orders: [0, 1, 2, 3, 4].map((id) => ({ id })) })
  })

  test('has structured content within the text that a rule allows, too, by fewer rows', async () => {
    const { shape } = place()
    const result = await shape(both({ orders: orders(400) }), { text: 4_000 })
    expect(Buffer.byteLength(JSON.stringify(result['structuredContent']))).toBeLessThanOrEqual(4_000)
    expect((result['structuredContent'] as { orders: unknown[] }).orders.length).toBeGreaterThan(10)
  })

  test('does not say what is redacted, in no form, and it is not kept', async () => {
    const { shape, kept } = place()
    const structured = { orders: orders(40), contact: 'ada@example.com' }
    const others = [
      both(structured),
      { content: [{ type: 'text', text: '| id | ada@example.com |' }], structuredContent: structured },
      { content: [{ type: 'text', text: JSON.stringify(structured) }] },
      { content: [{ type: 'resource', resource: { uri: 'a:b', text: JSON.stringify(structured) } }] },
      { ...both(structured), isError: true },
    ]
    for (const result of others) {
      const told = await shape(result, { redact: ['orders.email', 'orders.customer.email', 'contact'], rows: 3 })
      expect(JSON.stringify(told)).not.toContain('ada@example.com')
      expect(JSON.stringify(told)).toContain('[redacted]')
    }
    expect(kept.length).toBeGreaterThan(2)
    expect(JSON.stringify(kept)).not.toContain('ada@example.com')
  })

  test('is redacted within what it is wrapped in, for its client or for not being as its contract says', async () => {
    const { shape } = place()
    const list = orders(2)
    const wrapped: JsonObject[] = [
      { result: list },
      { 'dev.toolway/unfit': { problems: ['/0/id is required'], value: list } },
      { result: { 'dev.toolway/unfit': { problems: ['/0/id is required'], value: { orders: list } } } },
    ]
    for (const structuredContent of wrapped) {
      const redact = ['customer.email', 'orders.*.customer.email']
      const told = await shape({ content: [], structuredContent }, { redact })
      expect(JSON.stringify(told)).not.toContain('ada@example.com')
      expect(JSON.stringify(told)).toContain('n1')
    }
    const chosen = await shape({ content: [], structuredContent: { result: list } }, { fields: ['*.id'] })
    expect(chosen['structuredContent']).toEqual({ result: [{ id: 0 }, { id: 1 }] })
  })

  test('does not say in other words what is redacted, also where a revision has no structured content', async () => {
    const { shape } = place()
    const texts = ['Ada has the address ada@example.com', JSON.stringify({ orders: orders(1) })]
    const told = await shape(
      { content: texts.map((text) => ({ type: 'text', text })) },
      { redact: ['orders.customer.email'] },
    )
    expect(JSON.stringify(told)).not.toContain('ada@example.com')
  })

  test('that is an error is not narrowed: what is wrong is to be read', async () => {
    const { shape } = place()
    const failed = { ...both({ problem: 'no such order', rows: orders(9) }), isError: true }
    expect(await shape(failed, { fields: ['orders'], rows: 1 })).toBe(failed)
  })

  test('is whole but for the notice where there is no room to keep the rest', async () => {
    const { parts, requestContext } = place()
    const full = {
      ...parts,
      results: { ...parts.results, seconds: 60, find: async () => undefined, keep: async () => undefined },
    }
    const result = await shapeResult(full, requestContext, both({ orders: orders(50) }), [rule({ rows: 2 })], CALLER)
    expect(textsOf(result)[1]).toContain('2 of 50 are shown. Request less')
    expect(JSON.stringify(result)).not.toContain('toolway://')
  })

  test("links to the rest where the client's revision knows links, and says it in words to all", async () => {
    const { parts, requestContext } = place()
    for (const [revision, links] of [
      ['2024-11-05', 0],
      ['2025-03-26', 0],
      ['2025-06-18', 1],
      ['2026-07-28', 1],
    ] as const) {
      const result = await shapeResult(parts, requestContext, both({ orders: orders(50) }), [rule({ rows: 2 })], {
        revision,
      })
      expect((result['content'] as JsonObject[]).filter(({ type }) => type === 'resource_link')).toHaveLength(links)
      expect(textsOf(result)[1]).toContain('toolway://results/')
    }
  })

  test('of a task has the budget of all tools of its connection, in either form', async () => {
    const { parts, requestContext } = place(100_000, [rule({ rows: 2, redact: ['orders.customer'] })])
    const inner = both({ orders: orders(9) })
    const connection = 'con_1' as ConnectionId
    const ended = await shapeTask(
      parts,
      requestContext,
      connection,
      { taskId: 't', status: 'completed', result: inner },
      CALLER,
    )
    const alone = await shapeTask(parts, requestContext, connection, inner, CALLER)
    for (const result of [ended['result'] as JsonObject, alone]) {
      expect(result['structuredContent']).toMatchObject({ orders: [{ customer: '[redacted]' }, { id: 1 }] })
      expect(JSON.stringify(result)).not.toContain('ada@')
    }
    const idle = { taskId: 't', status: 'working' }
    expect(await shapeTask(place().parts, place().requestContext, connection, idle, CALLER)).toBe(idle)
  })
})
