/**
 * A vendor's GraphQL schema as a judge of documents and variables and a source of answers. It reads the part of the language that
 * the kit writes: one operation with variables, fields with arguments, no fragments.
 */
import { readFileSync } from 'node:fs'
import { isJson } from '../../packages/connectors/src/kit/shape.ts'
import type { Json } from '../../packages/connectors/src/index.ts'
import type { Wire } from './drive.ts'
import type { Description } from './openapi-description.ts'

interface Field {
  readonly type: string
  readonly args: ReadonlyMap<string, string>
}

interface Type {
  readonly kind: string
  readonly fields: ReadonlyMap<string, Field>
  readonly values: readonly string[]
}

type Schema = ReadonlyMap<string, Type>

interface Selection {
  readonly name: string
  readonly args: ReadonlyMap<string, string>
  readonly inner: readonly Selection[]
}

interface Document {
  readonly root: string
  readonly variables: ReadonlyMap<string, string>
  readonly selections: readonly Selection[]
}

export function graphqlDescription(file: string, address: string): Description {
  const schema = readSchema(readFileSync(file, 'utf8'))
  const parsed = ({ body }: Wire) => readDocument(isJson(body) ? String(body['query']) : '')
  return {
    knows: ({ method, url }) => method === 'POST' && url.href === address,
    problems(request) {
      const { root, variables, selections } = parsed(request)
      const given = isJson(request.body) && isJson(request.body['variables']) ? request.body['variables'] : {}
      const strangers = Object.keys(given).filter((name) => !variables.has(name))
      return [
        ...strangers.map((name) => `variable ${name}: not declared`),
        ...[...variables].flatMap(([name, type]) => valueProblems(schema, type, given[name], `variable ${name}`)),
        ...selectionProblems(schema, { root, variables }, selections),
      ]
    },
    answer(request, all) {
      const { root, selections } = parsed(request)
      return { data: sampleOf(schema, root, { selections, all }) }
    },
  }
}

function readSchema(text: string): Schema {
  const bare = text.replaceAll(/"""[\s\S]*?"""|"(?:[^"\\\n]|\\.)*"|#[^\n]*/g, '').replaceAll(/@\w+(?:\([^)]*\))?/g, '')
  const types = bare.matchAll(/\b(type|input|interface|enum)\s+(\w+)[^{}]*\{([^}]*)\}/g)
  return new Map(
    [...types].map(([, kind = '', name = '', body = '']) => [
      name,
      { kind, fields: fieldsOf(body), values: body.match(/\w+/g) ?? [] },
    ]),
  )
}

const fieldsOf = (body: string): Map<string, Field> =>
  new Map(
    [...body.matchAll(/(\w+)\s*(?:\(([^)]*)\))?\s*:\s*([\w![\]]+)/g)].map(([, name = '', args = '', type = '']) => [
      name,
      { type, args: pairsOf(args) },
    ]),
  )

const pairsOf = (text: string): Map<string, string> =>
  new Map([...text.matchAll(/\$?(\w+)\s*:\s*(\$?[\w![\]]+)/g)].map(([, name = '', type = '']) => [name, type]))

function readDocument(text: string): Document {
  const [, kind = '', variables = ''] = /^(\w+)(?:\(([^)]*)\))?/.exec(text) ?? []
  const tokens = text.slice(text.indexOf('{')).match(/\{|\}|\w+(?:\([^)]*\))?/g) ?? []
  let at = 0
  const read = (): Selection[] => {
    const found: Selection[] = []
    at++
    while (tokens[at] !== '}') {
      const [, name = '', args = ''] = /^(\w+)(?:\(([^)]*)\))?$/.exec(tokens[at++] ?? '') ?? []
      if (name === '') throw new Error(`The document ends too early: ${text}`)
      found.push({ name, args: pairsOf(args), inner: tokens[at] === '{' ? read() : [] })
    }
    at++
    return found
  }
  return { root: kind === 'mutation' ? 'Mutation' : 'Query', variables: pairsOf(variables), selections: read() }
}

const bareOf = (type: string) => type.replaceAll(/[![\]]/g, '')

function selectionProblems(
  schema: Schema,
  { root, variables }: Omit<Document, 'selections'>,
  selections: readonly Selection[],
): readonly string[] {
  return selections.flatMap(({ name, args, inner }) => {
    const field = schema.get(root)?.fields.get(name)
    if (field === undefined) return [`${root}.${name}: no such field`]
    const type = bareOf(field.type)
    const isObject = (schema.get(type)?.fields.size ?? 0) > 0
    const wrongArgs = [...args].flatMap(([arg, value]) => {
      const [wanted, got] = [field.args.get(arg), variables.get(value.slice(1))]
      return wanted !== undefined && (got === wanted || got === `${wanted}!`)
        ? []
        : [`${root}.${name}(${arg}): is ${got}, not ${wanted}`]
    })
    const missing = [...field.args].filter(([arg, wanted]) => wanted.endsWith('!') && !args.has(arg))
    return [
      ...wrongArgs,
      ...missing.map(([arg]) => `${root}.${name}(${arg}): missing`),
      ...(isObject === inner.length > 0 ? [] : [`${root}.${name}: ${isObject ? 'needs' : 'has no'} selection`]),
      ...selectionProblems(schema, { root: type, variables }, inner),
    ]
  })
}

const SCALARS: Readonly<Record<string, (value: unknown) => boolean>> = {
  Int: (value) => Number.isInteger(value),
  Float: (value) => typeof value === 'number',
  Boolean: (value) => typeof value === 'boolean',
}

function valueProblems(schema: Schema, type: string, value: unknown, where: string): readonly string[] {
  if (value === undefined || value === null) return type.endsWith('!') ? [`${where}: missing`] : []
  const plain = type.replace(/!$/, '')
  if (plain.startsWith('[')) {
    if (!Array.isArray(value)) return [`${where}: is no list`]
    return value.flatMap((one: unknown, index) => valueProblems(schema, plain.slice(1, -1), one, `${where}[${index}]`))
  }
  const known = schema.get(plain)
  if (known?.kind === 'enum') return known.values.includes(String(value)) ? [] : [`${where}: is no ${plain}`]
  if (known?.kind !== 'input')
    return (SCALARS[plain]?.(value) ?? typeof value === 'string') ? [] : [`${where}: is no ${plain}`]
  if (!isJson(value)) return [`${where}: is not an object`]
  const strangers = Object.keys(value).filter((name) => !known.fields.has(name))
  return [
    ...strangers.map((name) => `${where}.${name}: unknown`),
    ...[...known.fields].flatMap(([name, field]) => valueProblems(schema, field.type, value[name], `${where}.${name}`)),
  ]
}

interface Sampling {
  readonly selections: readonly Selection[]
  readonly all: boolean
}

function sampleOf(schema: Schema, root: string, { selections, all }: Sampling): Json {
  return Object.fromEntries(
    selections.map(({ name, inner }) => {
      const type = schema.get(root)?.fields.get(name)?.type ?? ''
      if (!all && !type.endsWith('!')) return [name, null]
      const one =
        inner.length > 0 ? sampleOf(schema, bareOf(type), { selections: inner, all }) : scalarOf(schema, bareOf(type))
      return [name, type.startsWith('[') ? [one] : one]
    }),
  )
}

function scalarOf(schema: Schema, type: string): unknown {
  if (type === 'Int' || type === 'Float') return 1
  if (type === 'Boolean') return true
  if (type === 'DateTime') return '2026-11-22T12:00:00.000Z'
  return schema.get(type)?.values[0] ?? 'x'
}
