/**
 * The argument by which a caller names one of several accounts, in the definition of a tool: an argument of ours beside the
 * server's own, under a name that the server does not use, and never required.
 */
import { isObject, type JsonObject } from '@toolway/protocol'

/** The name of the argument: `account`, or a name that is free. */
export function accountArgument({ inputSchema }: JsonObject): string {
  const own = propertiesOf(inputSchema)
  let name = 'account'
  for (let at = 1; Object.hasOwn(own, name); at++) name = at === 1 ? 'toolway_account' : `toolway_account_${at}`
  return name
}

const propertiesOf = (schema: unknown): JsonObject =>
  isObject(schema) && isObject(schema['properties']) ? schema['properties'] : {}

/** The definition with the argument in it; the same where it has none. */
export function offerAccount(definition: JsonObject, argument: string | undefined): JsonObject {
  if (argument === undefined) return definition
  return withArgument(definition, argument, {
    type: 'string',
    description: 'The name of the account to use. If omitted: the default account.',
  })
}

/** The same definition, for somebody who has these accounts. */
export function nameAccounts(definition: JsonObject, argument: string, accounts: readonly string[]): JsonObject {
  const property = propertiesOf(definition['inputSchema'])[argument]
  return withArgument(definition, argument, { ...(isObject(property) ? property : {}), enum: [...accounts] })
}

function withArgument(definition: JsonObject, argument: string, schema: JsonObject): JsonObject {
  const { inputSchema } = definition
  const own = isObject(inputSchema) ? inputSchema : { type: 'object' }
  return { ...definition, inputSchema: { ...own, properties: { ...propertiesOf(own), [argument]: schema } } }
}
