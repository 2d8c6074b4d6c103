/** The verdict of the rules on one tool, for one caller, with these arguments; and the facts that the rules need for it. */
import type { RuleAction, VerdictAction } from './rule-actions/actions.ts'
import type { ContextFacts, PrincipalFacts, Rule, RuleRef, ToolFacts } from './rules.ts'

/** As `Json` of the protocol, which this package does not know. */
type Json = string | number | boolean | null | Json[] | { [key: string]: Json }
type JsonObject = { [key: string]: Json }

/** The inputs of a decision: nothing else is read, so that the same facts always give the same verdict. */
export interface Facts {
  readonly principal: PrincipalFacts
  readonly context: ContextFacts
  /** Absent where tools are listed: then a rule that asks for arguments neither hides nor changes anything yet. */
  readonly arguments?: JsonObject | undefined
}

/** Facts of nobody in particular: for policies that do not vary, and for what is no longer known of a caller. */
export const ANYBODY: Facts = {
  principal: {
    id: '',
    kind: 'user',
    role: '',
    email: '',
    groups: [],
    key: '',
    keyId: '',
    client: '',
    clientRegistered: false,
  },
  context: { organization: '', toolset: '', time: '', address: '' },
}

/** One value that the rules changed. */
export interface Change {
  /** JSON Pointer into the arguments (RFC 6901). */
  readonly place: string
  readonly how: 'clamped' | 'defaulted' | 'fixed'
  /** Undefined where nothing stood there. */
  readonly from: Json | undefined
  readonly to: Json
  readonly rule: RuleRef
}

/** The outcome that a shadow rule would have had. */
export interface Shadow {
  readonly rule: RuleRef
  readonly would: RuleAction
  /** Why it does not allow the value, where that is what it says. */
  readonly problem?: string | undefined
}

export interface Verdict {
  /** The strictest that holds; actions that do not decide a call are told by their own members. */
  readonly action: VerdictAction
  /** The rule that decided; undefined where none spoke. */
  readonly rule: RuleRef | undefined
  /** Of a rejection: where, as a JSON Pointer, and why. */
  readonly rejected:
    | {
        readonly place: string
        readonly problem: string
        /** The name that the one at this place may be read as, where that is the problem. */
        readonly readAs?: string | undefined
      }
    | undefined
  /** As they are to be sent: the very same object where nothing was changed. */
  readonly arguments: JsonObject | undefined
  readonly changes: readonly Change[]
  readonly warnings: readonly RuleRef[]
  readonly approvals: readonly Rule<'approve'>[]
  readonly sizes: readonly Rule<'size'>[]
  /** Rules to be enforced with what only a call has: budgets, sizes. */
  readonly obligations: readonly Rule[]
  /** Rules that change the input schema in lists. */
  readonly shapes: readonly Rule[]
  readonly shadows: readonly Shadow[]
}

/** The rules that can speak of one tool, read once: what a view keeps beside the tool. */
export interface ToolPolicy {
  readonly tool: ToolFacts
  /** Whether two callers can get different answers without any arguments: then no list can be made for all of them. */
  readonly varies: boolean
  /** Whether any rule refers to an argument by name. */
  readonly namesArguments: boolean
  /** Whether any rule in force can hide it. */
  readonly hides: boolean
  /** In the order in which they were written, from the outermost scope inwards; for whoever explains. */
  readonly rules: readonly Rule[]
  decide(facts: Facts): Verdict
  /** The tool's input schema as the rules of a verdict leave it: the very same object where they change nothing. */
  shape(schema: JsonObject, shapes: Verdict['shapes']): JsonObject
}
