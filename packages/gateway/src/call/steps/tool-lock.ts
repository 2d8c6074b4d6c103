/** A tool that its server changed and nobody has accepted yet: it is not listed, and whoever calls it is told that it is held. */
import { Fault } from '@toolway/contract'
import type { Step } from './step.ts'

export const toolLock: Step = {
  name: 'toolLock',
  applies: ({ held }) => held !== undefined,
  list: () => undefined,
  before({ name }) {
    throw new Fault('tool.held', { tool: name })
  },
}
