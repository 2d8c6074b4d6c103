/** The facts that rules see: the caller, the endpoint, the time, and the arguments where there are any. */
import type { Facts, GivenFile, PrincipalFacts } from '@toolway/contract'
import type { JsonObject } from '@toolway/protocol'
import type { RequestContext } from '../../snapshot/ports/request-context.ts'
import type { From } from '../audit-facts.ts'

const NONE: readonly GivenFile[] = []

/** The facts of a call, or of a list where there are no arguments. */
export const factsOf = (
  { who, organization, toolset }: Pick<RequestContext, 'who' | 'organization' | 'toolset'>,
  { client, from }: { readonly client: string | undefined; readonly from?: From },
  args?: JsonObject,
  files: readonly GivenFile[] = NONE,
): Facts => ({
  principal: clientOf(who(), client),
  context: {
    organization,
    toolset: toolset ?? '',
    time: new Date().toISOString(),
    address: from?.address ?? '',
    ...(args === undefined ? {} : { files }),
  },
  arguments: args,
})

/** An OAuth client is known by its registration; of any other there is only its own claim, which carries no exception. */
const clientOf = (principal: PrincipalFacts, named: string | undefined): PrincipalFacts =>
  principal.client !== '' || named === undefined ? principal : { ...principal, client: named }
