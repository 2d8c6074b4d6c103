/** Looking at rules before they bite: why a call would end as it would, what shadow rules would have done, and a draft on what happened. */
import { z } from 'zod'
import { RULE_ACTIONS, VERDICT_ACTIONS } from '../../rule-actions/actions.ts'
import { RuleName } from '../../rule-actions/parameters.ts'
import { RULE_SCOPES, RULE_STATES, ruleWordsWith } from '../../rules.ts'
import { EFFECT_SOURCES, EFFECTS } from '../../effects.ts'
import { inOrganization, operation } from '../../admin/operation.ts'

const POLICY = '/api/v1/organizations/{organization}/policy'
const needs = inOrganization('policy_manage')

const Ref = z.strictObject({
  id: z.string(),
  name: z.string(),
  scope: z.enum(RULE_SCOPES),
  action: z.enum(RULE_ACTIONS),
  reason: z.string(),
})

export const ExplainedRule = Ref.extend({
  /** Of what its scope is, where it is of something. */
  of: z.string().nullable(),
  state: z.enum(RULE_STATES),
  /** `lifted`: it speaks, and an exception lifts it. `unknown`: that depends on arguments. */
  speaks: z.enum(['yes', 'no', 'lifted', 'unknown']),
  /** The part that says no: of its match, its scope, or its condition. */
  because: z.string().nullable(),
  /** The fact that decided, in a sentence. */
  why: z.string(),
  /** The values that its condition and its parameter read; absent values are left out. */
  reads: z.array(z.strictObject({ what: z.string(), value: z.json().optional() })),
  /** The consequence of this rule alone. */
  follows: z.string().nullable(),
  /** The changes that would make it let the call pass; each was tried. */
  passes: z.array(z.string()),
})
export type ExplainedRule = z.output<typeof ExplainedRule>

export const Explanation = z.strictObject({
  tool: z.strictObject({
    name: z.string(),
    joined: z.string(),
    connection: z.string(),
    connector: z.string(),
    effect: z.enum(EFFECTS),
    /** The source of the effect. */
    effectFrom: z.string(),
    category: z.string(),
  }),
  caller: z.strictObject({
    id: z.string(),
    kind: z.enum(['user', 'key', 'operator']),
    role: z.string(),
    email: z.string(),
    groups: z.array(z.string()),
    key: z.string(),
    limit: z.string(),
  }),
  toolset: z.string(),
  /** The checks before the rules, in their order: the first that stops ends the call. */
  before: z.array(z.strictObject({ what: z.string(), stops: z.boolean(), why: z.string() })),
  /** In the order in which they are asked, from the outermost scope inwards. */
  rules: z.array(ExplainedRule),
  verdict: z.strictObject({
    /** `none`: something stops the call before any rule is asked. */
    action: z.enum(['none', ...VERDICT_ACTIONS]),
    rule: Ref.nullable(),
    /** The whole in a sentence. */
    says: z.string(),
    place: z.string().nullable(),
    approvals: z.array(z.string()),
    /** The changes of which any one alone would let the whole call pass; each was tried. */
    passes: z.array(z.string()),
  }),
  changes: z.array(
    z.strictObject({ place: z.string(), how: z.string(), from: z.json().optional(), to: z.json(), rule: z.string() }),
  ),
  /** As they would be sent; null where nothing would be sent, or no arguments were given. */
  sends: z.record(z.string(), z.json()).nullable(),
  shadows: z.array(z.strictObject({ rule: z.string(), would: z.string(), problem: z.string().nullable() })),
})
export type Explanation = z.output<typeof Explanation>

const Days = z.coerce.number().int().min(1).max(90).default(7)

export const listShadows = operation({
  id: 'listShadows',
  at: `GET ${POLICY}/shadow`,
  summary: 'Show what each shadow rule would have done in recent days, by tool and caller.',
  needs,
  query: z.strictObject({ days: Days }),
  answer: z.strictObject({
    days: z.int(),
    items: z.array(
      z.strictObject({
        rule: z.string(),
        would: z.string(),
        tool: z.string(),
        /** Address of the member or name of the key, else the id. */
        caller: z.string(),
        calls: z.int(),
        first: z.iso.datetime(),
        last: z.iso.datetime(),
        /** Id of the newest record. */
        example: z.string(),
      }),
    ),
    /** More than fit: the rarest are left out. */
    truncated: z.boolean(),
  }),
})

/** A rule with where it stands, in one. */
export const DraftRule = ruleWordsWith({
  scope: z.enum(RULE_SCOPES).default('organization'),
  /** Slug, alias, address of a member, or id of a key; as the scope wants it. */
  of: z.string().min(1).max(300).optional(),
})
export type DraftRule = z.output<typeof DraftRule>

/** A change of the rules in force: what it names takes the place of the rule of that name and scope, or is new. */
export const PolicyDraft = z.strictObject({
  rules: z.array(DraftRule).max(2000).default([]),
  /** Names of rules that are to be gone. */
  remove: z.array(RuleName).max(2000).default([]),
  /** `change`: the other rules stay. `whole`: these are all rules, the platform's stay. */
  as: z.enum(['change', 'whole']).default('change'),
})
export type PolicyDraft = z.output<typeof PolicyDraft>

export const explainPolicy = operation({
  id: 'explainPolicy',
  at: `POST ${POLICY}/explain`,
  summary: 'Explain the outcome of a call: each rule, the deciding fact, and what would allow it.',
  needs,
  body: z.strictObject({
    /** `alias__tool`, or any other name that an endpoint lists it under; in doubt, the one of the toolset. */
    tool: z.string().min(1).max(500),
    /** The address of a member. */
    as: z.email().max(254).optional(),
    /** Name or id of a key of the organization. */
    key: z.string().min(1).max(200).optional(),
    toolset: z.string().min(1).max(100).optional(),
    client: z.string().max(200).optional(),
    address: z.string().max(100).optional(),
    /** RFC 3339; now where it is not said. */
    time: z.iso.datetime({ offset: true }).optional(),
    arguments: z.record(z.string(), z.json()).optional(),
    /** The rules as they would be with this. */
    draft: PolicyDraft.optional(),
  }),
  answer: Explanation,
})

export const DraftCheck = z.strictObject({
  /** In the order in which they are to be mended. */
  problems: z.array(z.strictObject({ /** In the rule: JSON Pointer. */ place: z.string(), problem: z.string() })),
  /** The tools that it would match, regardless of its condition and the arguments; null while its fields cannot be read. */
  tools: z
    .strictObject({
      fitting: z.int(),
      all: z.int(),
      named: z.array(
        z.strictObject({ name: z.string(), effect: z.enum(EFFECTS), effect_from: z.enum(EFFECT_SOURCES) }),
      ),
    })
    .nullable(),
})
export type DraftCheck = z.output<typeof DraftCheck>

export const checkDraftRule = operation({
  id: 'checkDraftRule',
  at: `POST ${POLICY}/check`,
  summary: 'Validate a draft rule and list the tools that it matches. Nothing is stored.',
  needs,
  body: z.strictObject({
    scope: z.enum(RULE_SCOPES).default('organization'),
    of: z.string().min(1).max(300).optional(),
    /** Its name, match, action, parameters and reason, finished or not. */
    words: z.record(z.string(), z.unknown()),
  }),
  answer: DraftCheck,
})

const Difference = z.strictObject({
  tool: z.string(),
  /** Address of the member or name of the key, else the id. */
  caller: z.string(),
  now: z.string(),
  draft: z.string(),
  /** The rules that decide on both sides. */
  by: z.strictObject({ now: z.string().nullable(), draft: z.string().nullable() }),
  calls: z.int(),
  /** Ids of records, the newest first. */
  examples: z.array(z.string()),
})

export const ReplayReport = z.strictObject({
  days: z.int(),
  /** Calls of tools on record in that time. */
  read: z.int(),
  /** Judged alike by both. */
  same: z.int(),
  different: z.int(),
  differences: z.array(Difference),
  /** The calls that could not be evaluated, by reason: the number read is the sum of these, `same` and `different`. */
  unjudged: z.array(z.strictObject({ why: z.string(), calls: z.int(), examples: z.array(z.string()) })),
  /** Whether more was on record than is read, or more differs than is listed. */
  truncated: z.boolean(),
  /** The problems of the draft's rules: such rules restrict wherever they could match. */
  problems: z.array(z.strictObject({ rule: z.string(), problem: z.string() })),
})
export type ReplayReport = z.output<typeof ReplayReport>

export const replayPolicy = operation({
  id: 'replayPolicy',
  at: `POST ${POLICY}/replay`,
  summary: 'Evaluate recorded calls with the active rules and with a draft, and show where they differ.',
  needs,
  body: z.strictObject({ draft: PolicyDraft, days: z.int().min(1).max(90).default(7) }),
  answer: ReplayReport,
})
