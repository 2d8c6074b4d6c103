/**
 * The page of a connect link, `/connect/{token}`: it says what would be connected, whose it becomes and where the browser goes, and
 * begins when the person says so.
 *
 * Only the very person that the link was made for gets that far; to anybody else it says nothing of whom or what it is about.
 * Looking at it changes nothing.
 */
import { AccountName, Fault } from '@toolway/contract'
import { Hono } from 'hono'
import { isDatabaseFault } from '../../db/unreachable.ts'
import type { ExistingAccount } from '../../oauth/outgoing/flows/existing-accounts.ts'
import type { ChooseClient } from '../../oauth/outgoing/flows/choose-client.ts'
import { CALLBACK } from '../../oauth/outgoing/flows/client-metadata.ts'
import type { Ending, ConnectRequestLinks, Linked } from '../../oauth/outgoing/flows/connect-links.ts'
import type { Flows, Plan } from '../../oauth/outgoing/flows/flows.ts'
import type { KeepKey } from '../../oauth/outgoing/credentials/keep-key.ts'
import type { ConnectRequest, Target, Targets } from '../../oauth/outgoing/flows/target.ts'
import {
  accountForm,
  clientForm,
  forbiddenText,
  foreignText,
  goingText,
  goneText,
  keyForm,
  noClientText,
  problemText,
} from '../pages/connect-page.ts'
import { faultText } from '../pages/fault-text.ts'
import type { Markup } from '../pages/markup.ts'
import { pageOf } from '../pages/page.ts'
import { formOf, textsFor, type Env, type PageContext } from '../pages/page-request.ts'
import type { PageTexts } from '../pages/page-texts.ts'
import { beginAtBroker, showBroker, type BrokerDoorParts } from './broker-door.ts'
import type { Visitor, Visitors } from './visitor.ts'

export interface ConnectDoorParts extends BrokerDoorParts {
  readonly links: Pick<ConnectRequestLinks, 'open'>
  readonly flows: Pick<Flows, 'plan' | 'begin'>
  readonly clients: Pick<ChooseClient, 'isThere' | 'give'>
  readonly targets: Targets
  readonly keepKey: KeepKey
  readonly visitors: Visitors
  /** The accounts that the owner has already. */
  existingAccounts(target: Target): Promise<readonly ExistingAccount[]>
  /** The one of them that works and would be replaced. */
  inTheWay(connectRequest: ConnectRequest, target: Target): Promise<ExistingAccount | undefined>
  prefix(): string
}

/** A link in front of the person it was made for. */
interface ConnectExchange {
  readonly c: PageContext
  readonly texts: PageTexts
  readonly visitor: Visitor
  readonly linked: Linked
  readonly target: Target
}

export const DONE = '/connect/done'
/** The text of a fault as users see it: its message and how to fix it. */
function sentenceOf(texts: PageTexts, thrown: unknown): { problem: Markup; status: number } {
  const fault = Fault.of(thrown)
  if (fault.code === 'internal' || isDatabaseFault(fault)) throw thrown
  return { problem: faultText(texts, fault), status: fault.row.http }
}

export function createConnectDoor(parts: ConnectDoorParts): Hono<Env> {
  const { visitors } = parts
  const app = new Hono<Env>()

  /** The visit, or what is answered instead of it. */
  async function exchange(c: PageContext): Promise<ConnectExchange | Response> {
    const texts = textsFor(c)
    const { gone, forbidden, failed } = texts.connect
    const list = `${parts.prefix()}/connect`
    const visitor = await visitors.find(c)
    if (visitor === undefined) return visitors.ask(c)
    const linked = parts.links.open(c.req.param('token') ?? '')
    if (linked === undefined) return pageOf({ texts, title: gone.title(), body: goneText(texts, list), status: 404 })
    try {
      const target = parts.targets.open(linked.connectRequest)
      const may = parts.targets.may(visitor.principal, target)
      if (may === 'yes') return { c, texts, visitor, linked, target }
      if (may === 'forbidden')
        return await pageOf({ texts, title: forbidden.title(), body: forbiddenText(texts), status: 403 })
    } catch (thrown) {
      // The details of a link are shown only to the user for whom it was made.
      if (linked.connectRequest.userId !== visitor.principal.userId) return foreign(texts, visitor)
      const { problem, status } = sentenceOf(texts, thrown)
      return pageOf({ texts, title: failed.title(), body: problemText(texts, problem, list), status })
    }
    return foreign(texts, visitor)
  }

  function foreign(texts: PageTexts, { csrf, principal }: Visitor): Promise<Response> {
    const signOut = principal.signInId === undefined ? undefined : { action: `${parts.prefix()}/sign-in/out`, csrf }
    return pageOf({ texts, title: texts.connect.foreign.title(), body: foreignText(texts, signOut), status: 403 })
  }

  app.get('/connect/:token', async (c) => {
    const found = await exchange(c)
    return found instanceof Response ? found : show(parts, found)
  })

  app.post('/connect/:token', async (c) => {
    const form = await formOf(c)
    const found = await exchange(c)
    if (found instanceof Response) return found
    found.visitor.check(form.get('csrf'))
    const step = form.get('step')
    if (step === 'key') return giveKey(parts, found, form)
    if (step === 'client') return giveClient(parts, found, form)
    return begin(parts, found, form)
  })
  return app
}

const wordsOf = ({ publicUrl }: ConnectDoorParts, { c, visitor, linked, target }: ConnectExchange) => ({
  title: target.title,
  organization: target.snapshot.organization.name,
  server: target.url === undefined ? undefined : new URL(target.url).host,
  owner: linked.connectRequest.userId === undefined ? ('organization' as const) : ('you' as const),
  email: visitor.email,
  csrf: visitor.csrf,
  action: `${new URL(publicUrl()).pathname.replace(/\/$/, '')}/connect/${c.req.param('token') ?? ''}`,
})

const isMany = ({ target }: ConnectExchange) => target.auth?.accounts === 'many'
const redirectOf = ({ publicUrl }: ConnectDoorParts, { callback }: Ending) => `${publicUrl()}${callback ?? CALLBACK}`

interface Showing {
  readonly problem?: Markup | undefined
  /** The account that is asked for; absent: that of the link. */
  readonly connectRequest?: ConnectRequest
}

async function show(
  parts: ConnectDoorParts,
  exchange: ConnectExchange,
  { problem, connectRequest }: Showing = {},
): Promise<Response> {
  const { texts, target, linked } = exchange
  const { title } = target
  const request = connectRequest ?? linked.connectRequest
  const there = target.connection !== undefined && target.auth === undefined ? [] : await parts.existingAccounts(target)
  const words = {
    ...{ ...wordsOf(parts, exchange), problem },
    replaced: there.find(({ id }) => id === request.replaces),
    inTheWay: await parts.inTheWay(request, target),
  }
  const atBroker = showBroker(texts, target, words)
  if (atBroker !== undefined) return atBroker
  const status = problem === undefined ? 200 : 400
  const taken = there.map(({ account }) => account)
  const account = isMany(exchange) && words.replaced === undefined ? (request.account ?? '') : undefined
  if (target.auth?.kind === 'key') {
    const { header } = target.auth
    const body = keyForm(texts, { ...words, header, account, taken })
    return pageOf({ texts, title: texts.connect.key.title({ title }), body, status })
  }
  let plan: Plan
  try {
    plan = await parts.flows.plan(target)
  } catch (thrown) {
    return couldNot(parts, exchange, thrown)
  }
  const { authority, scopes } = plan
  const { organizationId } = linked.connectRequest
  const redirectUri = redirectOf(parts, linked.ending)
  if (!(await parts.clients.isThere({ organizationId, authority, redirectUri })))
    return askClient(parts, exchange, { plan, problem })
  const host = new URL(authority.authorizationEndpoint).host
  const body = accountForm(texts, { ...words, authority: host, scopes, account, taken })
  return pageOf({ texts, title: texts.connect.title({ title }), body, status })
}

function couldNot(parts: ConnectDoorParts, exchange: ConnectExchange, thrown: unknown): Promise<Response> {
  const { texts, target } = exchange
  const { problem, status } = sentenceOf(texts, thrown)
  const body = problemText(texts, problem, wordsOf(parts, exchange).action)
  return pageOf({ texts, title: texts.connect.failedTitle({ title: target.title }), body, status })
}

interface ClientAsking {
  readonly plan: Plan
  readonly problem: Markup | undefined
  readonly clientId?: string
}

/** Asks for the OAuth client. An administrator of the organization's connections can enter it. */
function askClient(parts: ConnectDoorParts, exchange: ConnectExchange, { plan, problem, clientId }: ClientAsking) {
  const { texts } = exchange
  const form = {
    ...wordsOf(parts, exchange),
    authority: new URL(plan.authority.authorizationEndpoint).host,
    redirect: redirectOf(parts, exchange.linked.ending),
    problem,
    clientId,
  }
  const { connect } = texts
  return administers(parts, exchange)
    ? pageOf({
        texts,
        title: connect.client.title({ host: form.authority }),
        body: clientForm(texts, form),
        status: problem === undefined ? 200 : 400,
      })
    : pageOf({
        texts,
        title: connect.failedTitle({ title: exchange.target.title }),
        body: noClientText(texts, form),
        status: 409,
      })
}

const administers = ({ targets }: ConnectDoorParts, { visitor, target }: ConnectExchange): boolean =>
  targets.may(visitor.principal, { ...target, connectRequest: { ...target.connectRequest, userId: undefined } }) ===
  'yes'

/** The request as the form completes it. Throws `flow.unfit`. */
/** A text that is not the ID of an account names no account. */
const accountIdIn = (text: string | null): string | undefined =>
  text !== null && /^crd_[0-9a-z]{26}$/.test(text) ? text : undefined

function requestIn(exchange: ConnectExchange, form: URLSearchParams): ConnectRequest {
  const { connectRequest } = exchange.linked
  // It may name an account of the same owner only (`putCredential`).
  const replaces = accountIdIn(form.get('replaces'))
  return { ...connectRequest, account: accountIn(exchange, form), replaces: replaces ?? connectRequest.replaces }
}

/** The name that was written for the account; undefined where none was. Throws `flow.unfit`. */
function accountIn(exchange: ConnectExchange, form: URLSearchParams): string | undefined {
  const account = form.get('account')?.trim()
  if (!isMany(exchange) || account === undefined) return exchange.linked.connectRequest.account
  if (account === '') return undefined
  if (AccountName.safeParse(account).success) return account
  throw new Fault('flow.unfit', {
    connection: exchange.target.title,
    problem:
      'an account name must have at most 31 lowercase letters, digits, _ and -, and start with a letter or digit',
  })
}

async function begin(parts: ConnectDoorParts, exchange: ConnectExchange, form: URLSearchParams): Promise<Response> {
  const { texts, visitor, linked } = exchange
  try {
    const { userId } = linked.connectRequest
    const atBroker = await beginAtBroker(parts, {
      texts,
      target: exchange.target,
      member: userId === undefined ? undefined : { id: userId, email: visitor.email },
      app: form.get('app') ?? undefined,
      done: linked.ending.page ?? DONE,
    })
    if (atBroker !== undefined) return atBroker
    const connectRequest = requestIn(exchange, form)
    const { url, cookie } = await parts.flows.begin({
      connectRequest,
      principal: visitor.principal,
      actor: visitor.actor,
      ending: { ...linked.ending, page: linked.ending.page ?? DONE },
    })
    // Not a redirect: what a form may lead to would have to name every host that the vendor leads on to (CSP, form-action).
    const body = goingText(texts, url.host, url.href)
    const response = await pageOf({ texts, title: texts.moment.title(), body, goTo: url.href })
    response.headers.append('set-cookie', cookie)
    return response
  } catch (thrown) {
    const fault = Fault.of(thrown)
    if (fault.code === 'authority.client') return show(parts, exchange)
    if (fault.code === 'account.connected') return show(parts, exchange, { connectRequest: requestIn(exchange, form) })
    return show(parts, exchange, { problem: sentenceOf(texts, fault.code === 'internal' ? thrown : fault).problem })
  }
}

async function giveClient(
  parts: ConnectDoorParts,
  exchange: ConnectExchange,
  form: URLSearchParams,
): Promise<Response> {
  const { texts, visitor, linked, target } = exchange
  if (!administers(parts, exchange))
    return pageOf({ texts, title: texts.connect.forbidden.title(), body: forbiddenText(texts), status: 403 })
  const [clientId, secret] = [form.get('client_id')?.trim() ?? '', form.get('client_secret')?.trim() ?? '']
  try {
    const plan = await parts.flows.plan(target)
    if (clientId === '' || clientId.length > 2000)
      return await askClient(parts, exchange, { plan, problem: texts.connect.client.idProblem() })
    const choosing = {
      organizationId: linked.connectRequest.organizationId,
      authority: plan.authority,
      actor: visitor.actor,
    }
    await parts.clients.give(choosing, { clientId, secret: secret === '' ? undefined : secret })
    return await show(parts, exchange)
  } catch (thrown) {
    return couldNot(parts, exchange, thrown)
  }
}

async function giveKey(parts: ConnectDoorParts, exchange: ConnectExchange, form: URLSearchParams): Promise<Response> {
  const { visitor, target, linked } = exchange
  try {
    const { account, replaces } = requestIn(exchange, form)
    const key = form.get('key') ?? ''
    await parts.keepKey({ target, account, replaces, key, actor: visitor.actor, session: linked.ending.session })
    return exchange.c.redirect(`${parts.prefix()}${DONE}?connected=${linked.connectRequest.connectionId ?? ''}`, 303)
  } catch (thrown) {
    if (Fault.of(thrown).code === 'account.connected')
      return show(parts, exchange, { connectRequest: requestIn(exchange, form) })
    return show(parts, exchange, { problem: sentenceOf(exchange.texts, thrown).problem })
  }
}
