/**
 * Each tool of each native connector against rows and against its vendor's own description:
 * (a) its requests are those of its rows; (b) the vendor's description accepts them; (c) a sampled answer fits and fills the output;
 * (d) answers without optional members survive; (e) failures have the right word; (f) pages are walked, a foreign next address costs the cursor.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { z } from 'zod'
import { afterAll, describe, expect, test } from 'vitest'
import {
  CONNECTORS,
  acceptsInput,
  callOf,
  definitionOf,
  scopesOf,
  templatesOf,
  type ApiRequest,
  type Failure,
  type Json,
  type Tool,
  type Vendor,
  type VendorAnswer,
} from '../../packages/connectors/src/index.ts'
import { isJson } from '../../packages/connectors/src/kit/shape.ts'
import type { Row, VendorRows } from '../../packages/connectors/src/kit/rows.ts'
import { ROWS } from '../../packages/connectors/src/rows.ts'
import { descriptionOf, descriptionsFolder } from './descriptions.ts'
import { answer, drive, sentOf, wireOf, type Answering, type Wire } from './drive.ts'
import { carries, hostilePage, nextPage } from './next-pages.ts'
import type { Description } from './openapi-description.ts'

/** All connectors by name, in the order of the alphabet. */
const LIST = [
  'bitbucket',
  'claude_code',
  'codex',
  'confluence',
  'copilot',
  'cursor',
  'discord',
  'excel',
  'github',
  'gitlab',
  'gmail',
  'google_docs',
  'google_sheets',
  'google_slides',
  'jira',
  'linear',
  'notion',
  'outlook',
  'powerpoint',
  'slack',
  'teams',
  'windsurf',
  'zoom',
]
/** Tools beside those of the list. */
const ADDED: ReadonlySet<string> = new Set(['gmail_get_attachment', 'slack_get_file'])
const CHECKS = ['rows', 'described', 'sampled', 'sparse', 'failures', 'pages'] as const
const passed = new Map<string, Map<(typeof CHECKS)[number], number>>()
const tokens = new Map<string, number>()
/** Bytes of thirty sampled items of each tool that lists. */
const thirty: number[] = []

const folder = descriptionsFolder()
if (folder === undefined)
  process.stderr.write(
    '\nSKIPPED: checks (b) and (c) of connectors, since the descriptions of vendors are not here (TOOLWAY_VENDORS).\n\n',
  )

const vendors = await Promise.all(
  Object.entries(CONNECTORS).map(async ([id, { load }]) => ({ id, vendor: await load(), rows: ROWS[id] })),
)

describe.each(vendors)('$id', ({ id, vendor, rows }) => {
  const tools = [...vendor.tools].map(([name, tool]) => ({ name, tool, short: name.slice(id.length + 1) }))
  const counts = new Map(CHECKS.map((check) => [check, 0]))
  passed.set(id, counts)
  const count = (check: (typeof CHECKS)[number]) => counts.set(check, (counts.get(check) ?? 0) + 1)
  const sum = tools.reduce((all, { name, tool }) => all + shown(definitionOf(name, tool)).length, 0)
  tokens.set(id, Math.round(sum / 4 / tools.length))

  test('has an address, and a key where the list of keys says so', () => {
    const bases = tools.flatMap(({ tool, short }) =>
      drive(tool, rows?.tools[short]?.[0]?.[0] ?? {}, () => answer({})).requests.map(({ base }) => base),
    )
    expect(bases.some((base) => base.startsWith(CONNECTORS[id]?.address ?? 'nowhere'))).toBe(true)
    expect('key' in vendor.auth).toBe(CONNECTORS[id]?.keyOnly === true)
  })

  test('has rows for each tool, and no others', () => {
    expect(Object.keys(rows?.tools ?? {}).toSorted()).toEqual(tools.map(({ short }) => short).toSorted())
  })

  test.skipIf(folder === undefined)('has the tools that the list of tools names', () => {
    const lines = readFileSync(join(folder ?? '', 'tools.tsv'), 'utf8').split('\n')
    const named = lines
      .map((line) => line.split('\t'))
      .flatMap(([of, name]) => (of === id && name !== undefined ? [name] : []))
    expect(new Set(tools.map(({ name }) => name).filter((name) => !ADDED.has(name)))).toEqual(new Set(named))
  })

  describe.each(tools)('$name', ({ tool, short }) => {
    if (rows === undefined) return
    const own = (rows.tools[short] ?? []).map(([input, ...sent]): Row => [{ ...rows.place, ...input }, ...sent])

    if (tool.unsupported !== undefined) {
      test('answers NOT_SUPPORTED with the reason', () => {
        const { failure, requests } = drive(tool, own[0]?.[0] ?? {}, () => answer({}))
        expect([failure?.word, failure?.message, requests]).toEqual(['NOT_SUPPORTED', tool.unsupported, []])
        for (const check of CHECKS) count(check)
      })
      return
    }

    test('(a) makes the requests of its rows', () => {
      expect(own.length).toBeGreaterThanOrEqual(hasChoice(tool, rows) ? 2 : 1)
      for (const [input, ...sent] of own)
        expect(
          drive(
            tool,
            input,
            replying(rows, () => answer({})),
          ).requests.map(sentOf),
        ).toEqual(sent)
      expect(unusedInputs(tool, own)).toEqual([])
      count('rows')
    })

    test.skipIf(folder === undefined)('(b) is accepted by the description', () => {
      const all = described(rows, vendor.whoami)
      for (const [input] of own)
        for (const request of drive(
          tool,
          input,
          replying(rows, () => answer({})),
        ).requests) {
          const wire = withKey(vendor, wireOf(request))
          const knowing = all.find((one) => one.knows(wire))
          const problems = knowing?.problems(wire) ?? [`no operation ${wire.method} ${wire.url.pathname}`]
          const known = new Set(rows.queries?.map((name) => `query ${name}: unknown`))
          expect(
            problems.filter(
              (problem) => !known.has(problem) && rows.undescribed?.[`${short}.${memberOf(problem)}`] === undefined,
            ),
          ).toEqual([])
        }
      count('described')
    })

    test.skipIf(folder === undefined)('(c) gives an output that fits, with every member filled', () => {
      const outputs = outputsOf(tool, own, rows, { short, all: true, whoami: vendor.whoami })
      for (const output of outputs) expect(tool.output.safeParse(output).error?.message).toBeUndefined()
      const [item] = outputs.flatMap((output) => (output?.['items'] as readonly unknown[] | undefined) ?? [])
      if (item !== undefined) thirty.push(JSON.stringify(item).length * 30)
      expect(
        unfilled(tool, outputs).filter((member) => rows.undescribed?.[`${short}.${member}`] === undefined),
      ).toEqual([])
      count('sampled')
    })

    test('(d) survives what is absent', () => {
      const bodies: unknown[] = [{}, [], null, undefined, [{}], { data: null }, { data: {} }]
      const given = bodies.map((body) => drive(tool, own[0]?.[0] ?? {}, () => answer(body)))
      if (rows.picks?.includes(short)) given.length = 0
      for (const { output, failure } of given) {
        expect(failure).toBeUndefined()
        expect(tool.output.safeParse(output).success).toBe(true)
      }
      if (folder !== undefined)
        for (const output of outputsOf(tool, own, rows, { short, all: false, whoami: vendor.whoami }))
          expect(tool.output.safeParse(output).error?.message).toBeUndefined()
      count('sparse')
    })

    test('(e) says what failed', () => {
      for (const [given, wanted] of [...COMMON, ...ofVendor(rows)]) {
        const { failure } = drive(tool, own[0]?.[0] ?? {}, () => given)
        expect(failure, JSON.stringify(given)).toMatchObject(wanted(tool))
        expect(JSON.stringify(failure)).not.toContain('s3cr3t')
        expect(failure?.message.length).toBeLessThan(510)
      }
      count('failures')
    })

    test('(f) walks two pages and leaves out the cursor of a foreign one', () => {
      const { paging } = tool
      if (paging !== undefined) {
        const [input = {}] = own[0] ?? []
        const base = drive(tool, input, () => answer({})).requests[0]?.base ?? ''
        const next = nextPage(paging, base)
        const first = drive(tool, input, () => next.answer)
        const cursor = first.output?.['next_cursor']
        expect(cursor).toBeTypeOf('string')
        const second = drive(tool, { ...input, cursor }, () => answer({}))
        expect(carries(second.requests[0]?.arguments, next.values)).toBe(true)
        expect(second.output?.['next_cursor']).toBeUndefined()
        const hostile = hostilePage(paging)
        if (hostile !== undefined)
          expect(drive(tool, input, () => hostile).output).toEqual({
            items: expect.any(Array),
            note: expect.any(String),
          })
        for (const forged of ['', 'x'.repeat(5_000), 'a\nb'])
          expect(drive(tool, { ...input, cursor: forged }, () => answer({})).failure?.word).toBe('INVALID_ARGUMENT')
      }
      count('pages')
    })

    test('says in short, plain words what it does', () => {
      expect(tool.description).toMatch(/^[A-Z].{10,200}\.$/)
      expect(scopesOf(vendor, tool)).toBeInstanceOf(Array)
    })
  })

  test('S3-CON-10: has a name, a title, a way of signing in, tools, resources and a call that tells whose account it is', () => {
    expect(vendor.id).toBe(id)
    expect(CONNECTORS[id]?.about).toMatch(/^[A-Z].{10,100}\.$/)
    for (const address of [CONNECTORS[id]?.address, CONNECTORS[id]?.docs]) expect(address).toMatch(/^https:\/\/[^\s]+$/)
    expect('key' in vendor.auth ? vendor.auth.key.name : vendor.auth.provider).toMatch(/^[\w-]+$/)
    expect(vendor.whoami.input.safeParse({}).success).toBe(true)
    expect(drive(vendor.whoami, {}, () => answer({}, { status: 401 })).failure?.word).toBe('NEEDS_AUTH')
    for (const template of templatesOf(vendor)) {
      const uriTemplate = String(template['uriTemplate'])
      const uri = uriTemplate.replaceAll(/\{\+?\w+\}/g, '7')
      const found = callOf(vendor, uri, acceptsInput)
      const tool = vendor.tools.get(found?.name ?? '')
      expect([uri, tool?.effect]).toEqual([uri, 'read'])
      expect(tool?.input.safeParse(found?.arguments).error?.message).toBeUndefined()
      expect(drive(tool as Tool, found?.arguments ?? {}, () => answer({})).requests).not.toEqual([])
      expect(callOf(vendor, `${uri}?x`, acceptsInput)).toBeUndefined()
    }
  })

  test('fails for requests that the description does not have', () => {
    if (folder === undefined || rows === undefined) return
    const all = described(rows, vendor.whoami)
    for (const { tool, short } of tools) {
      const least = { ...rows.place, ...rows.tools[short]?.[0]?.[0] }
      const [request] = drive(tool, least, () => answer({})).requests
      if (request === undefined) continue
      const wire = wireOf(request)
      if (rows.undescribed?.[`${short}.`] !== undefined && !all.some((one) => one.knows(wire))) continue
      const url = new URL(`${wire.url.href}${wire.url.search === '' ? '?' : '&'}bogus=1`)
      const body = isJson(wire.body) ? { ...wire.body, query: 'query { bogus { id } }' } : undefined
      const isGraphql = isJson(wire.body) && 'query' in wire.body && 'variables' in wire.body
      const wrong = isGraphql ? { ...wire, body } : { ...wire, url }
      const wrongBody =
        wire.body === undefined || isGraphql || rows.open?.includes(short) === true
          ? []
          : [{ ...wire, body: { ...(wire.body as Json), bogus: 1 } }]
      for (const one of [wrong, ...wrongBody])
        expect(
          all.flatMap((each) => (each.knows(one) ? each.problems(one) : [])),
          short,
        ).not.toEqual([])
    }
  })
})

test('S3-CON-01, S3-CON-02, U-21: there are the 358 tools of the 23 vendors of the list, and those added to it, each with all checks, in less than 150 tokens a tool', () => {
  const count = vendors.reduce((sum, { vendor }) => sum + vendor.tools.size, 0)
  expect([vendors.map(({ id }) => id).toSorted(), count]).toEqual([LIST, 358 + ADDED.size])
  for (const [id, counts] of passed) {
    const wanted = CHECKS.filter((check) => folder !== undefined || (check !== 'described' && check !== 'sampled'))
    const tools = vendors.find((one) => one.id === id)?.vendor.tools.size
    expect([id, ...wanted.map((check) => counts.get(check))]).toEqual([id, ...wanted.map(() => tools)])
  }
  for (const [id, each] of tokens) expect([id, each < 150]).toEqual([id, true])
})

test.skipIf(folder === undefined)('thirty items of a list stay under 4 kB, for half of the tools at least', () => {
  const sizes = thirty.toSorted((one, other) => one - other)
  expect(sizes.length).toBeGreaterThan(100)
  expect(sizes[sizes.length >> 1]).toBeLessThan(4_096)
})

test.each([
  ['S3-CON-03', { github: 24, gitlab: 22, bitbucket: 19 }],
  ['S3-CON-04', { jira: 20, linear: 18, confluence: 15 }],
  ['S3-CON-05', { slack: 11, discord: 15, teams: 13, zoom: 12 }],
  ['S3-CON-06', { gmail: 14, outlook: 14 }],
  ['S3-CON-07', { google_docs: 10, google_sheets: 14, google_slides: 11, notion: 10, excel: 14, powerpoint: 10 }],
  ['S3-CON-08', { copilot: 19, claude_code: 18, codex: 16, cursor: 18, windsurf: 11 }],
] as const)('%s: each of these has at least as many tools, all with rows', (_, least) => {
  for (const [id, number] of Object.entries(least)) {
    expect([id, (passed.get(id)?.get('rows') ?? 0) >= number]).toEqual([id, true])
  }
})

afterAll(() => {
  const lines = [...passed].map(([id, counts]) => {
    const all = vendors.find((one) => one.id === id)?.vendor.tools.size ?? 0
    return [
      id.padEnd(14),
      String(all).padStart(5),
      ...CHECKS.map((check) => String(counts.get(check)).padStart(10)),
      String(tokens.get(id)).padStart(8),
    ].join('')
  })
  process.stdout.write(
    `\n${'connector'.padEnd(14)}tools${CHECKS.map((check) => check.padStart(10)).join('')}  tokens\n${lines.join('\n')}\n`,
  )
})

/** The part of a definition that clients show to models. Four characters are counted as a token. */
const shown = ({ name, description, inputSchema }: Json): string => JSON.stringify({ name, description, inputSchema })

/** Without optional inputs the least and the fullest input are the same. */
const hasChoice = ({ input }: Tool, { place = {} }: VendorRows): boolean =>
  Object.entries(input.shape).some(
    ([name, one]) =>
      name !== 'cursor' && !Object.hasOwn(place, name) && (one as z.ZodType).safeParse(undefined).success,
  )

const memberOf = (problem: string): string => /^body \/(\S+)/.exec(problem)?.[1]?.replaceAll('/', '.') ?? ''

/** Inputs that no row gives: the fullest row has to have all of them. The cursor has a check of its own. */
function unusedInputs(tool: Tool, rows: readonly Row[]): readonly string[] {
  const given = new Set(rows.flatMap(([input]) => Object.keys(input)))
  return Object.keys(tool.input.shape).filter((name) => name !== 'cursor' && !given.has(name))
}

/** The executor adds a key that stands in the body. */
function withKey({ auth }: Vendor, wire: Wire): Wire {
  if (!('key' in auth) || auth.key.in !== 'body') return wire
  return { ...wire, body: { ...(wire.body as Json | undefined), [auth.key.name]: 'a-key' } }
}

const opened = new Map<string, Description>()
function described({ described: files }: VendorRows, whoami: Tool): readonly Description[] {
  const [request] = drive(whoami, {}, () => answer({})).requests
  const address = request === undefined ? '' : wireOf(request).url.href
  return files.map((file) => {
    const known = opened.get(file) ?? descriptionOf(folder ?? '', file, address)
    opened.set(file, known)
    return known
  })
}

interface Sampling {
  readonly short: string
  readonly all: boolean
  readonly whoami: Tool
}

/** An output for each row, from sampled answers, and for the answers that the rows give by hand. */
function outputsOf(
  tool: Tool,
  own: readonly Row[],
  rows: VendorRows,
  { short, all, whoami }: Sampling,
): readonly (Json | undefined)[] {
  const descriptions = described(rows, whoami)
  const headers = { 'x-oauth-scopes': 'repo, user' }
  const sampled = (rows.picks?.includes(short) ? [] : own).map(([input]) =>
    drive(
      tool,
      input,
      replying(rows, (request) => {
        const wire = wireOf(request)
        const body = descriptions.find((one) => one.knows(wire))?.answer(wire, all)
        return answer(without(body, [...(rows.without?.[short] ?? []), ...(rows.without?.['*'] ?? [])]), { headers })
      }),
    ),
  )
  const given = rows.answers?.[short] ?? []
  const byHand = given.map((run) => {
    const next = (_: unknown, index: number) => handed(run[index], headers)
    return drive(tool, own[0]?.[0] ?? {}, Object.assign(next, { signed: next }))
  })
  for (const { failure } of [...sampled, ...byHand]) expect(failure).toBeUndefined()
  return [...sampled, ...byHand].map(({ output }) => output)
}

/** Operations that the description leaves out answer as the rows say. */
const replying = ({ replies = {} }: VendorRows, others: (request: ApiRequest) => VendorAnswer): Answering =>
  Object.assign(
    (request: ApiRequest) => {
      const [line] = [sentOf(request)].flat()
      const reply = replies[String(line)]
      return reply === undefined ? others(request) : answer(reply)
    },
    { signed: () => answer('OK') },
  )

/** An answer by hand: its body, or `whole` with its status, headers and bytes. */
function handed(given: unknown, headers: VendorAnswer['headers']): VendorAnswer {
  if (!isJson(given) || !isJson(given['whole'])) return answer(given, { headers })
  return answer(undefined, given['whole'])
}

const without = (body: unknown, names: readonly string[]): unknown => {
  if (names.length === 0) return body
  const leave = (item: unknown) =>
    Object.fromEntries(Object.entries(item as Json).filter(([name]) => !names.includes(name)))
  return Array.isArray(body) ? body.map(leave) : isJson(body) ? leave(body) : body
}

/** Members of the output that no answer filled, as dotted names. */
function unfilled(tool: Tool, outputs: readonly (Json | undefined)[]): readonly string[] {
  const isList = tool.paging !== undefined || 'items' in tool.output.shape
  const wanted = Object.keys(isList ? itemShape(tool) : tool.output.shape)
  const found = outputs.flatMap((output) => (isList ? ((output?.['items'] ?? []) as Json[]) : [output ?? {}]))
  return wanted.filter((name) => !found.some((one) => Object.hasOwn(one, name)))
}

function itemShape(tool: Tool): Json {
  const { items } =
    definitionOf('', tool)['outputSchema'] === undefined
      ? {}
      : (((definitionOf('', tool)['outputSchema'] as Json)['properties'] as Json)['items'] as Json)
  return ((items as Json)['properties'] ?? {}) as Json
}

type Wanted = (tool: Tool) => Partial<Failure>
const html = { headers: { 'content-type': 'text/html; charset=utf-8', 'set-cookie': 's3cr3t' } }
const failing = (status: number, facts: Partial<VendorAnswer> = {}) => answer({ message: 'No.' }, { status, ...facts })
const fixed =
  (failure: Partial<Failure>): Wanted =>
  () =>
    failure
const ifRead: (word: Failure['word']) => Wanted = (word) => (tool) => ({ word, retryable: tool.effect === 'read' })

const COMMON: readonly (readonly [VendorAnswer, Wanted])[] = [
  [failing(401), fixed({ word: 'NEEDS_AUTH', retryable: false })],
  [failing(403), fixed({ word: 'PERMISSION_DENIED', retryable: false })],
  [failing(404), fixed({ word: 'NOT_FOUND', retryable: false })],
  [failing(409), fixed({ word: 'EXECUTION_ERROR', retryable: false })],
  [failing(422), fixed({ word: 'INVALID_ARGUMENT', retryable: false })],
  [failing(429, { headers: { 'retry-after': '7' } }), fixed({ word: 'RATE_LIMITED', retryable: true, retryAfter: 7 })],
  [
    failing(429, { headers: { 'retry-after': 'Mon, 23 Nov 2026 12:00:30 GMT' } }),
    fixed({ word: 'RATE_LIMITED', retryAfter: 30 }),
  ],
  [failing(500), ifRead('UNAVAILABLE')],
  [failing(504), ifRead('TIMEOUT')],
  [answer('<html><p>Sign in s3cr3t</p></html>', { status: 502, ...html }), ifRead('UNAVAILABLE')],
  [answer('<html><p>Sign in s3cr3t</p></html>', html), fixed({ word: 'EXECUTION_ERROR', retryable: false })],
]

const ofVendor = ({ failures }: VendorRows): typeof COMMON =>
  failures.map(({ status, headers = {}, body, word, retryAfter }) => [
    answer(body, { status, headers }),
    fixed({ word, ...(retryAfter === undefined ? {} : { retryAfter }) }),
  ])
