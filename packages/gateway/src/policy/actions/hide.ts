/** A refusal that answers like a tool that does not exist. */
import { Fault } from '@toolway/contract'
import type { ActionBehaviour } from './action.ts'

export const hide: ActionBehaviour<'hide'> = {
  action: 'hide',
  refusal: (_, tool) => new Fault('tool.unknown', { tool }),
  follows: () => 'the tool is not there for this caller.',
  says: (_, by) => `It is neither listed nor found${by}`,
}
