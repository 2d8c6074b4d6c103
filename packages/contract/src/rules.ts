/**
 * Rules about tools: what an administrator writes, and what the gateway decides by (ledger U-06, U-07, S3-POLY-01).
 *
 * A rule says where it holds (`scope`), which calls it matches (`match`), and what follows (`action`; one file each in
 * `rule-actions/`). Of all rules that match a call the strictest holds; an inner scope only tightens, except for an exception, which
 * names the rules that it lifts and says why.
 */
import { z } from 'zod'
import { EFFECTS } from './effects.ts'
import type { RuleActionDescription } from './rule-actions/action.ts'
import { ACTIONS, RULE_ACTIONS, type RuleAction } from './rule-actions/actions.ts'
import { ParameterPath, RuleName } from './rule-actions/parameters.ts'

/** From the outermost to the innermost. */
export const RULE_SCOPES = ['platform', 'organization', 'toolset', 'connection', 'member', 'key'] as const
export type RuleScope = (typeof RULE_SCOPES)[number]

/** `shadow`: it only records what it would have done. */
export const RULE_STATES = ['on', 'shadow', 'off'] as const
export type RuleState = (typeof RULE_STATES)[number]

const globs = z.array(z.string().min(1).max(200)).min(1).max(200)

export const RuleMatch = z.strictObject({
  /** Patterns with `*`, in any case, over the server's own name of a tool and over `alias__tool`. */
  tools: globs.default(['*']),
  /** Kinds of connections: `mcp.http`, `mcp.process`, `contract`, `openapi`, `native`. */
  connectors: z.array(z.string().min(1)).min(1).optional(),
  effects: z.array(z.enum(EFFECTS)).min(1).optional(),
  /** The category that a contract states for a tool, or the tag of an OpenAPI operation. */
  categories: globs.optional(),
  /** Slugs of the organizations that a rule of the platform speaks of; absent means all. */
  organizations: z.array(z.string().min(1)).min(1).optional(),
  /** It speaks of calls only that have an argument there. */
  parameter: ParameterPath.optional(),
  /** A condition in CEL over `principal`, `tool`, `args` and `context`. */
  when: z.string().min(1).max(4000).optional(),
})
export type RuleMatch = z.output<typeof RuleMatch>

const reason = z.string().trim().min(1).max(500)
const shared = {
  name: RuleName,
  match: RuleMatch.prefault({}),
  /** A sentence: for whoever is refused, and for whoever asks why the rule is there. */
  reason,
  state: z.enum(RULE_STATES).default('on'),
}
const ruleShape = <const Action extends string, Parameters extends z.ZodType, More extends z.ZodRawShape>(
  action: Action,
  parameters: Parameters,
  more: More,
) => z.strictObject({ ...shared, ...more, action: z.literal(action), parameters })

type Written<All extends readonly unknown[], More extends z.ZodRawShape> = {
  -readonly [At in keyof All]: All[At] extends RuleActionDescription
    ? ReturnType<typeof ruleShape<All[At]['action'], All[At]['parameters'], More>>
    : never
}

/** The words of a rule with more members beside them: where it stands, say. */
export const ruleWordsWith = <More extends z.ZodRawShape>(more: More) =>
  z.discriminatedUnion(
    'action',
    ACTIONS.map(({ action, parameters }) => ruleShape(action, parameters, more)) as unknown as Written<
      typeof ACTIONS,
      More
    >,
    `must be one of ${RULE_ACTIONS.join(', ')}`,
  )

/** A rule as it is written, without the scope that it stands in. */
export const RuleWords = ruleWordsWith({})
export type RuleWords = z.output<typeof RuleWords>
export type RuleWordsOf<Action extends RuleAction> = Extract<RuleWords, { action: Action }>

/** A rule where it stands. */
export type Rule<Action extends RuleAction = RuleAction> = RuleWordsOf<Action> & {
  /** `rul_…` where it is kept in the database, else its place and name in a file. */
  readonly id: string
  readonly scope: RuleScope
  /** Slug of the toolset, alias of the connection, address of the member, or name or id of the key; undefined for the outer two. */
  readonly of: string | undefined
}

/** A rule as far as whoever meets it needs to know it. */
export interface RuleRef {
  readonly id: string
  readonly name: string
  readonly scope: RuleScope
  readonly action: RuleAction
  readonly reason: string
}

/** The caller, as conditions see it. Everything that can distinguish one caller from another is here and nowhere else. */
export interface PrincipalFacts {
  /** `usr_…`, `key_…` or `operator`. */
  readonly id: string
  readonly kind: 'user' | 'key' | 'operator'
  readonly role: string
  /** Address of the member; empty where no member is behind the call. */
  readonly email: string
  readonly groups: readonly string[]
  /** Name of its key, empty without one. */
  readonly key: string
  /** Id of its key, empty without one. */
  readonly keyId: string
  /** The OAuth client or the name that the client gives itself, empty where nothing is known. */
  readonly client: string
  /** Whether the client is known by its registration; otherwise `client` is a claim, and no exception holds by it. */
  readonly clientRegistered: boolean
}

/** A tool, as rules see it. */
/** Names of a tool besides its own and the joined one, at some endpoint. */
export interface OtherNames {
  /** Those that the gateway makes of its connection's alias, such as `mcp__alias__tool`. */
  readonly derived: readonly string[]
  /** Earlier names that its contract states, without the alias. */
  readonly earlier: readonly string[]
  /** Those that toolsets give it. An exception does not count them, as whoever edits a toolset chooses them. */
  readonly chosen: readonly string[]
}

export interface ToolFacts {
  /** Its server's own name of it. */
  readonly name: string
  /** `alias__tool`. */
  readonly joined: string
  readonly connection: string
  readonly connector: string
  readonly effect: string
  /** The source of the effect: `administrator`, `connector`, `server` or `unknown`. */
  readonly effectFrom: string
  readonly category: string
  /** Absent where it is not known how endpoints name it. */
  readonly others?: OtherNames | undefined
}

/** Where and when. */
export interface ContextFacts {
  readonly organization: string
  /** Slug; empty at a connection's own endpoint. */
  readonly toolset: string
  /** RFC 3339. */
  readonly time: string
  /** Address of the other end, empty where it is not known. */
  readonly address: string
  /** The files that the arguments of a call refer to; absent where tools are listed. */
  readonly files?: readonly GivenFile[]
}

/** A file in the arguments of a call. */
export interface GivenFile {
  /** JSON Pointer into the arguments (RFC 6901). */
  readonly place: string
  /** Id of the stored file; empty for one that came with the call. */
  readonly file: string
  readonly name: string
  readonly media_type: string
  /** Bytes. */
  readonly size: number
  /** Hex. */
  readonly sha256: string
}

/** The actions of platform rules that match a tool by its name alone, in the source system's terms (ledger S3-POLY-01). */
export const NAME_ACTIONS = ['block', 'warn'] as const
export type NameAction = (typeof NAME_ACTIONS)[number]

export interface ToolRule {
  readonly id: string
  readonly action: NameAction
  /** A sentence for whoever is refused. */
  readonly reason: string
}
