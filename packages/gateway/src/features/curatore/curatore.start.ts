/** What the preset is at a gateway: its organization and endpoints, as the policy files are, and who confirms calls there. */
import type { ConnectionId } from '@toolway/contract'
import type { Base } from '../../base/base.ts'
import { createConfirmations } from '../../call/approvals/confirmations.ts'
import type { CatalogRow } from '../../catalog/catalogs.ts'
import type { RequestContext } from '../../snapshot/ports/request-context.ts'
import {
  asksAt,
  bindToProfile,
  curatoreOrganization,
  installationOf,
  isConfirmation,
  placeOfProfile,
  profilesOf,
} from './curatore.ts'
import { createKeepPolicies } from './keep-policies.ts'
import { createPolicies } from './policies.ts'

export type Curatore = Awaited<ReturnType<typeof startCuratore>>

/** @param onChange another policy is in force */
export async function startCuratore({ config, vault, log, opened }: Base, onChange: () => Promise<void>) {
  const policies = await createKeepPolicies({ profiles: profilesOf(config), log, onChange })
  opened.defer(() => policies.close())
  return {
    installation: installationOf(config),
    organization: () => curatoreOrganization(config, policies.profiles()),
    bind: bindToProfile,
    placeOf: placeOfProfile,
    confirms: (requestContext: RequestContext) => asksAt(policies.profiles(), requestContext),
    confirmations: (findCatalog: (id: ConnectionId) => Pick<CatalogRow, 'tools'> | undefined) =>
      createConfirmations({
        signer: vault,
        confirms: isConfirmation,
        definitionOf: ({ target }) => findCatalog(target.connectionId)?.tools?.find(({ name }) => name === target.name),
      }),
    watch: policies.watch,
    problem: policies.problem,
    policies: (again: () => Promise<void>) => createPolicies(policies, again),
  }
}
