/**
 * The form library's validator while it renders: it decides which of several schemas a value matches. It is a guess for rendering
 * and no check: arguments are checked by the callee, and mismatches are then shown at their fields. Nothing is compiled here, as
 * the content security policy allows no code made of text.
 */
import type { RJSFSchema, ValidatorType } from '@rjsf/utils'

const DEEPEST = 8

const drawing: ValidatorType = {
  validateFormData: () => ({ errors: [], errorSchema: {} }),
  isValid: (schema, value, root) => resembles(schema, value, root, 0),
  rawValidation: () => ({ errors: [] }),
}

export default drawing

type Schema = RJSFSchema | boolean | undefined

export function resembles(schema: Schema, value: unknown, root: RJSFSchema, depth: number): boolean {
  if (schema === undefined || typeof schema === 'boolean') return schema !== false
  if (depth > DEEPEST) return true
  const { $ref, type, const: only, enum: some, required = [], properties = {}, items, allOf = [] } = schema
  if ($ref !== undefined) return resembles(targetOf($ref, root), value, root, depth + 1)
  if (only !== undefined && !same(only, value)) return false
  if (some !== undefined && !some.some((item) => same(item, value))) return false
  if (type !== undefined && ![type].flat().some((item) => isOf(item, value))) return false
  if (!allOf.every((item) => resembles(item, value, root, depth + 1))) return false
  for (const choice of [schema.anyOf, schema.oneOf])
    if (choice !== undefined && !choice.some((item) => resembles(item, value, root, depth + 1))) return false
  if (Array.isArray(value) && !Array.isArray(items))
    return value.every((item) => resembles(items, item, root, depth + 1))
  if (!isOf('object', value)) return true
  const members = value as Readonly<Record<string, unknown>>
  if (required.some((name) => members[name] === undefined)) return false
  return Object.entries(properties).every(
    ([name, property]) => members[name] === undefined || resembles(property, members[name], root, depth + 1),
  )
}

function targetOf(ref: string, root: RJSFSchema): Schema {
  if (!ref.startsWith('#')) return true
  const parts = ref.slice(1).split('/').slice(1)
  return parts.reduce<unknown>((at, part) => {
    const name = decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~')
    return typeof at === 'object' && at !== null ? Reflect.get(at, name) : undefined
  }, root) as Schema
}

const same = (first: unknown, other: unknown) => JSON.stringify(first) === JSON.stringify(other)

function isOf(type: string, value: unknown): boolean {
  if (type === 'null') return value === null
  if (type === 'array') return Array.isArray(value)
  if (type === 'integer') return Number.isInteger(value)
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value)
  return typeof value === type
}
