/** A vendor: its facts and its tools under their full names. */
import type { Effect } from '@toolway/contract'
import { z } from 'zod'
import type { Json, Tool } from './tool.ts'
import { problemOfTemplates, type Resources } from './resources.ts'
import type { QuotaHeaders } from './waits.ts'

/** The place of an API key; `body` is for vendors that want it as a member of the body, which is then never logged. */
export interface KeyAuth {
  readonly in: 'header' | 'basic-user' | 'body'
  readonly name: string
  readonly prefix?: string
}

export interface VendorFacts<T extends Readonly<Record<string, Tool>>> {
  /** The prefix of the tools' names. */
  readonly id: string
  /** An entry of the table of OAuth providers, or a key. */
  readonly auth: { readonly provider: string } | { readonly key: KeyAuth }
  /** The scopes that tools of an effect need, where they name none themselves. */
  readonly scopes: Readonly<Partial<Record<Effect, readonly string[]>>>
  /** The cheap call that tells whose account this is, for health checks: one of the tools, or one that is not listed. */
  readonly whoami: (keyof T & string) | Tool
  readonly quota?: QuotaHeaders
  /** By template of an address, the read tool without its prefix that answers the content. */
  readonly resources?: Readonly<Record<string, keyof T & string>>
  /** By name without the prefix. */
  readonly tools: T
}

export interface Vendor extends Omit<VendorFacts<Readonly<Record<string, Tool>>>, 'tools' | 'whoami' | 'resources'> {
  readonly whoami: Tool
  readonly resources: Resources
  /** By full name. */
  readonly tools: ReadonlyMap<string, Tool>
}

export const vendor = <T extends Readonly<Record<string, Tool>>>(facts: VendorFacts<T>): Vendor => {
  const whoami = typeof facts.whoami === 'string' ? facts.tools[facts.whoami] : facts.whoami
  if (whoami === undefined) throw new Error(`${facts.id} has no tool of the name that it gives as whoami`)
  const problem = problemOfTemplates(facts.resources ?? {})
  if (problem !== undefined) throw new Error(problem)
  return {
    ...facts,
    whoami,
    resources: facts.resources ?? {},
    tools: new Map(Object.entries(facts.tools).map(([name, tool]) => [`${facts.id}_${name}`, tool])),
  }
}

export const scopesOf = ({ scopes }: Pick<Vendor, 'scopes'>, tool: Tool): readonly string[] =>
  tool.scopes ?? scopes[tool.effect] ?? []

/** The MCP definition of a tool. */
export const definitionOf = (name: string, { effect, description, input, output }: Tool): Json => ({
  name,
  description,
  inputSchema: schemaOf(input, 'input'),
  outputSchema: schemaOf(output, 'output'),
  annotations: { readOnlyHint: effect === 'read', destructiveHint: effect === 'destructive', openWorldHint: true },
})

/** Outputs stay open: a client that checks them must accept a member that a later version adds. */
function schemaOf(schema: z.ZodObject, io: 'input' | 'output'): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io,
    override({ jsonSchema }) {
      if (io === 'output') delete jsonSchema.additionalProperties
      // Bounds that every JSON number has tell a model nothing.
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
    },
  })
  return rest
}
