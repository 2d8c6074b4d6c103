/**
 * The parameter that says for which organization a function of a contract backend runs. The gateway writes it; what a caller says
 * there counts for nothing, and is on record (ledger S1-CAL-06).
 */
import { Fault, kindOf } from '@toolway/contract'
import { foldName } from '../../policy/argument-names.ts'
import { pointerOf } from '../../lib/parameter-path.ts'
import { argumentsOf, type Step } from './step.ts'

export const organizationArgument: Step = {
  name: 'organizationArgument',
  applies: ({ connector }) => kindOf(connector)?.organizationArgument !== undefined,
  /** Taken out before anything looks at the arguments: no rule and no schema is to be about what is not sent. */
  before(call) {
    const given = argumentsOf(call)
    const parameter = kindOf(call.target.connector)?.organizationArgument
    if (given === undefined || parameter === undefined) return
    const like = Object.keys(given).find((name) => name !== parameter && foldName(name) === parameter)
    if (like !== undefined) throw new Fault('arguments.ambiguous', { place: pointerOf([like]), name: parameter })
    if (!Object.hasOwn(given, parameter)) return
    const { [parameter]: _, ...own } = given
    call.params['arguments'] = own
    call.audit.note({ overwritten: parameter })
  },
}
