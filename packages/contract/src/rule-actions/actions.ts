/** The rule actions, from the mildest to the strictest, where several rules match one call. A new one is a file and a line here. */
import type { RuleActionDescription } from './action.ts'
import { allow } from './allow.ts'
import { approve } from './approve.ts'
import { block } from './block.ts'
import { clamp } from './clamp.ts'
import { hide } from './hide.ts'
import { lock } from './lock.ts'
import { rate } from './rate.ts'
import { reject } from './reject.ts'
import { size } from './size.ts'
import { warn } from './warn.ts'

export const ACTIONS = [allow, warn, size, rate, lock, clamp, approve, reject, block, hide] as const
type Actions = typeof ACTIONS

export type RuleAction = Actions[number]['action']
export const RULE_ACTIONS: readonly RuleAction[] = ACTIONS.map(({ action }) => action)

const BY_NAME: ReadonlyMap<string, RuleActionDescription> = new Map(ACTIONS.map((action) => [action.action, action]))

/** Undefined for a name that is no action's; an action is always known. */
export function ruleActionOf(action: RuleAction): RuleActionDescription
export function ruleActionOf(action: string): RuleActionDescription | undefined
export function ruleActionOf(action: string): RuleActionDescription | undefined {
  return BY_NAME.get(action)
}

/** Actions that can be the outcome of a call, from the mildest to the strictest. */
export type VerdictAction = Extract<Actions[number], { readonly outcome: string }>['action']
const decides = (action: RuleAction): action is VerdictAction => ruleActionOf(action).outcome !== undefined
export const VERDICT_ACTIONS: readonly VerdictAction[] = RULE_ACTIONS.filter(decides)
export const outcomeOf = (action: VerdictAction) => ruleActionOf(action).outcome
