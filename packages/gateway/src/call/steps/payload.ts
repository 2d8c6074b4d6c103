/** Keeping what is sent, where the connection's administrators want that. The answer is added when the call ends (`call.ts`). */
import type { Step } from './step.ts'

export const payload: Step = {
  name: 'payload',
  applies: ({ keepsPayload }) => keepsPayload,
  before({ audit, params }) {
    audit.note({ payload: { params } })
  },
}
