/** A refusal that answers like a tool that does not exist. */
import { Fault } from '@toolway/contract'
import type { ActionBehaviour } from './action.ts'

export const hide: ActionBehaviour<'hide'> = {
  action: 'hide',
  refusal: (_, tool) => new Fault('tool.unknown', { tool }),
  follows: () => 'the tool does not exist for this caller.',
  says: (_, by) => `The tool is neither listed nor found${by}`,
}
