/**
 * Refuses what no request may contain, before any of it is used: names that reach into prototypes (scimmy 1.3.5 walks the parts of a
 * name into objects), text that the database cannot store, and values that are nested too deeply.
 */
import { refused } from './refuse.ts'

const MOST_DEPTH = 32
const RESERVED: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])

/** Throws `scim.refused`. */
export function checkName(name: string): void {
  if (name.split(/[.:]/).some((part) => RESERVED.has(part.trim().toLowerCase())))
    throw refused('invalidSyntax', 'an attribute has a reserved name')
}

export const isStorable = (value: unknown): boolean =>
  typeof value === 'string' && !value.includes('\0') && value.isWellFormed()

/** Throws `scim.refused`. */
export function checkText(text: string): void {
  if (!isStorable(text))
    throw refused('invalidValue', 'a text contains the character NUL or is not well-formed Unicode')
}

/** Checks all names and texts of a value. Throws `scim.refused`. */
export function checkInput(value: unknown, depth = 0): void {
  if (typeof value === 'string') return checkText(value)
  if (typeof value !== 'object' || value === null) return
  if (depth > MOST_DEPTH) throw refused('invalidSyntax', `a value is nested more than ${MOST_DEPTH} times`)
  if (Array.isArray(value)) return value.forEach((item: unknown) => checkInput(item, depth + 1))
  for (const [name, item] of Object.entries(value)) {
    checkName(name)
    checkText(name)
    checkInput(item, depth + 1)
  }
}

/** Of the attributes of a resource that are named by a schema, only these schemas are known. Throws `scim.refused`. */
export function checkSchemas(resource: object, known: readonly string[]): void {
  for (const name of Object.keys(resource)) {
    const key = name.toLowerCase()
    if (key.startsWith('urn:') && !known.some((schema) => schema.toLowerCase() === key))
      throw refused('invalidSyntax', `"${name.slice(0, 100)}" is not a schema of this resource`)
  }
}
