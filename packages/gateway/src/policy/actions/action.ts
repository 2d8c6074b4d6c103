/**
 * The behaviour of a rule action: how it is checked, what it does to arguments, to a listing and to a call, and its sentences in an
 * explanation. Its name, parameters and forms are in `contract/rule-actions`. The actions are listed in `actions.ts`.
 *
 * Decisions are pure: only `enforce` meets a call.
 */
import type { Change, Facts, Rule, RuleAction, RuleScope, RuleWordsOf, ToolFacts, Verdict } from '@toolway/contract'
import type { Json, JsonObject } from '@toolway/protocol'
import type { PlacedRule } from '../verdict.ts'

/** Where in a rule (JSON Pointer), and what is wrong there. */
export interface RuleProblem {
  readonly place: string
  readonly problem: string
}
export type Say = (place: string, problem: string) => void

/** Where in the arguments (JSON Pointer), and why a rule does not allow them. */
export interface Rejection {
  readonly place: string
  readonly problem: string
}

/** A budget of calls. `name` says whose it is. */
export interface CallBudget {
  readonly name: string
  readonly calls: number
  readonly seconds: number
  readonly reason: string
}

/** The data of a call that enforcing a rule may use. */
export interface Enforcing {
  readonly tool: string
  readonly arguments: JsonObject | undefined
  readonly organizationId: string
  /** The id of the caller, and of its session where it has one. */
  readonly caller: string
  readonly session: string | undefined
  /** Spends one call of all of these budgets, or of none. Rejects where one is spent. */
  spend(budgets: readonly CallBudget[]): Promise<void> | undefined
}

export interface ActionBehaviour<Action extends RuleAction = RuleAction> {
  readonly action: Action

  /** Reports contradictions in a rule, and rules without any effect. */
  check?(words: RuleWordsOf<Action>, scope: RuleScope, say: Say): void
  /** The part of the parameters that cannot be carried out. */
  unreadable?(parameters: Rule<Action>['parameters']): RuleProblem | undefined
  /** Compiles the parameters, stored with the rule (`ReadRule.compiled`). Throws on an error in them. */
  compile?(parameters: Rule<Action>['parameters']): unknown
  /** Paths of arguments that are never kept on record. */
  redacts?(parameters: Rule<Action>['parameters']): readonly string[]

  /** Why a rule does not allow these arguments; undefined where it does. */
  refuse?(rule: PlacedRule<Action>, args: JsonObject, tool: ToolFacts): Rejection | undefined
  /** The arguments as they are to be sent: the very same object where nothing is changed. */
  change?(rule: PlacedRule<Action>, args: JsonObject, changes: Change[]): JsonObject
  /** The tool's input schema, as lists show it. */
  shape?(schema: JsonObject, parameters: Rule<Action>['parameters']): JsonObject
  /** All matching rules of the action, before a call is sent. Throws the refusal. */
  enforce?(rules: readonly Rule<Action>[], call: Enforcing): Promise<void> | undefined
  /** Throws what the caller is told where the action is the outcome of a call. */
  refusal?(verdict: Verdict, tool: string): Error

  /** Values of arguments that may pass, to be tried by an explanation. */
  exampleValues?(parameters: Rule<Action>['parameters'], parameter: string): readonly Json[]
  /** The effect of one matching rule in a sentence; `verdict` is that of this rule alone. */
  follows(rule: Rule<Action>, verdict: Verdict, facts: Facts): string
  /** The verdict in a sentence, where the action is the outcome. `by` names the rule. */
  says?(verdict: Verdict, by: string): string
  /** Whether a rule whose arguments are not on record could change this outcome. Absent: where it is stricter. */
  couldChange?(verdict: Verdict): boolean
  /** It depends on what is never on record, and a replay leaves it out. */
  readonly notReplayed?: true
}
