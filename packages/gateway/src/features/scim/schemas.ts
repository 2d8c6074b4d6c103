/**
 * Schemas of SCIM (RFC 7643): what a resource may have, by `scimmy`, which is loaded with the first request. It checks what came and
 * leaves out what no schema knows. Storage, filters and patches are ours (ADR 0142).
 */
import { checkInput, checkSchemas } from './input.ts'
import { refused } from './refuse.ts'

export const USER = 'urn:ietf:params:scim:schemas:core:2.0:User'
export const GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group'
export const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'
export const MESSAGES = 'urn:ietf:params:scim:api:messages:2.0:'

export type Json = Record<string, unknown>
export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export interface Attribute {
  readonly name: string
  readonly type: string
  readonly config: { readonly multiValued?: boolean; canonicalValues?: unknown; required?: boolean }
  readonly subAttributes?: readonly Attribute[]
}

interface Definition {
  attribute(name: string): Attribute
  describe(basepath: string): Json
}

export interface Schemas {
  /** The whole of a person as it may be stored; `active` counts where the input has no such value. Throws `scim.refused`. */
  person(input: Json, active: boolean): Json
  /** Undefined for a name that is not known. `schema`: USER or ENTERPRISE. */
  attribute(schema: string, name: string): Attribute | undefined
  describe(base: string): Json[]
}

let loaded: Promise<Schemas> | undefined
export const loadSchemas = (): Promise<Schemas> => (loaded ??= load())

async function load(): Promise<Schemas> {
  const { default: scimmy } = await import('scimmy')
  const { User, EnterpriseUser, Group } = scimmy.Schemas
  // Its types want an instance where its documents and its code take the class.
  User.extend(EnterpriseUser as never, false)
  // Canonical values are a suggestion (RFC 7643, section 2.4), and scimmy refuses others: providers have types of their own.
  const { attributes } = User.definition as unknown as { readonly attributes: readonly Attribute[] }
  for (const { config } of attributes.flatMap(({ subAttributes = [] }) => subAttributes)) config.canonicalValues = false
  // Whoever is provided is active or not, and no PATCH takes that away.
  const activity = attributes.find(({ name }) => name === 'active')
  if (activity !== undefined) activity.config.required = true
  // Of a member, the id is stored, and nothing that a provider calls it.
  ;(Group.definition.attribute('members') as unknown as { truncate(name: string): void }).truncate('display')
  const definitions: Readonly<Record<string, Definition>> = {
    [USER]: User.definition as unknown as Definition,
    [ENTERPRISE]: EnterpriseUser.definition as unknown as Definition,
    [GROUP]: Group.definition as unknown as Definition,
  }
  return {
    person(input, active) {
      checkInput(input)
      checkSchemas(input, [USER, ENTERPRISE])
      try {
        const checked = new User({ active, ...withBooleans(input) }, 'in')
        return JSON.parse(JSON.stringify(checked)) as Json
      } catch (thrown) {
        throw refused('invalidValue', thrown instanceof Error ? thrown.message : 'a value has another type')
      }
    },
    attribute(schema, name) {
      try {
        return definitions[schema]?.attribute(name)
      } catch {
        return undefined
      }
    },
    describe: (base) =>
      Object.values(definitions).map((definition) => {
        const described = definition.describe(`${base}/Schemas`)
        return {
          ...described,
          meta: { resourceType: 'Schema', location: `${base}/Schemas/${String(described['id'])}` },
        }
      }),
  }
}

const BOOLEANS: ReadonlySet<string> = new Set(['active', 'primary'])

/** Entra writes "True" and "False". */
const withBooleansIn = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map((item: unknown) => withBooleansIn(item))
  return isObject(value) ? withBooleans(value) : value
}

function withBooleans(value: Json): Json {
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, item]) => {
      if (item === null) return []
      if (BOOLEANS.has(name.toLowerCase())) return item === '' ? [] : [[name.toLowerCase(), toBoolean(item)]]
      if (name === 'manager' && typeof item === 'string') return [[name, { value: item }]]
      return [[name, withBooleansIn(item)]]
    }),
  )
}

export const toBoolean = (value: unknown): unknown =>
  typeof value === 'string' && /^(?:true|false)$/i.test(value) ? value.toLowerCase() === 'true' : value
