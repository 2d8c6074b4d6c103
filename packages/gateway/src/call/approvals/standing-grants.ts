/**
 * Standing grants ("always for this tool"), evaluated for one call (ledger S2-QRK-05).
 *
 * A grant holds for one definition of the tool, one caller with one client, one account, one connection, and the very rules that
 * ask, word for word; a change of one byte in any of them needs a new approval. Destructive calls need an approval each time, and
 * so do calls where one of the rules does not allow a standing grant.
 */
import { Fault, type Rule } from '@toolway/contract'
import type { JsonObject } from '@toolway/protocol'
import { findKeyMaker } from '../../approvals/approvals.ts'
import { isSatisfied, tallyOf } from '../../approvals/approvers.ts'
import type { AnswerRow } from '../../approvals/answers.ts'
import { standingDigestOf } from '../../approvals/digest.ts'
import { listStandingGrantsOf } from '../../approvals/standing-grants.ts'
import { hashTool } from '../../catalog/locks/tool-hash.ts'
import type { OrgSql } from '../../db/db.ts'
import type { ApprovalAsking } from './approval-port.ts'
import { taskOwner } from '../tasks/task-owner.ts'
import type { ApproverLookup } from './approver-lookup.ts'

export interface StandingGrantParts {
  readonly lookup: ApproverLookup
  /** As its server lists it now; undefined where it is gone. */
  definitionOf(asking: ApprovalAsking): JsonObject | undefined
  /** The account that is taken where none is named; undefined where there is no choice. */
  usualAccount(asking: ApprovalAsking): string | undefined
}

type Given = Awaited<ReturnType<typeof listStandingGrantsOf>>
type Answers = readonly Pick<AnswerRow, 'answered_by' | 'verdict'>[]

export interface StandingGrants {
  readonly toolHash: string
  /** Undefined where none may be given. */
  readonly digest: string | undefined
  /** Those that are there. */
  readonly given: Given
  /** Whether they, and these answers, are enough for all rules that ask. */
  suffice(answers: Answers): boolean
}

/** The words of a rule that a lasting grant was given under. */
export const wordsOfRule = ({ id, name, match, parameters, reason }: Rule): JsonObject =>
  JSON.parse(JSON.stringify({ id, name, match, parameters, reason })) as JsonObject

export function toolHashOf({ definitionOf }: Pick<StandingGrantParts, 'definitionOf'>, asking: ApprovalAsking): string {
  const definition = definitionOf(asking)
  if (definition === undefined) throw new Fault('tool.unknown', { tool: asking.target.name })
  return hashTool(definition)
}

/** A token that a caller brings may be anybody's, and another with each call. */
const mayLast = ({ target, rules, channel }: ApprovalAsking): boolean =>
  channel.passThroughToken === undefined &&
  target.effect !== 'destructive' &&
  rules.length > 0 &&
  rules.every(({ parameters }) => parameters.always)

/** Undefined where each call is asked about. */
export function standingGrantOf(
  parts: Pick<StandingGrantParts, 'definitionOf' | 'usualAccount'>,
  asking: ApprovalAsking,
): string | undefined {
  if (!mayLast(asking)) return undefined
  const { target, account, principal, rules } = asking
  return standingDigestOf({
    tool: toolHashOf(parts, asking),
    name: target.name,
    account: account ?? parts.usualAccount(asking) ?? null,
    caller: taskOwner(principal),
    connection: target.connectionId,
    rules: rules.map(wordsOfRule),
  })
}

export async function standingGrants(
  parts: StandingGrantParts,
  sql: OrgSql,
  asking: ApprovalAsking,
): Promise<StandingGrants> {
  const toolHash = toolHashOf(parts, asking)
  const digest = standingGrantOf(parts, asking)
  const given = digest === undefined ? [] : await listStandingGrantsOf(sql, digest)
  if (given.length === 0) return { toolHash, digest, given, suffice: () => false }
  const { organizationId, principal, rules } = asking
  const maker = await findKeyMaker(sql, principal.keyId ?? principal.id)
  const caller = { principal: principal.id, userId: principal.userId, maker }
  const approverOf = await parts.lookup.all(
    sql,
    organizationId,
    given.map(({ granted_by: by }) => by),
  )
  return {
    toolHash,
    digest,
    given,
    suffice(answers) {
      // Somebody who said both counts once.
      const said = new Set(given.map(({ granted_by: by }) => by))
      const all = [
        ...given.map(({ granted_by: by }) => ({ answered_by: by, verdict: 'grant' as const })),
        ...answers.filter(({ answered_by: by }) => !said.has(by)),
      ]
      return isSatisfied(tallyOf(rules, caller, all, approverOf))
    },
  }
}
