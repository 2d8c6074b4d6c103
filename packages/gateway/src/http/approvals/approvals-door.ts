/**
 * The page of one question whether a call may be made, `/approvals/{id}`, where links from chats lead: for whoever is signed in, and
 * shown to those alone who may answer, who call, or who administer the rules. It needs no scripts; all of them are in the console.
 */
import { Fault, type OrganizationId, visible } from '@toolway/contract'
import type { Approval } from '@toolway/contract/admin'
import { Hono } from 'hono'
import {
  approverIn,
  type AdminApprovals,
  argumentsOf,
  describeApproval,
  maySee,
  type Viewer,
} from '../../features/approvals/index.ts'
import { findApproval, organizationOf, type ApprovalRow } from '../../approvals/approvals.ts'
import { isOwn } from '../../approvals/approvers.ts'
import { answerApproval, callerOf } from '../../call/approvals/answer-approval.ts'
import { roleIfAdmitted } from '../../snapshot/role.ts'
import type { Snapshot } from '../../snapshot/snapshot.ts'
import type { Db } from '../../db/db.ts'
import { isDatabaseFault } from '../../db/unreachable.ts'
import type { Accounts } from '../../identity/accounts.ts'
import type { Vault } from '../../vault/vault.ts'
import type { Visitor, Visitors } from '../connect/visitor.ts'
import { approvalPage, noApproval } from '../pages/approvals-page.ts'
import { faultText } from '../pages/fault-text.ts'
import { html, type Markup } from '../pages/markup.ts'
import { pageOf } from '../pages/page.ts'
import { formOf, textsFor, type Env, type PageContext } from '../pages/page-request.ts'
import type { PageTexts } from '../pages/page-texts.ts'

export interface ApprovalsDoorParts {
  readonly db: Pick<Db, 'organization' | 'system'>
  readonly vault: Pick<Vault, 'open'>
  readonly accounts: Pick<Accounts, 'find'>
  readonly approvals: AdminApprovals
  readonly visitors: Visitors
  all(): readonly Snapshot[]
  prefix(): string
}

/** Characters of arguments on a page; the admin interface gives all of them. */
const MOST_SHOWN_CHARACTERS = 20_000

interface Problem {
  readonly text: Markup
  readonly status: number
}

interface Seen {
  readonly snapshot: Snapshot
  readonly viewer: Viewer
}

export function createApprovalsDoor(parts: ApprovalsDoorParts): Hono<Env> {
  const { db, visitors, approvals, prefix } = parts
  const app = new Hono<Env>()
  const list = () => `${prefix()}/approvals`

  /** The organizations in which the visitor stands. */
  function homesOf({ principal }: Visitor): Seen[] {
    return parts.all().flatMap((snapshot) => {
      const { organization } = snapshot
      if (!organization.active || (principal.organizationId ?? organization.id) !== organization.id) return []
      const role = roleIfAdmitted(parts.accounts, principal, snapshot)
      if (role === undefined) return []
      const approver = approverIn(approvals.lookup, organization.id, principal)
      return [{ snapshot, viewer: { role, principal: principal.id, userId: principal.userId, approver } }]
    })
  }

  async function find(visitor: Visitor, id: string): Promise<(Seen & { row: ApprovalRow }) | undefined> {
    const organizationId = await db.system((sql) => organizationOf(sql, id))
    const home = homesOf(visitor).find(({ snapshot }) => snapshot.organization.id === organizationId)
    if (home === undefined || organizationId === undefined) return undefined
    const row = await db.organization(organizationId, (sql) => findApproval(sql, id))
    return row !== undefined && maySee(row, home.viewer) ? { ...home, row } : undefined
  }

  const describe = (organizationId: OrganizationId, row: ApprovalRow, viewer: Viewer): Promise<Approval> =>
    db.organization(organizationId, (sql) =>
      describeApproval(approvals.describe(organizationId), sql, row, viewer.approver),
    )

  async function show(texts: PageTexts, visitor: Visitor, id: string, problem?: Problem): Promise<Response> {
    const found = await find(visitor, id)
    const { approval: words } = texts
    if (found === undefined)
      return pageOf({ texts, title: words.nothing.title(), body: noApproval(texts, list()), status: 404 })
    const { snapshot, viewer, row } = found
    const { organization } = snapshot
    const approval = await describe(organization.id, row, viewer)
    const body = approvalPage(texts, {
      approval,
      organization: organization.name,
      given: givenText(texts, argumentsOf(parts.vault, row).arguments),
      csrf: visitor.csrf,
      action: `${list()}/${row.id}`,
      list: list(),
      problem: problem?.text,
      own: isOwn(callerOf(row), { id: viewer.userId ?? viewer.principal }),
    })
    const title = approval.state === 'pending' ? words.title() : words.answeredTitle()
    return pageOf({ texts, title, body, status: problem?.status ?? 200 })
  }

  app.get('/approvals/:id', async (c) => {
    const visitor = await visitors.find(c)
    return visitor === undefined ? visitors.ask(c) : show(textsFor(c), visitor, c.req.param('id'))
  })

  app.post('/approvals/:id', async (c: PageContext) => {
    const form = await formOf(c)
    const texts = textsFor(c)
    const visitor = await visitors.find(c)
    if (visitor === undefined) return visitors.ask(c)
    visitor.check(form.get('csrf'))
    const id = c.req.param('id') ?? ''
    const found = await find(visitor, id)
    if (found === undefined) return show(texts, visitor, id)
    try {
      await answerAs(parts, visitor, found, form)
    } catch (thrown) {
      const fault = Fault.of(thrown)
      if (fault.code === 'internal' || isDatabaseFault(fault)) throw thrown
      return show(texts, visitor, id, { text: faultText(texts, fault), status: fault.row.http })
    }
    return c.redirect(`${list()}/${id}`, 303)
  })
  return app
}

/** Carries out the answer of a form. Throws what a person may be told. */
async function answerAs(
  { db, approvals: { lookup } }: ApprovalsDoorParts,
  { actor }: Visitor,
  { snapshot, viewer: { approver }, row: { id } }: Seen & { readonly row: ApprovalRow },
  form: URLSearchParams,
): Promise<void> {
  const choice = form.get('answer')
  if (choice !== 'grant' && choice !== 'always' && choice !== 'deny')
    throw new Fault('body.shape', { place: '/answer', problem: 'must be grant, always or deny' })
  if (approver === undefined)
    throw new Fault('approval.forbidden', { problem: 'only members of the organization can answer it' })
  const note = (form.get('note') ?? '').trim().slice(0, 500)
  await answerApproval(
    { db, lookup },
    {
      organizationId: snapshot.organization.id,
      id,
      approver,
      verdict: choice === 'deny' ? 'deny' : 'grant',
      always: choice === 'always',
      way: 'page',
      note: note === '' ? undefined : note,
      actor,
    },
  )
}

/** Invisible characters are shown, so that no unseen argument is approved. */
function givenText({ approval }: PageTexts, input: unknown): Markup {
  const text = JSON.stringify(input, undefined, 2).split('\n').map(visible).join('\n')
  if (text.length <= MOST_SHOWN_CHARACTERS) return html`${text}`
  return html`${text.slice(0, MOST_SHOWN_CHARACTERS)}${'\n'}${approval.cut({ count: String(text.length) })}`
}
