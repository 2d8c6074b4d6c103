/**
 * The admin interface as it is described: pinned by a digest for each operation and shape, so that a change of it is meant and
 * a reviewer sees where it is. `npm test -- test/contract -u` writes the pins anew.
 */
import { createHash } from 'node:crypto'
import { FAULTS, permits, ROLES } from '@toolway/contract'
import type { Operation } from '@toolway/contract/admin'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import { needOf, openApiOf, tagOf } from '../../packages/gateway/src/features/reference/open-api.ts'
import { BESIDE, OPERATIONS } from '../../packages/gateway/src/app/operations.ts'

type Json = Record<string, unknown>
const operations = [...OPERATIONS.map(({ operation }) => operation), ...BESIDE]
const document = openApiOf(operations)
const components = document['components'] as Record<string, Record<string, Json>>
const schemas = components['schemas'] ?? {}

function referencePage(): string {
  const row = ({ id, method, path, summary, needs }: Operation) => {
    const roles = needs.of === 'organization' ? ROLES.filter((role) => permits(role, needs.permission)) : []
    const who = needs.of === 'organization' ? `${needOf(needs)} ${roles.join(', ')}` : needOf(needs)
    return `| \`${method} ${path}\` | ${summary} | ${who} | \`${id}\` |`
  }
  const sections = [...Map.groupBy(operations, tagOf)].map(([tag, all]) =>
    [`## ${tag}`, '', '| operation | what it does | who may | id |', '|---|---|---|---|', ...all.map(row), ''].join(
      '\n',
    ),
  )
  return [
    '# Admin interface',
    '',
    'Every operation below `/api/v1`. `GET /api/v1/openapi.json` describes each shape (OpenAPI 3.1; `npm run admin-api` writes it to `admin-api.json`, and `admin-api.sha256` pins it), and `GET /api/v1/docs` is the same to read. In a path `{organization}` is a slug or an id, `{connection}` an alias or an id. The guide is [administration.md](../guides/administration.md).',
    '',
    ...sections,
  ].join('\n')
}

/** A digest for each operation and for each component, and one for the rest of the document. */
function pins(): string {
  const { paths, components: _components, ...rest } = document
  const parts: [name: string, part: unknown][] = [['document', rest]]
  for (const [path, methods] of Object.entries(paths as Record<string, Json>))
    for (const [method, one] of Object.entries(methods)) parts.push([`${method.toUpperCase()} ${path}`, one])
  for (const [kind, all] of Object.entries(components))
    for (const [name, one] of Object.entries(all)) parts.push([`${kind}/${name}`, one])
  const digest = (part: unknown) => createHash('sha256').update(JSON.stringify(part)).digest('hex').slice(0, 16)
  return `${parts.map(([name, part]) => `${digest(part)}  ${name}`).join('\n')}\n`
}

const CHANGED =
  'The admin interface changed. `npm run admin-api -- --against main` shows how; `npm test -- test/contract -u` pins it.'

/** Every value under that name, however deep. */
function valuesOf(name: string, within: unknown): unknown[] {
  if (Array.isArray(within)) return within.flatMap((one) => valuesOf(name, one))
  if (typeof within !== 'object' || within === null) return []
  return Object.entries(within).flatMap(([key, value]) => [...(key === name ? [value] : []), ...valuesOf(name, value)])
}

describe('the OpenAPI document', () => {
  test('is as pinned', async () => {
    await expect(pins(), CHANGED).toMatchFileSnapshot('../../docs/reference/admin-api.sha256')
    await expect(referencePage(), CHANGED).toMatchFileSnapshot('../../docs/reference/admin-api.md')
  })

  test('has every operation once, with what OpenAPI 3.1 asks of it', () => {
    const paths = document['paths'] as Record<string, Record<string, Json>>
    const described = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, one]) => ({ path, method: method.toUpperCase(), ...one })),
    )
    expect(described).toHaveLength(operations.length)
    for (const one of described as Json[]) {
      const named = [...String(one['path']).matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
      const parameters = (one['parameters'] ?? []) as Json[]
      expect(parameters.filter((parameter) => parameter['in'] === 'path').map(({ name }) => name)).toEqual(named)
      expect(Object.keys(one['responses'] as Json)).toContain('default')
      expect(one['operationId'] && one['summary'] && one['security'] && one['tags']).toBeTruthy()
    }
  })

  test('refers to nothing that is not in it', () => {
    const references = new Set(valuesOf('$ref', document).map(String))
    expect(references.size).toBeGreaterThan(5)
    for (const reference of references) {
      const found = reference
        .split('/')
        .slice(1)
        .reduce<unknown>((within, part) => (within as Json | undefined)?.[part], document)
      expect(found, reference).toBeDefined()
    }
  })

  test('has schemas that are JSON Schema 2020-12', { tags: 'long' }, () => {
    const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, validateFormats: false })
    const inline = valuesOf('schema', document['paths'])
    const all = { $id: 'all', components: { schemas }, oneOf: inline }
    const lifted = JSON.parse(
      JSON.stringify(all).replaceAll('#/components/schemas/', 'all#/components/schemas/'),
    ) as Json
    ajv.addVocabulary(['components'])
    expect(ajv.validateSchema(lifted), JSON.stringify(ajv.errors)).toBe(true)
    // Compiling follows each reference, too.
    expect(typeof ajv.compile(lifted)).toBe('function')
    const isOrganization = ajv.compile({ $ref: 'all#/components/schemas/Organization' })
    expect(isOrganization({ id: 1 })).toBe(false)
  })

  test('knows every fault that a problem can name', () => {
    const { properties } = schemas['Problem'] as { properties: { code: { enum: string[] } } }
    expect(properties.code.enum).toEqual(Object.keys(FAULTS).sort())
  })
})
