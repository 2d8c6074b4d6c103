/**
 * Determines who may answer an approval request, and whether the existing answers suffice. Pure: the approvers' current facts are
 * passed in, so that an answer counts only as long as its approver has permission.
 */
import { ROLES, type Role, type Rule } from '@toolway/contract'
import type { AnswerRow } from './answers.ts'

/** Somebody who answers, as they stand now. */
export interface Approver {
  /** `usr_…`, `whk_…`, `operator` or `command line`. */
  readonly id: string
  /** Undefined where they have none in the organization: a webhook, or whoever is no member any more. */
  readonly role: Role | undefined
  readonly email: string | undefined
  readonly groups: readonly string[]
}

/** The owner of the call: the user behind it, else the calling principal. */
export interface Caller {
  readonly principal: string
  readonly userId: string | undefined
  /** The creator of the calling key, where that is known. */
  readonly maker?: string | undefined
}

type Approve = Pick<Rule<'approve'>, 'name' | 'parameters'>

/** A person who made the key that calls is behind the call, too; what the command line made may be anybody's. */
export const isOwn = ({ principal, userId, maker }: Caller, { id }: Pick<Approver, 'id'>): boolean =>
  id === principal ||
  (userId !== undefined && id === userId) ||
  (maker !== undefined && id === maker && maker.startsWith(PERSON))

const PERSON = 'usr_'

/** Somebody else's name does not make the maker of the key the caller: no rule lets them answer, not even one for the caller. */
const isOnlyMaker = (caller: Caller, approver: Pick<Approver, 'id'>): boolean =>
  caller.userId !== undefined && caller.userId !== approver.id && isOwn(caller, approver)

/** A role with more permissions than a named one is permitted, too. */
const reachesRole = (role: Role | undefined, named: readonly Role[] | undefined): boolean =>
  role !== undefined && named?.some((item) => ROLES.indexOf(role) <= ROLES.indexOf(item)) === true

/** Returns whether the approver's answer counts for that rule. Callers cannot grant their own calls, unless the rule says so. */
export function fits({ parameters: { by } }: Approve, caller: Caller, approver: Approver): boolean {
  if (isOwn(caller, approver)) return by.self && !isOnlyMaker(caller, approver)
  if (by.webhooks?.includes(approver.id) === true) return true
  if (reachesRole(approver.role, by.roles)) return true
  // An approver without a current role here has no permission, regardless of former roles.
  if (approver.role === undefined) return false
  const email = approver.email?.toLowerCase()
  if (email !== undefined && by.members?.some((member) => member.toLowerCase() === email) === true) return true
  return by.groups?.some((group) => approver.groups.includes(group)) === true
}

/** How far a rule is satisfied. */
export interface Tally {
  readonly rule: string
  readonly quorum: number
  readonly granted: number
}

export const tallyOf = (
  rules: readonly Approve[],
  caller: Caller,
  answers: readonly Pick<AnswerRow, 'answered_by' | 'verdict'>[],
  approverOf: (id: string) => Approver | undefined,
): Tally[] =>
  rules.map((rule) => {
    const granted = answers.filter(({ answered_by: id, verdict }) => {
      const approver = verdict === 'grant' ? approverOf(id) : undefined
      return approver !== undefined && fits(rule, caller, approver)
    }).length
    return { rule: rule.name, quorum: rule.parameters.quorum, granted }
  })

/** A rule that nobody is left for is never satisfied; without a rule nothing is granted. */
export const isSatisfied = (tallies: readonly Tally[]): boolean =>
  tallies.length > 0 && tallies.every(({ quorum, granted }) => granted >= quorum)

/** Seconds: a question waits no longer than any of its rules lets it. */
export const waitOf = (rules: readonly Pick<Rule<'approve'>, 'parameters'>[]): number =>
  Math.min(...rules.map(({ parameters: { wait } }) => wait))

/** Time to come back with the same call, in seconds, however short the question was. */
const LEAST_GOOD_SECONDS = 600

/** For how long a grant is good, and for how many calls: the strictest of the rules. */
export function goodFor(rules: readonly Pick<Rule<'approve'>, 'parameters'>[]) {
  const repeat = Math.min(...rules.map(({ parameters }) => parameters.repeat))
  return repeat > 0
    ? { seconds: repeat, repeats: true }
    : { seconds: Math.max(LEAST_GOOD_SECONDS, waitOf(rules)), repeats: false }
}

/** In a few words, for people. */
export function wordsOf({ parameters: { by, quorum } }: Approve): string {
  const words = [
    ...(by.roles ?? []).map((role) => ROLE_WORDS[role]),
    ...(by.members ?? []),
    ...(by.groups ?? []).map((group) => `the group ${group}`),
    ...(by.webhooks ?? []).map((id) => `the webhook ${id}`),
    ...(by.self ? ['the caller'] : []),
  ]
  const who = words.length === 0 ? 'nobody' : words.join(', ')
  return quorum === 1 ? who : `${quorum} of: ${who}`
}

const ROLE_WORDS: Readonly<Record<Role, string>> = {
  platform_admin: 'administrators of the platform',
  tenant_admin: 'administrators of the organization',
  tenant_member: 'members',
  tenant_viewer: 'viewers',
}
