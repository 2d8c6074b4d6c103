/**
 * The reach of a key or a token. Asked before anything runs, so that an OAuth client can ask its person for more (MCP 2026-07-28,
 * scope challenge handling).
 */
import { Fault, reaches } from '@toolway/contract'
import type { Step } from './step.ts'

export const keyScope: Step = {
  name: 'keyScope',
  admits: true,
  // Every key reaches tools that only read.
  applies: ({ effect }) => !reaches('read', effect),
  before({ requestContext, target: { effect }, name }) {
    if (!reaches(requestContext.principal.limit, effect))
      throw new Fault('scope.insufficient', { tool: name, needed: effect })
  },
}
