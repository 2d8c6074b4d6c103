/** What the rules say of this call, asked of the one decision; and of tools before anybody calls them. */
import type { Facts, PrincipalFacts, Verdict } from '@toolway/contract'
import type { JsonObject } from '@toolway/protocol'
import { ruledDefinition } from '../../catalog/ruled-definition.ts'
import type { ToolTarget } from '../../catalog/view.ts'
import type { Standing } from '../ports.ts'
import type { Trail } from '../trail.ts'

/** The facts of a call, or of a list where there are no arguments. */
export const factsOf = (
  { who, organization, toolset }: Pick<Standing, 'who' | 'organization' | 'toolset'>,
  { client, from }: { readonly client?: string | undefined; readonly from?: Trail['from'] },
  args?: JsonObject,
): Facts => ({
  principal: clientOf(who(), client),
  context: {
    organization,
    toolset: toolset ?? '',
    time: new Date().toISOString(),
    address: from?.address ?? '',
  },
  arguments: args,
})

/** An OAuth client is known by its registration; of any other there is only its own claim, which carries no exception. */
const clientOf = (principal: PrincipalFacts, named: string | undefined): PrincipalFacts =>
  principal.client !== '' || named === undefined ? principal : { ...principal, client: named }

const NO_ARGUMENTS: JsonObject = {}

/** Undefined where no rule can speak of the tool, which most calls are. */
export const judge = (
  { policy }: Pick<ToolTarget, 'policy'>,
  standing: Standing,
  trail: Trail,
  given: JsonObject | undefined,
): { readonly verdict: Verdict; readonly facts: Facts } | undefined => {
  if (policy === undefined) return undefined
  const facts = factsOf(standing, trail, given ?? NO_ARGUMENTS)
  return { verdict: policy.decide(facts), facts }
}

/** Whether it is not in the caller's lists either; what is kept from everybody is not even in the view. */
export const isKeptFrom = ({ policy }: Pick<ToolTarget, 'policy'>, standing: Standing, trail: Trail): boolean =>
  policy?.varies === true && policy.decide(factsOf(standing, trail)).action === 'hide'

/**
 * Definitions as this caller is to see them: without those that rules keep from it, and with the arguments that they leave it. What
 * is the same for everybody was done when the view was made.
 */
export function ruledFor(
  standing: Pick<Standing, 'who' | 'organization' | 'toolset' | 'view'>,
  from: Parameters<typeof factsOf>[1],
  definitions: readonly JsonObject[],
): readonly JsonObject[] {
  const { view } = standing
  if (!view.varies) return definitions
  let facts: Facts | undefined
  return definitions.flatMap((definition) => {
    const policy = view.tool(String(definition['name']))?.policy
    if (policy?.varies !== true) return [definition]
    facts ??= factsOf(standing, from)
    const ruled = ruledDefinition(definition, policy, facts)
    return ruled === undefined ? [] : [ruled]
  })
}
