/** The argument that names the account to act with: taken out of the arguments, because the server knows nothing of it. */
import { Fault } from '@toolway/contract'
import { argumentsOf, type Step } from './step.ts'

export const accountArgument: Step = {
  name: 'accountArgument',
  applies: ({ account }) => account !== undefined,
  before(call) {
    const { account: argument } = call.target
    const value = argumentsOf(call)
    if (argument === undefined || value === undefined || !Object.hasOwn(value, argument)) return
    const { [argument]: account, ...own } = value
    if (typeof account !== 'string' || account === '')
      throw new Fault('params.shape', { place: `/arguments/${argument}`, problem: 'must be the name of an account' })
    call.params['arguments'] = own
    call.account = account
  },
}
