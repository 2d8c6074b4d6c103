/** A mark: the call goes on, and its record is marked. */
import type { ActionBehaviour } from './action.ts'

export const warn: ActionBehaviour<'warn'> = {
  action: 'warn',
  follows: () => 'the call is marked on record and goes on.',
  says: (_, by) => `It is called and marked${by}`,
}
