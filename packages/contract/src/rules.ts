/**
 * Rules about tools: what an administrator writes, and what the gateway decides by (ledger U-06, U-07, S3-POLY-01).
 *
 * A rule says where it holds (`scope`), what it speaks of (`match`), and what follows (`action`). Among all that speak of a call the
 * strictest holds; an inner scope only tightens, but for an exception that names the rules that it lifts and says why.
 */
import { z } from 'zod'
import { EFFECTS } from './effects.ts'
import { ROLES } from './roles.ts'

/** From the outermost to the innermost. */
export const RULE_SCOPES = ['platform', 'organization', 'toolset', 'connection', 'member', 'key'] as const
export type RuleScope = (typeof RULE_SCOPES)[number]

/** From the mildest to the strictest, where several speak of one call. */
export const RULE_ACTIONS = [
  'allow',
  'warn',
  'size',
  'rate',
  'lock',
  'clamp',
  'approve',
  'reject',
  'block',
  'hide',
] as const
export type RuleAction = (typeof RULE_ACTIONS)[number]

/** `shadow`: it only records what it would have done. */
export const RULE_STATES = ['on', 'shadow', 'off'] as const
export type RuleState = (typeof RULE_STATES)[number]

/** Names rules for exceptions, records and people; one for each scope and what it is of. */
export const RuleName = z.string().regex(/^[a-z0-9](?:[a-z0-9._-]{0,62}[a-z0-9])?$/, {
  error: 'a rule name has 1 to 64 characters of a-z, 0-9, ".", "_" and "-"',
})

/** A place in the arguments: names with dots between them, `*` for each element of an array; a dot in a name is written `\.`. */
export const ParameterPath = z
  .string()
  .min(1)
  .max(200)
  .regex(/^(?:[^.\\]|\\.)+(?:\.(?:[^.\\]|\\.)+){0,15}$/, {
    error: 'a parameter path is names with dots between them, "limit" or "filters.custom.owner"',
  })

const globs = z.array(z.string().min(1).max(200)).min(1).max(200)

export const RuleMatch = z.strictObject({
  /** Patterns with `*`, in any case, over the server's own name of a tool and over `alias__tool`. */
  tools: globs.default(['*']),
  /** Kinds of connections: `mcp.http`, `mcp.process`, `contract`, `openapi`. */
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

const Scalar = z.union([z.string().max(10_000), z.number(), z.boolean(), z.null()])
/** JSON, as deep as an argument may be locked to. */
const Fixed = z.json()
const bytes = z
  .int()
  .positive()
  .max(64 * 1024 * 1024)

/** The part of a result that reaches the caller; the rest is stored for the caller for a limited time. */
export const ResultBudget = z.strictObject({
  /** Bytes of UTF-8 of all text together. */
  text: bytes.optional(),
  /** Rows of the longest list in structured content. */
  rows: z.int().positive().max(1_000_000).optional(),
  /** Only these members of structured content, as paths: `items.*.id`. */
  fields: z.array(ParameterPath).min(1).max(200).optional(),
  /** These members are replaced by `[redacted]`. */
  redact: z.array(ParameterPath).min(1).max(200).optional(),
})
export type ResultBudget = z.output<typeof ResultBudget>

/** The approvers. A user qualifies who has one of the roles, is one of the members, or belongs to one of the groups. */
export const Approvers = z.strictObject({
  roles: z.array(z.enum(ROLES)).min(1).optional(),
  /** Addresses of members. */
  members: z.array(z.email()).min(1).optional(),
  groups: z.array(z.string().min(1)).min(1).optional(),
  /** Ids of webhooks whose signed answers count. */
  webhooks: z.array(z.string().min(1)).min(1).optional(),
  /** Whether whoever calls may grant its own call, where a person is behind it. */
  self: z.boolean().default(false),
})
export type Approvers = z.output<typeof Approvers>

const PARAMETERS = {
  allow: z.strictObject({
    /** Names of rules that do not hold where this one speaks; of the same scope's writer, never the platform's from within. */
    lifts: z.array(RuleName).min(1).max(100),
  }),
  warn: z.strictObject({}),
  size: z.strictObject({ arguments: bytes.optional(), result: ResultBudget.optional() }),
  rate: z.strictObject({
    calls: z.int().positive().max(1_000_000),
    /** Seconds. */
    per: z.int().positive().max(86_400).default(60),
    /** The scope that shares the budget. */
    of: z.enum(['caller', 'organization', 'session']).default('caller'),
  }),
  lock: z.strictObject({
    parameter: ParameterPath,
    value: Fixed,
    /** `fixed`: whatever is said, this is sent, and the schema does not show it. `default`: sent where nothing is said. */
    as: z.enum(['fixed', 'default']).default('fixed'),
  }),
  clamp: z.strictObject({
    parameter: ParameterPath,
    min: z.number().optional(),
    max: z.number().optional(),
    /** Sent where nothing is said. */
    default: Scalar.optional(),
  }),
  approve: z.strictObject({
    by: Approvers.prefault({ roles: ['tenant_admin'] }),
    /** How many different people have to grant it. */
    quorum: z.int().min(1).max(10).default(1),
    /** Seconds until an unanswered question is a refusal. */
    wait: z.int().min(10).max(604_800).default(3600),
    /** Seconds for which the same call with the same arguments needs no new grant; 0: each call needs its own. */
    repeat: z.int().min(0).max(604_800).default(0),
    /** Whether the answer may be "always for this tool": for that caller, the tool as it is defined, and never for what destroys. */
    always: z.boolean().default(false),
  }),
  reject: z.strictObject({
    parameter: ParameterPath.optional(),
    min: z.number().optional(),
    max: z.number().optional(),
    /** Only these values. */
    in: z.array(Scalar).min(1).max(1000).optional(),
    /** Only texts that a regular expression (RE2) fits whole. */
    pattern: z.string().max(1000).optional(),
  }),
  block: z.strictObject({}),
  hide: z.strictObject({}),
} as const

const reason = z.string().trim().min(1).max(500)
const shared = {
  name: RuleName,
  match: RuleMatch.prefault({}),
  /** A sentence: for whoever is refused, and for whoever asks why the rule is there. */
  reason,
  state: z.enum(RULE_STATES).default('on'),
}
const written = <const Action extends RuleAction, Parameters extends z.ZodType, More extends z.ZodRawShape>(
  action: Action,
  parameters: Parameters,
  more: More,
) => z.strictObject({ ...shared, ...more, action: z.literal(action), parameters })

/** The words of a rule with more members beside them: where it stands, say. */
export const ruleWordsWith = <More extends z.ZodRawShape>(more: More) =>
  z.discriminatedUnion(
    'action',
    [
      written('allow', PARAMETERS.allow, more),
      written('warn', PARAMETERS.warn.prefault({}), more),
      written('size', PARAMETERS.size, more),
      written('rate', PARAMETERS.rate, more),
      written('lock', PARAMETERS.lock, more),
      written('clamp', PARAMETERS.clamp, more),
      written('approve', PARAMETERS.approve.prefault({}), more),
      written('reject', PARAMETERS.reject.prefault({}), more),
      written('block', PARAMETERS.block.prefault({}), more),
      written('hide', PARAMETERS.hide.prefault({}), more),
    ],
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
