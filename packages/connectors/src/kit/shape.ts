/**
 * Shapes: the members of a vendor's answer that a model needs, under plain names. A shape is the reading, the output schema and,
 * for GraphQL, the selection. Members that are absent or null are left out, so that an incomplete answer never fails.
 */
import { z } from 'zod'
import type { Json } from './tool.ts'

export interface Field<T = unknown> {
  /** Members between dots; `[]` reads every element of a list; undefined is the member of the field's own name. */
  readonly path: string | undefined
  readonly schema: z.ZodType<T>
  read(value: unknown): T | undefined
  /** The shape of the object, or of the elements, at the path. */
  readonly inner?: Shape
}

type Fields = Readonly<Record<string, Field>>
type Read<F extends Fields> = { readonly [K in keyof F]?: F[K] extends Field<infer T> ? T : never }

export interface Shape<F extends Fields = Fields> {
  readonly fields: F
  readonly schema: z.ZodObject
  read(value: unknown): Read<F>
}

export function shape<F extends Fields>(fields: F): Shape<F> {
  const entries = Object.entries(fields)
  return {
    fields,
    schema: z.object(Object.fromEntries(entries.map(([name, { schema }]) => [name, schema.optional()]))),
    read(value) {
      const found = entries.map(([name, field]) => [name, field.read(get(value, field.path ?? name))] as const)
      return Object.fromEntries(found.filter(([, item]) => item !== undefined)) as Read<F>
    },
  }
}

export const isJson = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The value at a path; undefined where a member on the way is absent. After `[]` it is a list, without absent elements. */
export function get(value: unknown, path: string): unknown {
  if (path === '') return value
  const [step = '', ...rest] = path.split('.')
  const name = step.replace(/\[\]$/, '')
  const next = name === '' ? value : isJson(value) && Object.hasOwn(value, name) ? value[name] : undefined
  if (!step.endsWith('[]')) return rest.length === 0 ? next : get(next, rest.join('.'))
  if (!Array.isArray(next)) return undefined
  return next.map((item: unknown) => get(item, rest.join('.'))).filter((item) => item !== undefined && item !== null)
}

const cut = (text: string, most: number) =>
  text.length > most ? `${text.slice(0, most).toWellFormed()}… (${text.length - most} more characters)` : text

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string'
    ? value
    : typeof value === 'number' || typeof value === 'boolean'
      ? String(value)
      : undefined

/** A text, a number as a text included (identifiers). */
export const str = (path?: string): Field<string> => ({ path, schema: z.string(), read: textOf })

/** A long text, cut where it exceeds `most` characters. */
export const prose = (path?: string, most = 2_000): Field<string> => ({
  path,
  schema: z.string(),
  read(value) {
    const text = textOf(value)
    return text === undefined || text === '' ? undefined : cut(text, most)
  },
})

export const num = (path?: string): Field<number> => ({
  path,
  schema: z.number(),
  read(value) {
    const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
    return typeof number === 'number' && Number.isFinite(number) ? number : undefined
  },
})

export const bool = (path?: string): Field<boolean> => ({
  path,
  schema: z.boolean(),
  read: (value) => (typeof value === 'boolean' ? value : undefined),
})

/** Whether there is something at the path. */
export const has = (path: string): Field<boolean> => ({
  path,
  schema: z.boolean(),
  read: (value) => value !== undefined && value !== null,
})

/** A list of texts; an empty one is left out. */
export const strs = (path?: string): Field<readonly string[]> => ({
  path,
  schema: z.array(z.string()).readonly(),
  read(value) {
    const texts = Array.isArray(value) ? value.map(textOf).filter((item) => item !== undefined) : []
    return texts.length === 0 ? undefined : texts
  },
})

export const one = (inner: Shape, path?: string): Field<Json> => ({
  path,
  schema: inner.schema,
  inner,
  read: (value) => (isJson(value) ? inner.read(value) : undefined),
})

/** At most `most` elements of a list; the tool's description says so where that can matter. */
export const many = (inner: Shape, path?: string, most = 100): Field<readonly Json[]> => ({
  path,
  schema: z.array(inner.schema).readonly(),
  inner,
  read(value) {
    const items = Array.isArray(value) ? value.filter(isJson).slice(0, most) : []
    return items.length === 0 ? undefined : items.map((item) => inner.read(item))
  },
})

/** An object with members that only the vendor knows. */
export const free = (path?: string): Field<Json> => ({
  path,
  schema: z.record(z.string(), z.unknown()),
  read: (value) => (isJson(value) ? value : undefined),
})

/** Rows of cells, at most `most` rows; an empty cell is an empty text. */
export const grid = (path?: string, most = 1_000): Field<readonly (readonly Cell[])[]> => ({
  path,
  schema: z.array(z.array(z.union([z.string(), z.number(), z.boolean()])).readonly()).readonly(),
  read: (value) =>
    Array.isArray(value) ? value.slice(0, most).map((row) => (Array.isArray(row) ? row.map(cellOf) : [])) : undefined,
})

type Cell = string | number | boolean
const cellOf = (value: unknown): Cell =>
  typeof value === 'number' || typeof value === 'boolean' ? value : typeof value === 'string' ? value : ''
