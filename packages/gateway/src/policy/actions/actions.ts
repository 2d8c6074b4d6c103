/** The behaviours of all rule actions, and the orders in which they are asked. A new action is a file and a line here. */
import { RULE_ACTIONS, VERDICT_ACTIONS, type Rule, type RuleAction } from '@toolway/contract'
import type { ActionBehaviour } from './action.ts'
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

const ACTIONS: { readonly [Action in RuleAction]: ActionBehaviour<Action> } = {
  ...{ allow, warn, size, rate },
  // Actions on arguments are carried out in this order: fixed values are checked, and what is allowed is brought within bounds.
  ...{ lock, reject, clamp },
  ...{ approve, block, hide },
}

export const behaviourOf = (action: RuleAction): ActionBehaviour => ACTIONS[action] as ActionBehaviour

const all = (Object.keys(ACTIONS) as RuleAction[]).map(behaviourOf)

/** Actions that refuse or change arguments, in their order. */
export const ON_ARGUMENTS = all.filter(({ refuse, change }) => refuse !== undefined || change !== undefined)
export const SHAPING = all.filter(({ shape }) => shape !== undefined).map(({ action }) => action)
export const ENFORCED = RULE_ACTIONS.filter((action) => behaviourOf(action).enforce !== undefined)

const strictest = VERDICT_ACTIONS.toReversed()
/** Outcomes that are stricter than a refusal by value, and those that are milder; the strictest first, exceptions left out. */
export const STRICTER = strictest.slice(0, strictest.indexOf('reject'))
export const MILDER = strictest.slice(strictest.indexOf('reject') + 1).filter((action) => action !== 'allow')

/** Paths of arguments that rules keep off the record. */
export const redactedBy = ({ action, parameters }: Rule): readonly string[] =>
  behaviourOf(action).redacts?.(parameters) ?? []
