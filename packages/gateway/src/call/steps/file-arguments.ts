/**
 * The stored files that the arguments refer to. They are looked up before the rules are asked, so that rules, approvals and the record
 * know their names, types, sizes and hashes. Applies only to tools that take files.
 */
import { givenFiles } from '../files/given-files.ts'
import { argumentsOf, type Step } from './step.ts'

export const fileArguments: Step = {
  name: 'fileArguments',
  applies: ({ filePlaces }) => filePlaces !== undefined,
  async before(call, parts) {
    const { filePlaces = [] } = call.target
    call.files = await givenFiles(parts, call.requestContext, filePlaces, argumentsOf(call) ?? {})
    if (call.files.length > 0) call.audit.note({ givenFiles: call.files })
  },
}
