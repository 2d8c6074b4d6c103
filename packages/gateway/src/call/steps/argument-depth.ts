/** The nesting of arguments (ledger U-16): deeper ones are refused before anything walks them. The object of all arguments is level 1. */
import { Fault } from '@toolway/contract'
import { isShallow } from '../../lib/shallow.ts'
import type { Step } from './step.ts'

export const argumentDepth: Step = {
  name: 'argumentDepth',
  admits: true,
  applies: () => true,
  before({ params }, { argumentDepth: limit }) {
    if (!isShallow(params['arguments'], limit))
      throw new Fault('request.too-deep', { limit, place: 'params.arguments' })
  },
}
