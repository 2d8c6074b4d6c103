/** A rule as it is read, and all of them: what the compiler of rules hands to the one decision. */
import type { Facts, Rule, RuleAction, RuleRef, ToolFacts, ToolPolicy } from '@toolway/contract'
import type { AmbiguousName } from './argument-names.ts'
import type { Condition } from './condition.ts'
import type { Path } from '../lib/parameter-path.ts'

export interface Endpoint {
  readonly organization: string
  readonly toolset: string
}

/** The part of a rule that does not fit a tool, whoever calls it. */
export type SchemaMismatch = 'organization' | 'toolset' | 'connection' | 'tool' | 'connector' | 'effect' | 'category'

/** The names of a tool that patterns are compared with: `sure` are those that exceptions count. */
export interface MatchedNames {
  readonly sure: readonly string[]
  readonly all: readonly string[]
}

/**
 * `yes`, or which part says no. `arguments`: it cannot be known before there are any. `failed`: its condition has no answer, and the
 * rule counts as speaking where it restricts.
 */
export type Matching =
  | { readonly speaks: 'yes'; readonly failed?: string }
  | {
      readonly speaks: 'no'
      readonly because: 'member' | 'key' | 'parameter' | 'when' | 'failed'
      readonly failed?: string
    }
  | { readonly speaks: 'unknown' }

/** The bounds of a tool's own schema for a number at a path. */
export interface Bounds {
  readonly min?: number | undefined
  readonly max?: number | undefined
  readonly integer?: boolean | undefined
  /** It says that a number stands there. */
  readonly counts?: boolean | undefined
}

export interface ReadRule<Action extends RuleAction = RuleAction> {
  readonly rule: Rule<Action>
  /** The problem of the rule, where it cannot be parsed in full. */
  readonly problem: string | undefined
  readonly condition: Condition | undefined
  /** Where its value stands, for those that have one. */
  readonly path: Path | undefined
  /** The parameters as compiled by its action. */
  readonly compiled: unknown
  /** Whether two callers can get different answers from it without any arguments. */
  readonly varies: boolean
  /** Whether it can apply at one endpoint and not at another. */
  readonly boundToEndpoint: boolean
  mismatch(tool: ToolFacts, endpoint: Endpoint): SchemaMismatch | undefined
  /** The first half of `mismatch`: undefined where it can apply to some tool of the endpoint. */
  elsewhere(endpoint: Endpoint): SchemaMismatch | undefined
  /** The second half: undefined where it applies to the tool at some endpoint. `names` are the tool's. */
  otherTool(tool: ToolFacts, names: MatchedNames): SchemaMismatch | undefined
  /** `answers` are kept for the other rules that ask the same of these facts. */
  speaking(facts: Facts, tool: ToolFacts, answers?: Map<Condition, boolean | string>): Matching
}

/** A rule as it stands beside one tool. */
export interface PlacedRule<Action extends RuleAction = RuleAction> extends ReadRule<Action> {
  /** The bounds of the tool's own schema at the path of the rule's value. */
  readonly bounds: Bounds
}

export type FindAmbiguous = (facts: Facts) => AmbiguousName | undefined

/** As the contract has it, and each rule read: for whoever explains them one by one. */
export interface PlacedPolicy extends ToolPolicy {
  /** The first argument whose name a server may read as another one, where rules for this caller name arguments. */
  readonly ambiguous: FindAmbiguous
  readonly placed: readonly PlacedRule[]
}

/** All rules in force in one organization, compiled once per change. */
export interface Policy {
  /** Those that are not off, from the outermost scope inwards. */
  readonly rules: readonly Rule[]
  /** Rules that cannot be read whole: they restrict wherever they could have spoken. */
  readonly problems: readonly { readonly rule: Rule; readonly problem: string }[]
  /**
   * The rules that can speak of a tool as that endpoint serves it; undefined where none can, which costs a call nothing. `schema` is
   * the tool's own input schema: a clamp is never wider than it.
   */
  of(tool: ToolFacts, endpoint: Endpoint, schema?: unknown): PlacedPolicy | undefined
  /** Whether any rule could speak of a tool of that connection, whatever it is called. */
  concerns(of: { readonly connection: string; readonly connector: string }, endpoint: Endpoint): boolean
}

/** A rule as far as whoever meets it needs to know it. */
export const refOf = ({ id, name, scope, action, reason }: Rule): RuleRef => ({ id, name, scope, action, reason })

export type { Change, Facts, Shadow, ToolPolicy, Verdict } from '@toolway/contract'
