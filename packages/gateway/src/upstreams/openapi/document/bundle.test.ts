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
  const text = await bundle(ROOT, { read, most: 10 })
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
  expect(await bundle('openapi: 3.0.3\npaths: {}\n', { read, most: 10 })).toBeUndefined()
  expect(await bundle(ROOT, { read: () => Promise.resolve(undefined), most: 10 })).toBeUndefined()
  await expect(bundle(ROOT, { read, most: 2 })).rejects.toThrow('more than 2 other files')
})
