/**
 * OpenAPI documents as vendors publish them, each made small: operations that cannot be a tool, references to what did not come along, paths
 * that lead elsewhere, and texts that are no document. Origins: published documents (DigitalOcean, Twilio, GitHub) and attacks on readers.
 */
import type { Json, JsonObject } from '../../../packages/protocol/src/json.ts'

export const described = (paths: JsonObject, rest: JsonObject = {}): JsonObject => ({
  openapi: '3.0.3',
  info: { title: 'Shop', version: '1' },
  servers: [{ url: 'https://shop.example.com/v1' }],
  paths,
  ...rest,
})
export const operation = (rest: JsonObject = {}): JsonObject => ({
  operationId: 'one',
  responses: { 200: { description: 'ok' } },
  ...rest,
})
const of = (content: JsonObject, required = false): JsonObject => ({
  requestBody: { content, ...(required ? { required } : {}) },
})
const ofJson = (schema: Json) => of({ 'application/json': { schema } })
const FILE = { type: 'string', format: 'binary' }

/** Items of a path that give no tool, and why. */
export const LEFT_OUT_OPERATIONS: readonly (readonly [words: string, item: JsonObject])[] = [
  [
    'requires a body of the type application/octet-stream',
    { post: operation(of({ 'application/octet-stream': { schema: FILE } })) },
  ],
  [
    'requires a file, "file"',
    {
      post: operation(
        of({
          'multipart/form-data': { schema: { type: 'object', required: ['file'], properties: { file: FILE } } },
        }),
      ),
    },
  ],
  ['uses TRACE', { trace: operation() }],
  ['is at another address', { get: operation({ servers: [{ url: 'https://evil.example.com' }] }) }],
  ['returns a stream', { get: operation({ responses: { 200: { content: { 'text/event-stream': {} } } } }) }],
  ['requires a body with a method that has none', { get: operation({ requestBody: { required: true, content: {} } }) }],
]
/** Each leads elsewhere, or names what nobody describes. */
export const LEFT_OUT_PATHS: readonly (readonly [path: string, words: string])[] = [
  ['/a/{}', 'has a path with a parameter without a name'],
  ['/a?x={x}', 'has a path with a query that cannot be sent as it is'],
  ['/a/../b', 'has a path with "." or ".." in it'],
  ['/a/%2e%2e/b', 'has a path with "." or ".." in it'],
  ['/a\\b', 'has a path with a backslash in it'],
]
const BUNDLE = ': bundle the document into one file'
/** Items whose references lead to what did not come along. */
export const LEFT_OUT_REFERENCES: readonly (readonly [behaviour: string, item: JsonObject, words: string])[] = [
  ['an operation in another file', { post: { $ref: 'x.yml' } }, `is in another file, "x.yml"${BUNDLE}`],
  [
    'an operation in a part of another file',
    { delete: { $ref: 'resources/delete.yml#/delete' } },
    'is in another file, "resources/delete.yml"',
  ],
  ['a path in another file', { $ref: 'things.yml' }, 'is in another file, "things.yml"'],
  [
    'a parameter in another file',
    { get: operation({ parameters: [{ $ref: 'p.yml#/id' }] }) },
    `has a parameter that is in another file, "p.yml"${BUNDLE}`,
  ],
  [
    'a body in another file',
    { post: operation({ requestBody: { $ref: 'b.yml' } }) },
    'has a body that is in another file, "b.yml"',
  ],
  [
    'a body that is nowhere',
    { post: operation({ requestBody: { $ref: '#/components/requestBodies/none' } }) },
    'has a body that is described at #/components/requestBodies/none, which is not in the document',
  ],
  [
    'an operation within the document that is in another file',
    { get: { $ref: '#/components/operations/outer' } },
    'is in another file, "o.yml"',
  ],
]
export const OTHER_FILE = { operations: { outer: { $ref: 'o.yml' } } }

const node = { type: 'object', properties: { next: { $ref: '#/components/schemas/Node' }, name: { type: 'string' } } }
/** Documents that are read, with the note of their operation where there is one. */
export const READ_DOCUMENTS: readonly (readonly [behaviour: string, document: JsonObject, words: string])[] = [
  [
    'a schema that contains itself',
    described(
      { '/a': { post: operation(ofJson({ $ref: '#/components/schemas/Node' })) } },
      { components: { schemas: { Node: node } } },
    ),
    'its schema contains itself, and is truncated there',
  ],
  [
    'a form with a file that need not be there',
    described({
      '/a': {
        post: operation(
          of({ 'multipart/form-data': { schema: { type: 'object', properties: { name: {}, file: FILE } } } }),
        ),
      },
    }),
    'files are left out: file',
  ],
  [
    'a schema at the address of a cloud’s metadata',
    described({
      '/a': { post: operation(ofJson({ type: 'object', properties: { a: { $ref: 'http://169.254.169.254/x' } } })) },
    }),
    'its schema refers to another file, "http://169.254.169.254/x", which did not come along',
  ],
  [
    'a list as the body',
    described({ '/a': { post: operation(ofJson({ type: 'array', items: { type: 'string' } })) } }),
    '',
  ],
  [
    'keys that model APIs refuse',
    described({
      '/a': {
        get: operation({
          parameters: ['StartTime<', 'tags[]', 'filter[x]'].map((name) => ({ name, in: 'query', schema: {} })),
        }),
      },
    }),
    '',
  ],
  ['the same operation id twice', described({ '/a': { get: operation() }, '/b': { get: operation() } }), ''],
  ['an operation without an id', described({ '/a': { get: operation({ operationId: '' }) } }), ''],
  [
    'names that all objects inherit',
    described({ '/constructor': { get: operation({ operationId: 'constructor' }) } }),
    '',
  ],
  ['version 2.0 as a number', { swagger: 2, info: {}, host: 'x.example', paths: { '/a': { get: operation() } } }, ''],
  ['no servers', { openapi: '3.1.0', info: {}, paths: { '/a': { get: operation() } } }, ''],
]

const nested = (depth: number) => `{"openapi":"3.0.0","paths":${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}}`
const unfolding = () => {
  const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x]']
  for (let at = 1; at < 12; at++)
    lines.push(`a${at}: &a${at} [${Array.from({ length: 9 }, () => `*a${at - 1}`).join(', ')}]`)
  return `openapi: 3.0.0\npaths: {}\n${lines.join('\n')}`
}
export const REFUSED_DOCUMENTS: readonly (readonly [behaviour: string, text: string, words: RegExp])[] = [
  [
    'a name that all objects inherit from',
    `{"openapi":"3.0.0","info":{},"paths":{"/a":{"get":{"operationId":"x","\\u005f_proto__":{"polluted":1}}}}}`,
    /contains the name __proto__, which is refused/,
  ],
  [
    'the same in YAML',
    'openapi: 3.0.0\n__proto__:\n  polluted: 1\npaths: {}',
    /contains the name __proto__, which is refused/,
  ],
  ['YAML aliases that unfold without end', unfolding(), /contains more than|neither JSON nor YAML/],
  ['5,000 levels', nested(5_000), /nests deeper than/],
  ['a text', 'hello', /is not an object/],
  ['a list', '[]', /is not an object/],
  ['no version', '{"paths":{}}', /has neither "openapi" nor "swagger"/],
  ['version 1.2', '{"swagger":"1.2","apis":[]}', /has version "1\.2"; 2\.0, 3\.0, 3\.1 and 3\.2 are supported/],
  ['JSON that breaks off', '{"openapi":"3.0.0","paths":{', /is neither JSON nor YAML/],
  [
    'YAML that breaks off',
    'openapi: 3.0.0\npaths:\n  /a: { get: { operationId: a } }\n  /b: { get: { operationId: "b',
    /is neither JSON nor YAML/,
  ],
  ['HTML of a sign-in page', '<!doctype html><html><body>Sign in</body></html>', /is not an object|neither JSON/],
]
