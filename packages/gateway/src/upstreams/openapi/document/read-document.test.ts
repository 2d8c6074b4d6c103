// @module-tag long
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { JsonObject } from '@toolway/protocol'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DOCUMENTS, documentText } from '../../../testing/openapi-documents.ts'
import { LIMITS } from './limits.ts'
import { DocumentProblem } from './parse-document.ts'
import { readApart, toolsOf, type ReadFor } from './read-apart.ts'
import { readDocument, type Reading, type ReadingOptions } from './read-document.ts'
import {
  described,
  LEFT_OUT_OPERATIONS,
  LEFT_OUT_PATHS,
  LEFT_OUT_REFERENCES,
  operation,
  OTHER_FILE,
  READ_DOCUMENTS,
  REFUSED_DOCUMENTS,
} from '../../../../../../test/wild/rows/documents.ts'
import { runs, within } from '../../../../../../test/setup/form.ts'

// oxlint-disable-next-line typescript/no-explicit-any -- each test says what it expects of it
type Tool = Record<string, any>

const ALL: ReadingOptions = { select: { exclude: [] }, effects: {} }
const read = (document: unknown, options: Partial<ReadingOptions> = {}) =>
  readDocument(typeof document === 'string' ? document : JSON.stringify(document), { ...ALL, ...options })

const toolOf = ({ tools }: Reading, name = 'one') => tools.find((tool) => tool['name'] === name) as Tool

describe("vendors' published documents", () => {
  test.each([
    ['github', '3.0.3', 1222, 1],
    ['notion', '3.1.0', 24, 0],
    ['slack', '3.0.0', 174, 0],
    ['gmail', '3.0.0', 73, 6],
    ['jira', '3.0.1', 499, 0],
    ['petstore-2', '2.0', 20, 0],
    ['petstore-2-yaml', '2.0', 20, 0],
    ['styles', '3.1.0', 25, 0],
  ] as const)('%s: each operation is a tool, or says why it is none', (name, format, tools, leftOut) => {
    const reading = read(documentText(name))
    expect({ format: reading.format, tools: reading.tools.length, leftOut: reading.leftOut.length }).toEqual({
      format,
      tools,
      leftOut,
    })
    for (const { reason } of reading.leftOut) expect(reason).toMatch(/^\w.{5,}/)
  })

  test.each(DOCUMENTS)(
    '%s: its tools have names that clients take and schemas that compile, within their sizes',
    (name) => {
      const { tools, plan, operations } = read(documentText(name))
      const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: false, logger: false })
      const names = new Set<unknown>()
      for (const tool of tools as Tool[]) {
        expect(tool['name']).toMatch(/^[A-Za-z0-9_-]{1,64}$/)
        names.add(tool['name'])
        const input = tool['inputSchema'] as { type: string; properties: object }
        expect(input.type).toBe('object')
        for (const key of Object.keys(input.properties)) expect(key).toMatch(/^[A-Za-z0-9_.-]{1,64}$/)
        expect(JSON.stringify(input).length).toBeLessThanOrEqual(LIMITS.input)
        expect(JSON.stringify(input)).not.toMatch(/"\$ref":|"nullable":|"x-/)
        expect(JSON.stringify(tool['outputSchema'] ?? {}).length).toBeLessThanOrEqual(LIMITS.output)
      }
      for (const tool of tools.filter((_, at) => at % 10 === 0)) {
        ajv.compile(tool['inputSchema'] as object)
        if (tool['outputSchema'] !== undefined) ajv.compile(tool['outputSchema'] as object)
      }
      expect(names.size).toBe(tools.length)
      expect(plan.map((one) => one.name)).toEqual(operations.map((one) => one.name))
      expect(JSON.stringify(tools).length).toBeLessThan(LIMITS.list)
    },
  )

  test('YAML and JSON of the same document are the same tools', () => {
    expect(read(documentText('petstore-2-yaml')).tools).toEqual(read(documentText('petstore-2')).tools)
  })

  test('what a tool of GitHub takes, gives and does is said as people know it', () => {
    const { tools, plan } = read(documentText('github'))
    const create = tools.find((tool) => tool['name'] === 'issues_create') as Tool
    expect(create).toMatchObject({
      title: 'Create an issue',
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
      _meta: { 'dev.toolway/category': 'issues', 'dev.toolway/operation': 'POST /repos/{owner}/{repo}/issues' },
      inputSchema: { required: ['owner', 'repo', 'title'], additionalProperties: false },
    })
    expect(Object.keys(create['inputSchema'].properties)).toEqual(
      expect.arrayContaining(['owner', 'repo', 'title', 'body', 'labels', 'assignees']),
    )
    expect(plan.find(({ name }) => name === 'issues_create')?.body).toMatchObject({ kind: 'json', required: true })
    const remove = tools.find((tool) => tool['name'] === 'repos_delete') as Tool
    expect(remove['annotations']).toMatchObject({ destructiveHint: true, idempotentHint: true })
  })

  test('a token that a document lists among the parameters is no argument', () => {
    const { tools } = read(documentText('slack'))
    const post = tools.find((tool) => tool['name'] === 'chat_postMessage') as Tool
    expect(Object.keys(post['inputSchema'].properties)).toContain('channel')
    expect(Object.keys(post['inputSchema'].properties)).not.toContain('token')
  })
})

/** Nine kilobytes that unfold into as much as one document may have. */
function heavyDocument(): string {
  const levels = Array.from({ length: 60 }, (_, at) => {
    const next = { $ref: `#/components/schemas/L${at + 1}` }
    return [`L${at}`, at === 59 ? { type: 'string' } : { type: 'object', properties: { a: next, b: next } }]
  })
  const post = (at: number) =>
    operation({
      operationId: `heavy_${at}`,
      requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/L0' } } } },
    })
  const paths = Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`/p${at}`, { post: post(at) }]))
  return JSON.stringify(described(paths, { components: { schemas: Object.fromEntries(levels) } }))
}

describe('heavy documents of one organization', () => {
  test('keep neither the document of another one waiting nor a connection that is loaded', async () => {
    const ended: string[] = []
    const leaving = new AbortController()
    const [heavy, small] = [heavyDocument(), JSON.stringify(described({ '/one': { get: operation() } }))]
    const look = (name: string, text: string, whose: Omit<ReadFor, 'lane'>) =>
      readApart(text, ALL, { ...whose, lane: 'look' }).then(
        () => void ended.push(name),
        ({ code }: { code: string }) => void ended.push(`${name}: ${code}`),
      )
    const theirs = Array.from({ length: 20 }, () => look('heavy', heavy, { share: 'org_1', signal: leaving.signal }))
    const loaded = readApart(small, ALL, { share: 'org_1', lane: 'load' }).then(() => void ended.push('loaded'))
    await Promise.all([look('small', small, { share: 'org_2' }), loaded])
    leaving.abort()
    await Promise.all(theirs)
    const count = (word: string) => ended.filter((one) => one === word).length
    expect(count('heavy: gateway.not-ready')).toBe(15)
    expect(count('heavy')).toBeLessThanOrEqual(1)
    expect(count('heavy') + count('heavy: call.cancelled')).toBe(5)
    expect([count('small'), count('loaded')]).toEqual([1, 1])
  })
})

describe('the largest document', () => {
  test('is read apart, while this thread goes on', async () => {
    let turns = 0
    const watch = setInterval(() => turns++, 5)
    const reading = await readApart(documentText('github'), ALL, { share: 'org_1', lane: 'look' })
    clearInterval(watch)
    expect(await toolsOf(reading)).toHaveLength(1222)
    // A thread that read it itself would have none.
    expect(turns).toBeGreaterThan(10)
  })
})

describe('arguments', () => {
  test('parameters and body stand side by side; who has the same name gets another', () => {
    const reading = read(
      described({
        '/things/{id}': {
          parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
          post: operation({
            parameters: [
              { name: 'filter[name]', in: 'query', schema: { type: 'string' } },
              { name: 'id', in: 'header', schema: { type: 'integer' } },
            ],
            requestBody: {
              required: true,
              content: {
                'application/json': {
                  schema: {
                    type: 'object',
                    required: ['id', 'size', 'made'],
                    properties: {
                      id: { type: 'string' },
                      size: { type: 'integer', nullable: true, minimum: 0, exclusiveMinimum: true },
                      made: { type: 'string', readOnly: true },
                    },
                  },
                },
              },
            },
          }),
        },
      }),
    )
    expect(toolOf(reading)['inputSchema']).toEqual({
      type: 'object',
      properties: {
        id: { type: 'string' },
        filter_name: { type: 'string' },
        header_id: { type: 'integer' },
        body_id: { type: 'string' },
        size: { type: ['integer', 'null'], exclusiveMinimum: 0 },
      },
      required: ['id', 'body_id', 'size'],
      additionalProperties: false,
    })
  })

  test.each([
    ['a list', { type: 'array', items: { type: 'string' } }],
    ['alternatives', { oneOf: [{ type: 'object', properties: { a: {} } }, { type: 'string' }] }],
    ["an object with names of the caller's choosing", { type: 'object', additionalProperties: { type: 'string' } }],
  ])('a body that is %s is one argument', (_, schema) => {
    const body = { required: true, content: { 'application/json': { schema } } }
    const { inputSchema } = toolOf(read(described({ '/a': { post: operation({ requestBody: body }) } })))
    expect(Object.keys(inputSchema.properties)).toEqual(['body'])
    expect(inputSchema.required).toEqual(['body'])
  })

  test('a schema that contains itself is cut there, and says so', () => {
    const schemas = {
      Node: { type: 'object', properties: { next: { $ref: '#/components/schemas/Node' }, name: { type: 'string' } } },
    }
    const body = { content: { 'application/json': { schema: { $ref: '#/components/schemas/Node' } } } }
    const reading = read(described({ '/a': { post: operation({ requestBody: body }) } }, { components: { schemas } }))
    expect(toolOf(reading)['inputSchema'].properties).toEqual({ next: {}, name: { type: 'string' } })
    expect(reading.operations[0]?.notes).toEqual(['its schema contains itself, and is truncated there'])
  })
})

describe('the version of a document', () => {
  test.each([
    ['3.2.0', '3.2.0'],
    [3.1, '3.1'],
    [3, '3.0'],
    ['3.0.3', '3.0.3'],
  ])('%j is read as it was meant', (openapi, format) => {
    const reading = read({ ...described({ '/a': { get: operation() } }), openapi })
    expect([reading.format, reading.tools.length]).toEqual([format, 1])
  })

  test.each([['4.0.0'], ['2.0'], [null]])('%j is refused by name', (openapi) => {
    expect(() => read({ ...described({}), openapi })).toThrow(/3\.2 are supported|neither/)
  })

  test('3.2 has methods and places that are told', () => {
    const parameters = [{ name: 'q', in: 'querystring', content: { 'application/json': {} } }]
    const reading = read({
      ...described({ '/a': { query: operation(), get: operation({ operationId: 'two', parameters }) } }),
      openapi: '3.2.0',
    })
    expect(reading.leftOut.map(({ reason }) => reason)).toEqual(['uses QUERY, which is not a call'])
    expect(reading.operations[0]?.notes).toEqual([
      'the parameter "q" in the querystring is left out, since it cannot be sent',
    ])
  })

  test('YAML that breaks off is refused, and not read up to there', () => {
    expect(() => read('openapi: 3.0.3\npaths:\n  /a: { get: [')).toThrow('it is neither JSON nor YAML')
  })
})

describe('what is left out', () => {
  test.each(LEFT_OUT_OPERATIONS)('says why: %s', (reason, item) => {
    const { leftOut, tools } = read(described({ '/a': item }))
    expect(tools).toEqual([])
    expect(leftOut.map((one) => one.reason)).toEqual([expect.stringContaining(reason)])
  })

  test.each(LEFT_OUT_PATHS)('a path like %s has no tool', (path, words) => {
    const { leftOut } = read(described({ [path]: { get: operation() } }))
    expect(leftOut.map(({ reason }) => reason)).toEqual([expect.stringContaining(words)])
  })

  test('a parameter of the path that is not described is a string, and a fragment of a path is not sent', () => {
    const { plan, operations, tools } = read(described({ '/a/{id}#copy': { get: operation() } }))
    expect(tools[0]?.['inputSchema']).toMatchObject({ properties: { id: { type: 'string' } }, required: ['id'] })
    expect(plan[0]).toMatchObject({ path: '/a/{id}', placed: [{ argument: 'id', name: 'id', in: 'path' }] })
    expect(operations[0]?.notes).toEqual(['"id" in its path is not described: it is taken as a string'])
  })

  test('a query in a path goes with every call, and its parameter is no argument', () => {
    const parameters = ['beta', 'page'].map((name) => ({ name, in: 'query', required: true, schema: {} }))
    const { plan, tools } = read(described({ '/a?beta=true': { get: operation({ parameters }) } }))
    expect(plan[0]).toMatchObject({ path: '/a', query: 'beta=true', placed: [{ name: 'page' }] })
    expect(tools[0]?.['_meta']).toMatchObject({ 'dev.toolway/operation': 'GET /a?beta=true' })
  })

  test('a credential in a path is none of the caller', () => {
    const parameters = [{ name: 'token', in: 'path', required: true, description: 'your access token', schema: {} }]
    expect(read(described({ '/bot{token}/a': { get: operation({ parameters }) } })).leftOut[0]?.reason).toBe(
      'requires the credential "token" in its path, where no connection sends one',
    )
  })

  test.each([
    ['without fields', { type: 'object', properties: {} }, []],
    ['of any fields', { type: 'object' }, ['its form is left out, since its fields are not described']],
  ])('a form %s that need not be sent is not', (_, schema, notes) => {
    const requestBody = { content: { 'application/x-www-form-urlencoded': { schema } } }
    const { plan, operations } = read(described({ '/a': { post: operation({ requestBody }) } }))
    expect(plan[0]?.body).toBeUndefined()
    expect(operations[0]?.notes).toEqual(notes)
  })

  test('an answer that unfolds without end takes nothing from the operations after it', () => {
    const schemas = Object.fromEntries(
      Array.from({ length: 40 }, (_, at) => {
        const next = { $ref: `#/components/schemas/S${(at + 1) % 40}` }
        return [
          `S${at}`,
          { type: 'object', properties: Object.fromEntries('abcdefghij'.split('').map((n) => [n, next])) },
        ]
      }),
    )
    const responses = {
      200: { description: 'ok', content: { 'application/json': { schema: { $ref: '#/components/schemas/S0' } } } },
    }
    const requestBody = { content: { 'application/json': { schema: { $ref: '#/components/schemas/S0' } } } }
    const paths = Object.fromEntries(
      Array.from({ length: 1_000 }, (_, at) => [
        `/p${at}`,
        { post: operation({ operationId: `o${at}`, responses, requestBody }) },
      ]),
    )
    const { tools, leftOut } = read(described(paths, { components: { schemas } }))
    expect([tools.length, leftOut.length]).toEqual([1_000, 0])
    expect(tools.at(-1)?.['outputSchema']).toMatchObject({ type: 'object' })
  })

  test('files that need not be there are left out of a form, and a note says so', () => {
    const body = {
      content: {
        'multipart/form-data': {
          schema: {
            type: 'object',
            properties: { name: { type: 'string' }, file: { type: 'string', format: 'binary' } },
          },
        },
      },
    }
    const reading = read(described({ '/a': { post: operation({ requestBody: body }) } }))
    expect(Object.keys(toolOf(reading)['inputSchema'].properties)).toEqual(['name'])
    expect(reading.operations[0]?.notes).toEqual(['files are left out: file'])
  })

  test('a selection takes by tag, method, path and name, and effects are said by the same words', () => {
    const paths = {
      '/orders': {
        get: operation({ operationId: 'orders/list', tags: ['orders'] }),
        post: operation({ operationId: 'orders/search', tags: ['orders'] }),
      },
      '/users': {
        get: operation({ operationId: 'users/list', tags: ['users'] }),
        delete: operation({ operationId: 'users/purge', tags: ['users'] }),
      },
    }
    const names = (select: ReadingOptions['select']) =>
      read(described(paths), { select }).operations.map(({ name }) => name)
    expect(names({ include: ['tag:orders'], exclude: [] })).toEqual(['orders_list', 'orders_search'])
    expect(names({ include: ['path:/u*'], exclude: ['method:delete'] })).toEqual(['users_list'])
    expect(names({ include: ['*/list'], exclude: [] })).toEqual(['orders_list', 'users_list'])
    expect(read(described(paths), { select: { include: ['tag:none'], exclude: [] } }).unselected).toBe(4)
    const { operations } = read(described(paths), { effects: { 'tag:orders': 'read', 'orders/search': 'destructive' } })
    expect(operations.map(({ effect }) => effect)).toEqual(['read', 'destructive', 'read', 'destructive'])
  })

  test('names do not depend on the order of a document', () => {
    const paths = {
      '/a': { get: operation({ operationId: 'a b' }) },
      '/b': { get: operation({ operationId: 'a-b' }) },
      '/c': { get: operation({ operationId: 'a_b' }) },
    }
    const turned = Object.fromEntries(Object.entries(paths).reverse())
    const named = (given: JsonObject) =>
      new Map(read(described(given)).operations.map(({ path, name }) => [path, name]))
    expect(Object.fromEntries(named(turned))).toEqual(Object.fromEntries(named(paths)))
    expect(new Set(named(paths).values()).size).toBe(3)
  })
})

test.each(READ_DOCUMENTS)('a document with %s is read, and what it lacks is told', (_, document, words) => {
  const { tools, operations, leftOut } = read(document)
  expect(tools.length).toBeGreaterThan(0)
  expect(leftOut).toEqual([])
  expect(operations.flatMap(({ notes }) => notes)).toEqual(words === '' ? [] : [words])
})

describe('a reference to another file', () => {
  test.each(LEFT_OUT_REFERENCES)('leaves %s out, and says why', (_, item, words) => {
    const { tools, leftOut } = read(described({ '/a': item }, { components: OTHER_FILE }))
    expect(tools).toEqual([])
    expect(leftOut.map(({ reason }) => reason)).toEqual([expect.stringContaining(words)])
  })

  const split = described({
    '/v2/things': {
      get: { $ref: 'resources/list_things.yml' },
      post: { $ref: 'x.yml' },
      delete: { $ref: 'resources/delete_things.yml#/delete' },
      put: operation({ operationId: 'kept' }),
    },
    '/v2/things/{id}': { $ref: 'things.yml' },
    '/a': { get: operation({ operationId: 'param', parameters: [{ $ref: 'p.yml#/id' }] }) },
    '/b': { post: operation({ operationId: 'body', requestBody: { $ref: 'b.yml' } }) },
    '/c': { post: operation({ operationId: 'gone', requestBody: { $ref: '#/components/requestBodies/none' } }) },
    '/d': { post: { $ref: '#/components/operations/inner' } },
    '/e': { get: { $ref: '#/components/operations/outer' } },
  })
  const reading = read({
    ...split,
    components: {
      operations: {
        inner: operation({ operationId: 'inner', parameters: [{ name: 'q', in: 'query' }] }),
        outer: { $ref: 'o.yml' },
      },
    },
  })
  const reasonOf = (place: string) => reading.leftOut.find(({ method, path }) => `${method} ${path}` === place)?.reason

  test('leaves out what is described there, by the name of the file, and never makes a tool without arguments of it', () => {
    expect(reading.tools.map((tool) => tool['name'])).toEqual(['kept', 'inner'])
    expect(reasonOf('POST /v2/things')).toBe('is in another file, "x.yml": bundle the document into one file')
    expect(reasonOf('GET /v2/things')).toContain('"resources/list_things.yml"')
    expect(reasonOf('DELETE /v2/things')).toContain('"resources/delete_things.yml"')
    expect(reasonOf('* /v2/things/{id}')).toContain('"things.yml"')
    expect(reasonOf('GET /a')).toBe(
      'has a parameter that is in another file, "p.yml": bundle the document into one file',
    )
    expect(reasonOf('POST /b')).toContain('has a body that is in another file, "b.yml"')
    expect(reasonOf('POST /c')).toBe(
      'has a body that is described at #/components/requestBodies/none, which is not in the document',
    )
    expect(reasonOf('GET /e')).toContain('"o.yml"')
  })

  test('is told once for the whole document, with the advice to bundle it', () => {
    expect(reading.notes).toEqual([
      'It refers to 7 other files, which did not come along (things.yml, resources/list_things.yml, x.yml, …): bundle the document into one file.',
    ])
    expect(read(described({ '/a': { get: operation() } })).notes).toEqual([])
  })

  test('of an example or a member of another tool is none that is missed', () => {
    const properties = { example: { $ref: 'property.yml' }, a: { type: 'string', example: { $ref: 'a.yml' } } }
    const schema = { type: 'object', properties, examples: [{ $ref: 'b.yml' }] }
    const requestBody = { content: { 'application/json': { schema, examples: { x: { $ref: 'c.json' } } } } }
    const { notes } = read(described({ '/a': { post: operation({ requestBody, 'x-code': { $ref: 'd.ts' } }) } }))
    expect(notes).toEqual([
      expect.stringContaining('It refers to another file, which did not come along (property.yml)'),
    ])
  })

  test('of an operation within the document is followed', () => {
    expect(toolOf(reading, 'inner')['inputSchema'].properties).toEqual({ q: {} })
  })
})

describe('a document that means ill', () => {
  test('sets nothing that all objects inherit', () => {
    const inherited = read(
      '{"openapi":"3.0.0","paths":{"/constructor":{"get":{"operationId":"constructor"}},"/a":{"$ref":"#/__proto__/x"}}}',
    )
    expect(inherited.tools.map((tool) => tool['name'])).toEqual(['constructor'])
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
  })

  test.each(REFUSED_DOCUMENTS)('with %s is refused in words', (_, text, words) => {
    expect(() => read(text)).toThrow(DocumentProblem)
    expect(() => read(text)).toThrow(words)
  })

  test('schemas that unfold into millions are cut, in time', () => {
    const schemas: Record<string, JsonObject> = { S0: { type: 'string' } }
    for (let at = 1; at < 40; at++) {
      const ref = { $ref: `#/components/schemas/S${at - 1}` }
      schemas[`S${at}`] = { type: 'object', properties: { a: ref, b: ref, c: ref } }
    }
    const body = { content: { 'application/json': { schema: { $ref: '#/components/schemas/S39' } } } }
    const began = performance.now()
    const reading = read(described({ '/a': { post: operation({ requestBody: body }) } }, { components: { schemas } }))
    expect(performance.now() - began).toBeLessThan(within(5_000))
    expect(JSON.stringify(toolOf(reading)['inputSchema']).length).toBeLessThan(LIMITS.input)
  })

  test('whatever it holds, it is read or refused', () => {
    const base = documentText('petstore-2')
    const words = [
      '"$ref"',
      '"type"',
      '"in"',
      '"name"',
      'null',
      '[]',
      '{}',
      '"__proto__"',
      '1e400',
      '"#/definitions/Pet"',
      '"\\ud800"',
      'true',
    ]
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(base.length), fc.nat(40), fc.constantFrom(...words)), { minLength: 1, maxLength: 6 }),
        (cuts) => {
          let text = base
          for (const [at, length, word] of cuts) text = text.slice(0, at) + word + text.slice(at + length)
          expectReadOrRefused(text)
        },
      ),
      { numRuns: runs(150) },
    )
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), fc.json({ maxDepth: 4 }), (paths, schemas) => {
        expectReadOrRefused(
          `{"openapi":"3.1.0","info":{},"paths":{"/a/{b}":${paths},"/b":{"post":${paths}}},"components":{"schemas":${schemas}}}`,
        )
      }),
      { numRuns: runs(300) },
    )
  })
})

function expectReadOrRefused(text: string): void {
  try {
    readDocument(text, ALL)
  } catch (thrown) {
    if (!(thrown instanceof DocumentProblem)) throw thrown
  }
}
