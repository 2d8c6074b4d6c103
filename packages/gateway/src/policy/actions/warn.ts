/** A mark: the call goes on, and its record is marked. */
import type { ActionBehaviour } from './action.ts'

export const warn: ActionBehaviour<'warn'> = {
  action: 'warn',
  follows: () => 'the call is made, with a warning in the audit log.',
  says: (_, by) => `The call is made, with a warning in the audit log${by}`,
}
