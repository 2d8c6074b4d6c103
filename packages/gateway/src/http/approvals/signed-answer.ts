/**
 * Answers of webhooks, `POST /api/v1/approvals/{id}/answer`: signed as the messages to that webhook are. The signature is over the
 * bytes of the body, so they are read here and not where the other operations are served.
 *
 * Whether there is such a question is told to nobody who cannot sign for it.
 */
import { Fault, type OrganizationId } from '@toolway/contract'
import { answerApprovalSigned, SignedAnswer } from '@toolway/contract/admin'
import { Hono } from 'hono'
import { findApproval, organizationOf } from '../../approvals/approvals.ts'
import { answerApproval } from '../../call/approvals/answer-approval.ts'
import type { ApproverLookup } from '../../call/approvals/approver-lookup.ts'
import type { Db } from '../../db/db.ts'
import { previousWebhookSecretSealContext, webhookSecretSealContext } from '../../vault/sealed-columns.ts'
import type { Vault } from '../../vault/vault.ts'
import { isSignedBy, type SignedMessage, listWebhooks, type WebhookRow } from '../../features/webhooks/index.ts'
import type { Env } from '../pages/page-request.ts'
import { readSigned, receiveSigned, type SignedMessageParts } from '../signed-message.ts'

export interface SignedAnswerParts extends SignedMessageParts {
  readonly db: Pick<Db, 'organization' | 'system'>
  readonly vault: Pick<Vault, 'open'>
  readonly lookup: ApproverLookup
}

const LIMIT = 16 * 1024

export function createSignedAnswer(parts: SignedAnswerParts): Hono<Env> {
  const { db, now } = parts
  const app = new Hono<Env>()
  app.post(answerApprovalSigned.path.replace('{approval}', ':id'), async (c) => {
    const id = c.req.param('id') ?? ''
    const { message, client, correlationId } = await receiveSigned(parts, c, { limit: LIMIT, wrong })
    const signer = await signerOf(parts, id, message)
    // One fault for all cases: guessing does not reveal what exists.
    if (signer === undefined) throw wrong('it is not signed by a webhook that is allowed to answer it')
    const signed = readSigned(SignedAnswer, message)
    if (signed.approval !== id)
      throw new Fault('body.shape', { place: '/approval', problem: 'differs from the one in the URL' })
    const { organizationId, webhook } = signer
    const answered = await answerApproval(parts, {
      organizationId,
      id,
      approver: { id: webhook.id, role: undefined, email: undefined, groups: [] },
      verdict: signed.answer,
      way: 'webhook',
      note: signed.note === '' ? undefined : signed.note,
      message: message.id,
      actor: {
        id: webhook.id,
        type: 'system',
        keyId: undefined,
        address: client.address,
        userAgent: c.req.header('user-agent'),
        correlationId,
      },
    })
    return c.json(answered)
  })
  return app

  async function signerOf(
    { vault }: SignedAnswerParts,
    id: string,
    message: SignedMessage,
  ): Promise<{ organizationId: OrganizationId; webhook: WebhookRow } | undefined> {
    const organizationId = await db.system((sql) => organizationOf(sql, id))
    if (organizationId === undefined) return undefined
    const { row, webhooks } = await db.organization(organizationId, async (sql) => ({
      row: await findApproval(sql, id),
      webhooks: await listWebhooks(sql),
    }))
    if (row === undefined) return undefined
    const webhook = webhooks.find(
      (item) => item.enabled && secretsOf(vault, item, now()).some((secret) => isSignedBy(message, secret)),
    )
    return webhook === undefined ? undefined : { organizationId, webhook }
  }
}

const wrong = (problem: string) => new Fault('approval.signature', { problem })

/** The one that is good, and the one before while that still signs. */
function secretsOf(
  vault: Pick<Vault, 'open'>,
  { id, sealed_secret: secret, sealed_previous: previous, previous_until: until }: WebhookRow,
  now: number,
): string[] {
  const old =
    previous !== null && until !== null && until.getTime() > now
      ? [vault.open(previous, previousWebhookSecretSealContext(id))]
      : []
  return [vault.open(secret, webhookSecretSealContext(id)), ...old]
}
