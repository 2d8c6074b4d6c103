/**
 * The parameter that says for which organization a function of a contract backend runs. The gateway writes it; what a caller says
 * there counts for nothing, and is on record (ledger S1-CAL-06).
 */
import { isObject, type JsonObject } from '@toolway/protocol'
import type { Target } from '../../catalog/view.ts'
import type { Trail } from '../trail.ts'

const PARAMETER = 'org_id'

/** Taken out before anything looks at the arguments: no rule and no schema is to be about what is not sent. */
export function takeOrganization(params: JsonObject, { connector }: Pick<Target, 'connector'>, trail: Trail): void {
  const { arguments: given } = params
  if (connector !== 'contract' || !isObject(given) || !Object.hasOwn(given, PARAMETER)) return
  const { [PARAMETER]: _, ...own } = given
  params['arguments'] = own
  trail.overwritten = PARAMETER
}
