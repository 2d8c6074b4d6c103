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
    const value = argumentsOf(call)
    const parameter = kindOf(call.target.connector)?.organizationArgument
    if (value === undefined || parameter === undefined) return
    const like = Object.keys(value).find((name) => name !== parameter && foldName(name) === parameter)
    if (like !== undefined) throw new Fault('arguments.ambiguous', { place: pointerOf([like]), name: parameter })
    if (!Object.hasOwn(value, parameter)) return
    const { [parameter]: _, ...own } = value
    call.params['arguments'] = own
    call.audit.note({ overwritten: parameter })
  },
}
