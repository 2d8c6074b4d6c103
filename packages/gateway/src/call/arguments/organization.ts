/**
 * The parameter that says for which organization a function of a contract backend runs. The gateway writes it; what a caller says
 * there counts for nothing, and is on record (ledger S1-CAL-06).
 */
import { Fault, kindOf } from '@toolway/contract'
import { isObject, type JsonObject } from '@toolway/protocol'
import { foldName } from '../../policy/argument-names.ts'
import { pointerOf } from '../../lib/parameter-path.ts'
import type { Target } from '../../catalog/view.ts'
import type { Trail } from '../trail.ts'

/** Taken out before anything looks at the arguments: no rule and no schema is to be about what is not sent. */
export function takeOrganization(params: JsonObject, { connector }: Pick<Target, 'connector'>, trail: Trail): void {
  const { arguments: given } = params
  const parameter = kindOf(connector)?.organizationArgument
  if (parameter === undefined || !isObject(given)) return
  const like = Object.keys(given).find((name) => name !== parameter && foldName(name) === parameter)
  if (like !== undefined) throw new Fault('arguments.ambiguous', { place: pointerOf([like]), name: parameter })
  if (!Object.hasOwn(given, parameter)) return
  const { [parameter]: _, ...own } = given
  params['arguments'] = own
  trail.overwritten = parameter
}
