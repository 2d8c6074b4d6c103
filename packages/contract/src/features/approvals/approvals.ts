/**
 * Questions whether a call may be made, over the admin interface (ledger U-07): whoever may answer one, asked it, or administers the
 * organization's rules sees it, and nobody else. People answer; a key does not.
 */
import { z } from 'zod'
import { EFFECT_SOURCES, EFFECTS } from '../../effects.ts'
import { inOrganization, operation, anyone, pageOf, Paging } from '../../admin/operation.ts'

export const APPROVAL_STATES = ['pending', 'granted', 'denied', 'expired', 'used'] as const
const When = z.iso.datetime().nullable()

export const Approval = z.strictObject({
  id: z.string(),
  state: z.enum(APPROVAL_STATES),
  /** Its server's own name of the tool. */
  tool: z.string(),
  effect: z.string(),
  /** The source of the tool's effect as it stands now; null where the tool is not there any more. */
  effect_from: z.enum(EFFECT_SOURCES).nullable(),
  /** The effect that its server states now, whether that counts or not. */
  stated_effect: z.enum(EFFECTS).nullable(),
  connection_id: z.string(),
  connection: z.string().nullable(),
  /** The account that it acts with; null where there is no choice. */
  account: z.string().nullable(),
  /** The caller, for display: an email address or the name of a key. */
  caller: z.string(),
  principal: z.string(),
  client: z.string().nullable(),
  rules: z.array(
    z.strictObject({
      name: z.string(),
      scope: z.string(),
      reason: z.string(),
      /** The approvers that it requires, in words. */
      asks: z.string(),
      quorum: z.int(),
      granted: z.int(),
    }),
  ),
  created_at: z.iso.datetime(),
  /** An unanswered question is a refusal from then on. */
  expires_at: z.iso.datetime(),
  decided_at: When,
  /** Until when a grant is good, used or not. */
  good_until: When,
  /** A grant is good for any number of the very same calls until then. */
  repeats: z.boolean(),
  used_at: When,
  uses: z.int(),
  answers: z.array(
    z.strictObject({
      by: z.string(),
      verdict: z.enum(['grant', 'deny']),
      way: z.string(),
      note: z.string().nullable(),
      at: z.iso.datetime(),
    }),
  ),
  /** Whether the answer may be "always for this tool". */
  always: z.boolean(),
  /** Whether you may answer it now. */
  yours: z.boolean(),
  /** The page of it. */
  url: z.string(),
})
export type Approval = z.output<typeof Approval>

export const ApprovalWithArguments = Approval.extend({
  /** As they would be sent. */
  arguments: z.record(z.string(), z.unknown()),
  /** As the caller wrote them; null where rules changed nothing. */
  given: z.record(z.string(), z.unknown()).nullable(),
  /** The files that the arguments refer to. They are immutable: what is approved is what is sent. */
  files: z.array(
    z.object({
      /** JSON Pointer into the arguments. */
      place: z.string(),
      /** Empty for a file that came with the call. */
      file: z.string(),
      name: z.string(),
      media_type: z.string(),
      size: z.int(),
      sha256: z.string(),
    }),
  ),
})
export type ApprovalWithArguments = z.output<typeof ApprovalWithArguments>

const APPROVALS = '/api/v1/organizations/{organization}/approvals'
const APPROVAL = `${APPROVALS}/{approval}`

export const ApprovalAnswer = z.strictObject({
  /** `always`: this call, and later ones of its caller to the tool as it is defined, as long as the same rules ask. */
  answer: z.enum(['grant', 'always', 'deny']),
  note: z.string().trim().max(500).optional(),
})
export const ApprovalOutcome = z.strictObject({
  state: z.enum(APPROVAL_STATES),
  /** How many more have to grant it. */
  missing: z.int(),
  /** Of the lasting approval that was given with it. */
  lasting: z.string().optional(),
})

export const listApprovals = operation({
  id: 'listApprovals',
  at: `GET ${APPROVALS}`,
  summary: 'List the approval requests that you made or may answer, newest first; all of them if you administer rules.',
  needs: inOrganization('connector_read'),
  query: Paging.extend({ state: z.enum(APPROVAL_STATES).optional() }),
  answer: pageOf(Approval),
})
export const getApproval = operation({
  id: 'getApproval',
  at: `GET ${APPROVAL}`,
  summary: 'Get one approval request, with the arguments of the call as they would be sent.',
  needs: inOrganization('connector_read'),
  answer: ApprovalWithArguments,
})
export const answerApproval = operation({
  id: 'answerApproval',
  at: `POST ${APPROVAL}/answer`,
  summary: 'Approve or deny a request as one of its approvers. Only for signed-in people, not for keys.',
  needs: inOrganization('connector_read'),
  body: ApprovalAnswer,
  answer: ApprovalOutcome,
})

export const LastingApproval = z.strictObject({
  id: z.string(),
  tool: z.string(),
  effect: z.string(),
  /** As with a question. */
  effect_from: z.enum(EFFECT_SOURCES).nullable(),
  connection_id: z.string(),
  connection: z.string().nullable(),
  account: z.string().nullable(),
  /** The caller that it applies to, for display: an email address or the name of a key. */
  caller: z.string(),
  principal: z.string(),
  client: z.string().nullable(),
  /** Names of the rules that asked. */
  rules: z.array(z.string()),
  granted_by: z.string(),
  note: z.string().nullable(),
  /** The question that it was an answer to. */
  approval_id: z.string(),
  created_at: z.iso.datetime(),
  used_at: When,
  uses: z.int(),
  /** Why it lets no call through any more: the tool, or a rule that asked, is another, or who gave it may not any more. */
  ended: z.enum(['tool', 'rule', 'giver']).nullable(),
})
export type LastingApproval = z.output<typeof LastingApproval>

const LASTING = '/api/v1/organizations/{organization}/lasting-approvals'
export const listLastingApprovals = operation({
  id: 'listLastingApprovals',
  at: `GET ${LASTING}`,
  summary:
    'List standing approvals: who may always call which tool, and who approved it. You see those that you gave or that apply to your calls; all of them if you administer rules.',
  needs: inOrganization('connector_read'),
  query: Paging,
  answer: pageOf(LastingApproval),
})
export const endLastingApproval = operation({
  id: 'endLastingApproval',
  at: `DELETE ${LASTING}/{lasting}`,
  summary: 'End a standing approval. The next call that it would have covered needs approval again.',
  needs: inOrganization('connector_read'),
})

export const SignedAnswer = ApprovalAnswer.extend({
  /** One call at a time: a webhook does not say always. */
  answer: z.enum(['grant', 'deny']),
  /** The id of the question, once more: it is signed with the body. */
  approval: z.string(),
})
export type SignedAnswer = z.output<typeof SignedAnswer>
/** Served beside the others, as what is signed are the bytes of the body. */
export const answerApprovalSigned = operation({
  id: 'answerApprovalSigned',
  at: 'POST /api/v1/approvals/{approval}/answer',
  summary:
    'Answer an approval request as a webhook that one of its rules refers to. The answer must be signed like the messages to that webhook (headers `webhook-id`, `webhook-timestamp`, `webhook-signature`) and sent within five minutes; each ID is accepted only once.',
  needs: anyone,
  body: SignedAnswer,
  answer: ApprovalOutcome,
})
