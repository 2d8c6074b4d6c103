/** One text for each JSON value, whatever the order of its members: equal values have equal texts. Charged by their size. */
import type { Json } from '@toolway/protocol'
import type { Validation } from './validation.ts'

export function canonicalOf(value: Json, validation?: Validation): string {
  if (typeof value !== 'object' || value === null) {
    validation?.spend(1 + (typeof value === 'string' ? value.length >> 6 : 0))
    return JSON.stringify(value)
  }
  validation?.spend(1)
  if (Array.isArray(value)) return `[${value.map((item) => canonicalOf(item, validation)).join()}]`
  const names = Object.keys(value).sort()
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonicalOf(value[name] ?? null, validation)}`).join()}}`
}
