/**
 * The way to an identity provider and back: `/sign-in/provider/{id}` and its `/callback`, and `/sign-in/oidc` for the provider that
 * environment variables set (OpenID Connect Core 1.0, 3.1). A SAML provider posts a form there, and reads our `/metadata`.
 *
 * What belongs to one attempt travels in a sealed cookie of the browser that began it, for ten minutes, below the address of that
 * provider alone, and is good once in whichever replica. That cookie is SameSite=Lax, because the provider's site leads back here; those
 * of the session stay Strict.
 */
import { Fault } from '@toolway/contract'
import { Hono } from 'hono'
import { z } from 'zod'
import {
  isTrialOf,
  Linking,
  openLinkTicket,
  startPathOf,
  type ProviderRow,
  type ProviderSignIn,
} from '../../features/identity-providers/index.ts'
import type { SecondStep, SignIn, Tokens } from '../../features/people/index.ts'
import type { IdentityProvider, Proven } from '../../identity/federated/identity-provider.ts'
import { refusalOfUnasked } from '../../identity/federated/saml-response.ts'
import { laxCookie } from '../../lib/lax-cookie.ts'
import { decodeBase64Url } from '../../lib/base64url.ts'
import type { Actor } from '../../records/change.ts'
import type { Vault } from '../../vault/vault.ts'
import type { Clients } from '../client-address.ts'
import { nextOf } from '../pages/next-address.ts'
import { pageOf } from '../pages/page.ts'
import {
  actorOf,
  comesFromElsewhere,
  formOf,
  leadOn,
  postOn,
  problemPage,
  textsFor,
  type Env,
  type PageContext,
} from '../pages/page-request.ts'
import { beginForm, providerProblem, trialPage } from '../pages/sign-in-page.ts'
import { secondStepOf, type SecondStepCookies } from './second-step-door.ts'
import { cookieOf, type WebSession } from './web-session.ts'

export interface ProviderDoorParts {
  /** The one of the environment variables. */
  readonly provider: IdentityProvider | undefined
  readonly providers: ProviderSignIn
  readonly signIn: SignIn
  readonly web: WebSession
  readonly steps: SecondStepCookies
  readonly vault: Pick<Vault, 'seal' | 'open' | 'hash'>
  /** Whether that state comes back for the first time. */
  spend(hash: Buffer, until: Date): Promise<boolean>
  publicUrl(): string
  readonly clients: Clients
  newCorrelationId(): string
}

/** One provider, where it is here, and what its proof opens. */
interface ProviderAddress {
  /** Below it are the cookie and the callback. */
  readonly path: string
  /** Undefined: the one of the environment variables. */
  readonly row: ProviderRow | undefined
  readonly provider: IdentityProvider
}

const SECONDS = 600
/** Responses with some hundreds of groups have about 50 KiB. */
const FORM_LIMIT_BYTES = 256 * 1024
/** The field that tells our own page's form from the provider's. */
const AGAIN = 'again'
const SEAL_PURPOSE = 'sign-in at a provider'
const LINK_OVER = 'the sign-in that started this has ended: start again in your account'
/** The console's screen of one's own account. */
const OWN_ACCOUNT = '/me'

const Attempt = z.object({
  /** The address of the provider: an answer of another one is not for this attempt (RFC 9700, section 4.4). */
  path: z.string(),
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  next: z.string().optional(),
  trial: z.boolean().optional(),
  /** It signs nobody in, and links the identity to that account. */
  link: Linking.optional(),
  until: z.number(),
})
type Attempt = z.output<typeof Attempt>

export function createProviderDoor(parts: ProviderDoorParts): Hono<Env> {
  const { provider, providers } = parts
  const app = new Hono<Env>()
  if (provider?.browses === true) {
    const path = '/sign-in/oidc'
    addProvider(app, parts, path, () => Promise.resolve({ path, row: undefined, provider }))
  }
  const find: FindProvider = async (c, isTrial) => {
    const row = await providers.find(c.req.param('id') ?? '', isTrial)
    return { path: startPathOf(row.id), row, provider: await providers.providerOf(row) }
  }
  addProvider(app, parts, '/sign-in/provider/:id', find)
  addForms(app, parts, '/sign-in/provider/:id', find)
  addLogout(app, parts, '/sign-in/provider/:id')
  return app
}

type FindProvider = (c: PageContext, isTrial: boolean) => Promise<ProviderAddress>

function addProvider(app: Hono<Env>, parts: ProviderDoorParts, route: string, find: FindProvider): void {
  const { vault, publicUrl } = parts
  const cookies = createAttemptCookies(parts)

  app.get(route, async (c) => {
    const [next, ticket, hint] = [nextOf(c.req.query('next')), c.req.query('trial'), c.req.query('email')]
    try {
      const found = await find(c, ticket !== undefined)
      const isTrial = ticket !== undefined && found.row !== undefined
      if (isTrial && !isTrialOf(vault, ticket, found.row.id))
        throw new Fault('login.provider', { problem: 'this trial has expired: start it again' })
      if (comesFromElsewhere(c)) return await askToBegin(c, found)
      const link = await linkingOf(c, parts, found)
      const { url, ...redirect } = await found.provider
        .depart(`${publicUrl()}${found.path}/callback`, hint)
        .catch(noteIn(parts, found, c, isTrial))
      const attempt = { ...redirect, path: found.path, next, trial: isTrial, link, until: Date.now() + SECONDS * 1000 }
      c.header('set-cookie', cookies.seal(attempt))
      return c.redirect(url.href, 303)
    } catch (thrown) {
      return problemAnswer(c, thrown)
    }
  })

  app.get(`${route}/callback`, (c) => arrive(c, parts, find))
}

/**
 * Another site may not sign its visitor in, perhaps as somebody else (login CSRF): the visitor presses a button first. It is a link, because
 * browsers follow no redirect of a form to another site here (`form-action`).
 */
function askToBegin(c: PageContext, { path, provider: { title } }: ProviderAddress): Promise<Response> {
  const texts = textsFor(c)
  const query = new URL(c.req.url).search
  return pageOf({ texts, title: texts.signIn.title(), body: beginForm(texts, { title, path: `${path}${query}` }) })
}

/** The account that a ticket links, where the browser is signed in to it: another person's ticket would link them to that account. */
async function linkingOf(
  c: PageContext,
  { vault, web }: ProviderDoorParts,
  { row }: ProviderAddress,
): Promise<Linking | undefined> {
  const ticket = c.req.query('link')
  if (ticket === undefined || row === undefined) return undefined
  const linking = openLinkTicket(vault, ticket, row.id)
  const principal = linking && (await web.principalOf(c.req.header('cookie')))
  if (linking === undefined || principal?.signInId !== linking.signIn)
    throw new Fault('login.provider', { problem: LINK_OVER })
  return linking
}

/** Of a SAML provider: it posts its response, and reads our metadata. */
function addForms(app: Hono<Env>, parts: ProviderDoorParts, route: string, find: FindProvider): void {
  const { publicUrl } = parts
  app.post(`${route}/callback`, async (c) => {
    const fields = await formOf(c, FORM_LIMIT_BYTES)
    if (fields.has(AGAIN)) return arrive(c, parts, find, fields)
    const to = `${publicUrl()}${new URL(c.req.url).pathname}`
    return postOn(textsFor(c), to, { SAMLResponse: fields.get('SAMLResponse') ?? '', [AGAIN]: '1' })
  })
  app.get(`${route}/metadata`, async (c) => {
    try {
      const { provider, path } = await find(c, true)
      const text = provider.metadataFor?.(`${publicUrl()}${path}/callback`)
      if (text === undefined) throw new Fault('login.provider', { problem: 'it does not exist, or is disabled' })
      return c.body(text, 200, { 'content-type': 'application/samlmetadata+xml', 'cache-control': 'no-store' })
    } catch (thrown) {
      return problemAnswer(c, thrown)
    }
  })
}

/**
 * Where a provider says, from server to server, that somebody has signed out there (OpenID Connect Back-Channel Logout 1.0, section 2.5):
 * no browser and no cookie is in it.
 */
function addLogout(app: Hono<Env>, parts: ProviderDoorParts, route: string): void {
  const { providers } = parts
  app.post(`${route}/backchannel-logout`, async (c) => {
    c.header('cache-control', 'no-store')
    try {
      const token = (await formOf(c)).get('logout_token') ?? ''
      await providers.signOut(await providers.find(c.req.param('id') ?? '', false), actorOf(c, parts), token)
      return c.body(null, 200)
    } catch (thrown) {
      const fault = Fault.of(thrown)
      if (fault.code === 'internal') throw thrown
      return c.json({ error: 'invalid_request', error_description: fault.message }, 400)
    }
  })
}

/**
 * The way back. A form comes from the page of the provider's site, and a browser sends no cookie of an attempt with it: our own page has
 * posted it once more then.
 */
async function arrive(
  c: PageContext,
  parts: ProviderDoorParts,
  find: FindProvider,
  fields?: URLSearchParams,
): Promise<Response> {
  const path = new URL(c.req.url).pathname.replace(/\/callback$/, '')
  const cookies = createAttemptCookies(parts)
  try {
    const attempt = await cookies
      .take(c.req.header('cookie'), path)
      .catch((thrown: unknown) =>
        fields === undefined ? rethrow(thrown) : noteStranger(c, parts, find, { fields, thrown }),
      )
    const found = await find(c, attempt.trial === true)
    if ((found.provider.metadataFor === undefined) !== (fields === undefined))
      throw new Fault('login.provider', { problem: 'its response is not valid' })
    const current = new URL(`${parts.publicUrl()}${found.path}/callback${new URL(c.req.url).search}`)
    const proven = await found.provider
      .arrive(current, attempt, fields)
      .catch(noteIn(parts, found, c, attempt.trial === true))
    const response = await answerProven(c, parts, found, { attempt, proven })
    response.headers.append('set-cookie', cookies.clear(path))
    return response
  } catch (thrown) {
    const response = await problemAnswer(c, thrown)
    response.headers.append('set-cookie', cookies.clear(path))
    return response
  }
}

async function answerProven(
  c: PageContext,
  parts: ProviderDoorParts,
  found: ProviderAddress,
  { attempt, proven }: { readonly attempt: Attempt; readonly proven: Proven },
): Promise<Response> {
  const { row } = found
  const actor = actorOf(c, parts)
  if (row !== undefined && attempt.trial === true) return answerTrial(c, parts, row, proven)
  if (row === undefined || attempt.link === undefined)
    return answerSignedIn(c, await enter(parts, found, actor, proven), attempt.next, parts)
  await parts.providers.link(row, actor, attempt.link, proven)
  return leadOn(textsFor(c), OWN_ACCOUNT)
}

function problemAnswer(c: PageContext, thrown: unknown): Promise<Response> {
  const texts = textsFor(c)
  return problemPage(texts, thrown, texts.signIn.title(), (problem) => providerProblem(texts, problem))
}

const rethrow = (thrown: unknown): never => {
  throw thrown
}

/** The failure of a provider that is a row is shown to its administrators; a failed trial is for who tries it alone. */
const noteIn =
  ({ providers, ...parts }: ProviderDoorParts, { row }: ProviderAddress, c: PageContext, isTrial: boolean) =>
  (thrown: unknown): Promise<never> =>
    row === undefined || isTrial ? rethrow(thrown) : providers.noteProblem(row, actorOf(c, parts), 'visitor', thrown)

/** A form of no attempt of this browser is on record: a provider that starts sign-ins itself posts such forms. */
async function noteStranger(
  c: PageContext,
  parts: ProviderDoorParts,
  find: FindProvider,
  { fields, thrown }: { readonly fields: URLSearchParams; readonly thrown: unknown },
): Promise<never> {
  const { row } = await find(c, false)
  if (row === undefined) throw thrown
  return parts.providers.noteProblem(row, actorOf(c, parts), 'stranger', refusalOfUnasked(fields) ?? thrown)
}

const enter = (
  { signIn, providers }: ProviderDoorParts,
  { row }: ProviderAddress,
  actor: Actor,
  proven: Proven,
): Promise<Tokens | SecondStep> =>
  row === undefined ? signIn.withProven(actor, proven, { client: 'browser' }) : providers.signIn(row, actor, proven)

async function answerSignedIn(
  c: PageContext,
  tokens: Tokens | SecondStep,
  next: string | undefined,
  { web, steps }: Pick<ProviderDoorParts, 'web' | 'steps'>,
) {
  if ('challenge' in tokens) {
    const lead = await leadOn(textsFor(c), secondStepOf(next))
    lead.headers.append('set-cookie', steps.step(tokens))
    return lead
  }
  // A redirect would still count as led by the provider's site, and the new cookies would not be sent.
  const response = await leadOn(textsFor(c), next ?? '/')
  for (const value of web.cookiesFor(tokens)) response.headers.append('set-cookie', value)
  return response
}

function answerTrial(c: PageContext, { providers }: ProviderDoorParts, row: ProviderRow, proven: Proven) {
  const texts = textsFor(c)
  const body = trialPage(texts, { title: row.title, ...providers.outcomeOf(row, proven) })
  return pageOf({ texts, title: texts.trial.title(), body })
}

/** The sealed cookies of attempts, each below the address of its provider. */
function createAttemptCookies({ vault, spend, publicUrl }: ProviderDoorParts) {
  const isSecure = () => publicUrl().startsWith('https:')
  const name = () => (isSecure() ? '__Secure-toolway_oidc' : 'toolway_oidc')
  const cookie = (path: string, value: string, seconds: number) =>
    laxCookie(name(), value, { path, seconds, secure: isSecure() })

  return {
    seal: (attempt: Attempt): string =>
      cookie(attempt.path, vault.seal(JSON.stringify(attempt), SEAL_PURPOSE).toString('base64url'), SECONDS),
    clear: (path: string): string => cookie(path, '', 0),
    /** Throws `login.provider` for a way back that this browser did not begin, or has gone before. */
    async take(header: string | undefined, path: string): Promise<Attempt> {
      const attempt = readAttempt(vault, cookieOf(header, name()))
      if (attempt === undefined || attempt.until <= Date.now() || attempt.path !== path)
        throw new Fault('login.provider', {
          problem: 'it was not started in this browser, or took more than ten minutes',
        })
      if (!(await spend(vault.hash(`provider state ${attempt.state}`), new Date(attempt.until))))
        throw new Fault('login.provider', { problem: 'this response was already used' })
      return attempt
    },
  }
}

function readAttempt(vault: Pick<Vault, 'open'>, value: string | undefined): Attempt | undefined {
  const sealed = value === undefined ? undefined : decodeBase64Url(value)
  if (sealed === undefined) return undefined
  try {
    return Attempt.parse(JSON.parse(vault.open(sealed, SEAL_PURPOSE)))
  } catch {
    return undefined
  }
}
