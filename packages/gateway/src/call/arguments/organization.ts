/**
 * The parameter that says for which organization a function of a contract backend runs. The gateway writes it; what a caller says
 * there counts for nothing, and is on record (ledger S1-CAL-06).
 */
import { Fault } from '@toolway/contract'
import { isObject, type JsonObject } from '@toolway/protocol'
import { foldName } from '../../policy/argument-names.ts'
import { pointerOf } from '../../lib/parameter-path.ts'
import type { Target } from '../../catalog/view.ts'
import type { Trail } from '../trail.ts'

const PARAMETER = 'org_id'

/** Taken out before anything looks at the arguments: no rule and no schema is to be about what is not sent. */
export function takeOrganization(params: JsonObject, { connector }: Pick<Target, 'connector'>, trail: Trail): void {
  const { arguments: given } = params
  if (connector !== 'contract' || !isObject(given)) return
  const like = Object.keys(given).find((name) => name !== PARAMETER && foldName(name) === PARAMETER)
  if (like !== undefined) throw new Fault('arguments.ambiguous', { place: pointerOf([like]), name: PARAMETER })
  if (!Object.hasOwn(given, PARAMETER)) return
  const { [PARAMETER]: _, ...own } = given
  params['arguments'] = own
  trail.overwritten = PARAMETER
}
