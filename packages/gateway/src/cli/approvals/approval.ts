/**
 * `toolway approval …`: questions whether calls may be made, on the local store; gateways that run hear of what is answered.
 *
 * Whoever holds the data directory answers as an administrator of the platform does: where a rule asks for a role, and not where it
 * asks for certain people.
 */
import { Fault, type OrganizationId, type Role, type UserId, visible } from '@toolway/contract'
import { argumentsOf, describeApproval } from '../../admin/approvals/describe-approval.ts'
import { findApproval, listApprovals, type ApprovalState } from '../../approvals/approvals.ts'
import { answerApproval } from '../../call/approvals/answer-approval.ts'
import { COMMAND_LINE, createApproverLookup } from '../../call/approvals/approver-lookup.ts'
import { findLasting, listLasting, removeLasting } from '../../approvals/lasting.ts'
import { endOfLasting } from '../../admin/approvals/lasting-approvals.ts'
import { recordChange } from '../../records/change.ts'
import { listConnections } from '../../connections/connections.ts'
import { listAccounts } from '../../identity/accounts.ts'
import { listGroupsOfMembers } from '../../organizations/groups.ts'
import { listRoles } from '../../organizations/members.ts'
import { ownActor } from '../own-actor.ts'
import { withStore, type Opened } from '../store.ts'
import { CommandFault, EXIT, table, type Output } from '../terminal/output.ts'

interface Place {
  readonly organization: string
}

const MOST = 200

/** Who everybody is, as the database says now. */
async function openLookup({ db, organization }: Opened) {
  const accounts = new Map((await db.system(listAccounts)).filter(({ active }) => active).map((one) => [one.id, one]))
  const { members, groups, aliases } = await db.organization(organization.id, async (sql) => ({
    members: await listRoles(sql),
    groups: await listGroupsOfMembers(sql),
    aliases: new Map((await listConnections(sql)).map(({ id, alias }) => [id as string, alias])),
  }))
  const lookup = createApproverLookup({
    account: (id) => accounts.get(id),
    membersOf: (): ReadonlyMap<UserId, Role> => members,
    groupsOf: (_: OrganizationId, userId) => groups.get(userId) ?? [],
  })
  return { lookup, aliasOf: (id: string) => aliases.get(id), link: () => '' }
}

const missing = (id: string) =>
  new CommandFault(`There is no approval "${id}"; \`toolway approval list\` shows those that wait.`)

export const list = (state: ApprovalState, { organization }: Place, output: Output): Promise<number> =>
  withStore(organization, async (opened) => {
    const describing = await openLookup(opened)
    const shown = await opened.db.organization(opened.organization.id, async (sql) => {
      const rows = await listApprovals(sql, state, MOST)
      const all = []
      for (const row of rows) all.push(await describeApproval(describing, sql, row, undefined))
      return all
    })
    const values = shown.map(({ id, tool, connection, caller, effect, expires_at: until, state: now }) => ({
      id,
      state: now,
      connection,
      tool,
      effect,
      caller,
      until,
    }))
    output.result(
      values,
      values.length === 0
        ? [state === 'pending' ? 'No call waits for an approval.' : `No approval is ${state}.`]
        : table(
            ['ID', 'STATE', 'TOOL', 'EFFECT', 'CALLER', 'UNTIL'],
            values.map((one) => [
              one.id,
              one.state,
              `${one.connection ?? '-'} ${visible(one.tool)}`,
              one.effect,
              visible(one.caller),
              one.until,
            ]),
          ),
    )
    return EXIT.ok
  })

export const show = (id: string, { organization }: Place, output: Output): Promise<number> =>
  withStore(organization, async (opened) => {
    const describing = await openLookup(opened)
    const found = await opened.db.organization(opened.organization.id, async (sql) => {
      const row = await findApproval(sql, id)
      if (row === undefined) throw missing(id)
      const given = argumentsOf(opened.vault, row)
      return { ...(await describeApproval(describing, sql, row, undefined)), ...given }
    })
    const { yours: _, url: __, ...value } = found
    output.result(value, [
      `${visible(found.tool)} (${found.effect}) at ${found.connection ?? 'a connection that is gone'}, called by ${visible(found.caller)}`,
      `state     ${found.state}`,
      `asked     ${found.created_at}`,
      `until     ${found.good_until ?? found.expires_at}`,
      ...found.rules.map(
        ({ name, reason, asks, granted, quorum }) =>
          `rule      ${name}: ${reason} (asks ${asks}; ${granted} of ${quorum})`,
      ),
      ...found.answers.map(
        ({ by, verdict, note }) => `answer    ${by}: ${verdict}${note === null ? '' : ` (${visible(note)})`}`,
      ),
      'arguments, as they would be sent:',
      ...JSON.stringify(found.arguments, undefined, 2).split('\n').map(visible),
    ])
    return EXIT.ok
  })

export interface Words {
  readonly id: string
  readonly verdict: 'grant' | 'deny'
  readonly note: string | undefined
  readonly always: boolean
}

export const answer = (
  { id, verdict, note, always }: Words,
  { organization }: Place,
  output: Output,
): Promise<number> =>
  withStore(organization, async (opened) => {
    const { lookup } = await openLookup(opened)
    const organizationId = opened.organization.id
    const approver = lookup.person(organizationId, COMMAND_LINE)
    if (approver === undefined) throw new Error('the command line is nobody')
    const said = {
      organizationId,
      id,
      approver,
      verdict,
      always,
      way: 'command line',
      note,
      actor: ownActor(),
    } as const
    const answered = await answerApproval({ db: opened.db, lookup }, said).catch((thrown: unknown) => {
      if (thrown instanceof Fault && thrown.code === 'thing.unknown') throw missing(id)
      if (thrown instanceof Fault && thrown.code !== 'internal')
        throw new CommandFault(`${thrown.message} ${thrown.mend}`)
      throw thrown
    })
    const { state, missing: more } = answered
    const told =
      state === 'pending'
        ? `Noted; ${more} more ${more === 1 ? 'person has' : 'people have'} to grant it.`
        : state === 'granted'
          ? always
            ? 'Granted, this call and later ones of its caller to this tool: `toolway approval always` lists them.'
            : 'Granted: the very same call is made when its caller repeats it.'
          : 'Denied: its caller is told so.'
    output.result({ id, ...answered }, [told])
    return EXIT.ok
  })

/** Tools that may always be called, by whom and by whose word. */
export const listAlways = ({ organization }: Place, output: Output): Promise<number> =>
  withStore(organization, async ({ db, organization: { id } }) => {
    const { rows, aliases } = await db.organization(id, async (sql) => ({
      rows: await listLasting(sql, MOST),
      aliases: new Map((await listConnections(sql)).map((one) => [one.id as string, one.alias])),
    }))
    const values = rows.map((row) => ({
      id: row.id,
      connection: aliases.get(row.connection_id) ?? null,
      tool: row.tool,
      caller: row.caller,
      granted_by: row.granted_by,
      uses: row.uses,
      used_at: row.used_at?.toISOString() ?? null,
    }))
    output.result(
      values,
      values.length === 0
        ? ['Nobody said "always" of a tool.']
        : table(
            ['ID', 'TOOL', 'CALLER', 'GRANTED BY', 'USES', 'LAST USED'],
            values.map((one) => [
              one.id,
              `${one.connection ?? '-'} ${visible(one.tool)}`,
              visible(one.caller),
              one.granted_by,
              String(one.uses),
              one.used_at ?? '-',
            ]),
          ),
    )
    return EXIT.ok
  })

export const endAlways = (id: string, { organization }: Place, output: Output): Promise<number> =>
  withStore(organization, async ({ db, organization: { id: organizationId } }) => {
    await db.organization(organizationId, async (sql) => {
      const row = await findLasting(sql, id)
      if (row === undefined)
        throw new CommandFault(
          `There is no lasting approval "${id}"; \`toolway approval always\` shows those that there are.`,
        )
      await removeLasting(sql, id)
      await recordChange(sql, ownActor(), organizationId, endOfLasting(row))
    })
    output.result({ id, ended: true }, ['Ended: the next such call is asked about again.'])
    return EXIT.ok
  })
