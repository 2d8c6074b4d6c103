import { expect, test } from 'vitest'
import { bundle } from './bundle.ts'
import { readDocument } from './read-document.ts'

const ROOT = `
openapi: 3.0.3
info: { title: Split, version: "1" }
servers: [{ url: https://api.example.com }]
paths:
  /things:
    get: { $ref: "resources/list.yml" }
    post: { $ref: "./resources/all.yml#/create" }
  /things/{id}: { $ref: "resources/thing%20item.yml" }
  /gone:
    get: { $ref: "../outside.yml" }
`
const FILES: Record<string, string> = {
  'resources/list.yml': 'operationId: list\nparameters: [{ $ref: "../shared/parameters.yml#/page" }]\nresponses: {}\n',
  'resources/all.yml':
    'create:\n  operationId: create\n  requestBody: { $ref: "#/body" }\nbody: { content: { application/json: { schema: { $ref: "../shared/thing.json" } } } }\n',
  'resources/thing item.yml':
    'parameters: [{ name: id, in: path, required: true, schema: { type: string } }]\ndelete: { operationId: remove }\n',
  'shared/parameters.yml': 'page: { name: page, in: query, schema: { type: integer } }\n',
  'shared/thing.json':
    '{"type":"object","required":["name"],"properties":{"name":{"type":"string"},"parent":{"$ref":"#"},"twin":{"$ref":"thing.json"}}}',
}
const read = (path: string) => Promise.resolve(FILES[path])
const options = { select: { exclude: [] }, effects: {} }

test('a document in several files is read as one, and what did not come along is told by name', async () => {
  const text = await bundle(ROOT, { at: 'openapi.yaml', read, most: 10 })
  const reading = readDocument(text ?? '', options)
  const arguments_ = Object.fromEntries(
    reading.tools.map((tool) => [
      tool['name'],
      Object.keys((tool['inputSchema'] as { properties: object }).properties),
    ]),
  )
  expect(arguments_).toEqual({ list: ['page'], create: ['name', 'parent', 'twin'], remove: ['id'] })
  expect(reading.leftOut.map(({ path, reason }) => [path, reason])).toEqual([
    ['/gone', 'is in another file, "../outside.yml": bundle the document into one file'],
  ])
})

test('a document alone is left as it is, and one that refers to too many files is refused', async () => {
  expect(await bundle('openapi: 3.0.3\npaths: {}\n', { at: 'openapi.yaml', read, most: 10 })).toBeUndefined()
  expect(await bundle(ROOT, { at: 'openapi.yaml', read: () => undefined, most: 10 })).toBeUndefined()
  await expect(bundle(ROOT, { at: 'openapi.yaml', read, most: 2 })).rejects.toThrow('more than 2 other files')
})

const namesOf = ({ tools }: ReturnType<typeof readDocument>) =>
  Object.fromEntries(
    tools.map((tool) => [tool['name'], Object.keys((tool['inputSchema'] as { properties: object }).properties)]),
  )
const bundled = async (root: string, files: Record<string, string>, at = 'openapi.yaml') =>
  readDocument((await bundle(root, { at, read: (place) => files[place], most: 10 })) ?? root, options)

test('containers that are one reference, references back to the document and paths of Windows are followed', async () => {
  const reading = await bundled(
    `
openapi: 3.1.0
info: { title: Split, version: "1" }
paths: { $ref: "paths/_index.yaml" }
components:
  parameters: { page: { name: page, in: query, schema: { type: integer } } }
  schemas: { $ref: "schemas/_index.yaml#/" }
`,
    {
      'paths/_index.yaml':
        '/a: { $ref: "a.yaml" }\n/b: { get: { operationId: b, parameters: [{ $ref: "#/~1a/get/parameters/0" }] } }\n',
      'paths/a.yaml': `get: { operationId: a, parameters: [{ $ref: "../openapi.yaml#/components/parameters/page" }] }
post:
  operationId: make
  requestBody: { content: { application/json: { schema: { $ref: '..\\openapi.yaml#/components/schemas/Thing' } } } }
`,
      'schemas/_index.yaml': 'Thing: { $ref: "thing.yaml#definitions/Thing" }\n',
      'schemas/thing.yaml': 'definitions: { Thing: { type: object, properties: { name: { type: string } } } }\n',
    },
  )
  expect(namesOf(reading)).toEqual({ a: ['page'], make: ['name'], b: ['page'] })
  expect(reading.leftOut).toEqual([])
})

test('a document of 2.0 in several files is read as one', async () => {
  const reading = await bundled(
    `
swagger: "2.0"
info: { title: Old, version: "1" }
host: api.example.com
schemes: [https]
paths:
  /things: { $ref: "paths/things.yaml" }
  /others: { get: { $ref: "paths/other.yaml" } }
definitions: { Own: { type: object, properties: { own: { type: string } } } }
`,
    {
      'paths/things.yaml': `post:
  operationId: make
  parameters: [{ $ref: "../parameters.yaml#/body" }, { $ref: "../parameters.yaml#/page" }]
  responses: { 200: { $ref: "../responses.yaml#/thing" } }
`,
      'paths/other.yaml':
        'operationId: other\nparameters: [{ name: q, in: query, type: string }]\nresponses: { 200: { description: ok } }\n',
      'parameters.yaml': `page: { name: page, in: query, type: integer }
body: { name: thing, in: body, schema: { $ref: "schemas.yaml#/Thing" } }
`,
      'responses.yaml': 'thing: { description: ok, schema: { $ref: "openapi.yaml#/definitions/Own" } }\n',
      'schemas.yaml': `Thing:
  type: object
  properties: { name: { type: string }, inner: { $ref: "openapi.yaml#/definitions/Own" } }
`,
    },
  )
  expect(namesOf(reading)).toEqual({ make: ['page', 'name', 'inner'], other: ['q'] })
  const make = reading.tools.find((tool) => tool['name'] === 'make')
  expect(JSON.stringify(make?.['inputSchema'])).toContain('"inner":{"type":"object","properties":{"own"')
  expect(make?.['outputSchema']).toMatchObject({ properties: { own: {} } })
})

test('a file that cannot be read leaves out what is described in it, with the reason, and nothing else', async () => {
  const text = await bundle(
    'openapi: 3.0.3\npaths:\n  /a: { $ref: "a.yml" }\n  /b: { $ref: "b.yml" }\n  /c: { get: { operationId: c } }\n',
    { at: 'openapi.yaml', read: (place) => (place === 'a.yml' ? 'a: [' : { unread: 'is at another origin' }), most: 5 },
  )
  const { tools, leftOut, notes } = readDocument(text ?? '', options)
  expect(tools.map((tool) => tool['name'])).toEqual(['c'])
  expect(leftOut.map(({ reason }) => reason)).toEqual([
    expect.stringMatching(/^is in another file, "a\.yml", which cannot be read: it is neither JSON nor YAML: /),
    'is in another file, "b.yml", which is at another origin',
  ])
  expect(notes[0]).toContain('b.yml is at another origin')
})

test('of a document at an address, files are named from its folder on', async () => {
  const at = 'https://api.example.com/docs/openapi.yaml?key=s3cret'
  const asked: string[] = []
  const root =
    'openapi: 3.0.3\npaths:\n  /a: { $ref: "a.yml" }\n  /b: { $ref: "/b.yml" }\n  /c: { $ref: "//other.example.com/c.yml" }\n'
  const text = await bundle(root, {
    at,
    read(place) {
      asked.push(place)
      return place.endsWith('/docs/a.yml') ? 'get: { operationId: a }' : { unread: 'could not be fetched' }
    },
    most: 5,
  })
  expect(asked).toEqual([
    'https://api.example.com/docs/a.yml',
    'https://api.example.com/b.yml',
    'https://other.example.com/c.yml',
  ])
  expect(readDocument(text ?? '', options).leftOut.map(({ reason }) => reason)).toEqual([
    'is in another file, "/b.yml", which could not be fetched',
    'is in another file, "https://other.example.com/c.yml", which could not be fetched',
  ])
  expect(text).not.toContain('s3cret')
})
