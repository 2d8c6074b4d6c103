/**
 * The pages on which a person signs in with a browser: `/sign-in?next=/path`, which leads to that path of this gateway.
 *
 * Forms of other sites are refused by their Origin (`guard.ts`) before they come here. It shows no token and no password.
 */
import { Fault } from '@toolway/contract'
import { Hono } from 'hono'
import type { Enrolment, SignIn, Tokens } from '../../features/people/index.ts'
import { startPathOf, type ProviderSignIn } from '../../features/identity-providers/index.ts'
import type { ReadAssertion } from '../../identity/federated/assertion-header.ts'
import type { IdentityProvider } from '../../identity/federated/identity-provider.ts'
import type { Clients } from '../client-address.ts'
import { nextOf } from '../pages/next-address.ts'
import type { Markup } from '../pages/markup.ts'
import { pageOf } from '../pages/page.ts'
import {
  actorOf,
  comesFromElsewhere,
  formOf,
  leadOn,
  problemPage,
  textsFor,
  type Env,
  type PageContext,
} from '../pages/page-request.ts'
import type { PageTexts } from '../pages/page-texts.ts'
import {
  codeForm,
  findProviderForm,
  setUpForm,
  signedInPage,
  signInForm,
  type ProviderLink,
  type SignInForm,
} from '../pages/sign-in-page.ts'
import { PASSKEY_SCRIPT } from '../pages/passkey-script.ts'
import { leadToSecondStep, type SecondStepCookies } from './second-step-door.ts'
import type { WebSession } from './web-session.ts'

export interface SignInDoorParts {
  readonly web: WebSession
  readonly signIn: SignIn
  readonly enrolment: Enrolment
  readonly steps: SecondStepCookies
  /** The one of the environment variables. */
  readonly provider: IdentityProvider | undefined
  /** Of a gateway in front, where one is set. */
  readonly readAssertion: ReadAssertion | undefined
  readonly providers: Pick<ProviderSignIn, 'listOffered' | 'findForAddress' | 'leadsByAddress'>
  /** Characters that a password has at least. */
  readonly shortest: number
  /** The email of who is signed in, to show. */
  emailOf(userId: string): Promise<string | undefined>
  readonly clients: Clients
  newCorrelationId(): string
}

const BROWSER = { client: 'browser' } as const

export function createSignInDoor(parts: SignInDoorParts): Hono<Env> {
  const app = new Hono<Env>()
  addSignIn(app, parts)
  addOrganization(app, parts)
  addFirst(app, parts)
  addCode(app, parts)
  addSignOut(app, parts)
  return app
}

function addSignIn(app: Hono<Env>, parts: SignInDoorParts): void {
  const { web, signIn, enrolment, shortest } = parts

  async function showSignIn(c: PageContext, organization?: string): Promise<Response> {
    const texts = textsFor(c)
    const next = nextOf(c.req.query('next'))
    const principal = await web.principalOf(c.req.header('cookie'))
    if (principal?.signInId === undefined) {
      const path = organization === undefined ? '/sign-in' : `/o/${organization}/sign-in`
      if (comesFromElsewhere(c)) return leadOn(texts, next === undefined ? path : withNext(path, next))
      if (await enrolment.isEmpty())
        return pageOf({ texts, title: texts.setUp.title(), body: setUpForm(texts, { next, shortest }) })
      const leadsTo = next ?? (organization === undefined ? undefined : `/o/${organization}`)
      const asserted = await answerAsserted(c, parts, leadsTo, organization)
      if (asserted !== undefined) return asserted
      const notice = noticeOf(texts, c.req.query())
      const begun = await signIn.beginPasskey()
      const offers = await offersFor(parts, organization)
      const body = signInForm(texts, { next: leadsTo, notice, passkey: begun?.passkey, ...offers })
      if (begun === undefined) return pageOf({ texts, title: texts.signIn.title(), body })
      const page = await pageOf({ texts, title: texts.signIn.title(), body, script: PASSKEY_SCRIPT })
      page.headers.append('set-cookie', parts.steps.passkey(begun.challenge))
      return page
    }
    if (next !== undefined) return c.redirect(next, 303)
    const email = (await parts.emailOf(principal.id)) ?? principal.id
    const body = signedInPage(texts, { email, csrf: web.csrfOf(principal.signInId) })
    return pageOf({ texts, title: texts.signedIn.title(), body })
  }

  app.get('/sign-in', (c) => showSignIn(c))
  app.get('/o/:organization{[\\w-]+}/sign-in', (c) => showSignIn(c, c.req.param('organization')))

  app.post('/sign-in', async (c) => {
    const form = await formOf(c)
    const [next, email] = [nextOf(form.get('next') ?? undefined), form.get('email') ?? '']
    try {
      const tokens = await signIn.withPassword(actorOf(c, parts), email, form.get('password') ?? '', BROWSER)
      return 'challenge' in tokens
        ? leadToSecondStep(c, parts.steps, tokens, next)
        : answerSignedIn(c, web, tokens, next)
    } catch (thrown) {
      const texts = textsFor(c)
      const offers = await offersFor(parts, form.get('organization') ?? undefined)
      return problemPage(texts, thrown, texts.signIn.title(), (problem) =>
        signInForm(texts, { next, problem, email, ...offers }),
      )
    }
  })
}

/** Signs in whom a gateway in front has let through; undefined where it says nothing, and for who has just signed out. */
async function answerAsserted(
  c: PageContext,
  parts: SignInDoorParts,
  next: string | undefined,
  organization: string | undefined,
): Promise<Response | undefined> {
  const { readAssertion, signIn, web, steps } = parts
  if (readAssertion === undefined || c.req.query('out') !== undefined) return undefined
  try {
    const proven = await readAssertion((name) => c.req.header(name))
    if (proven === undefined) return undefined
    const tokens = await signIn.withProven(actorOf(c, parts), proven, BROWSER)
    return 'challenge' in tokens ? leadToSecondStep(c, steps, tokens, next) : answerSignedIn(c, web, tokens, next)
  } catch (thrown) {
    const texts = textsFor(c)
    const offers = await offersFor(parts, organization)
    return problemPage(texts, thrown, texts.signIn.title(), (problem) =>
      signInForm(texts, { next, problem, ...offers }),
    )
  }
}

type Offers = Pick<SignInForm, 'providers' | 'leadsByAddress' | 'organization'>

/** The providers on the sign-in page of an organization, or of the installation. */
async function offersFor({ provider, providers }: SignInDoorParts, organization: string | undefined): Promise<Offers> {
  const [offered, leadsByAddress] = await Promise.all([
    providers.listOffered(organization),
    organization === undefined && providers.leadsByAddress(),
  ])
  const links = offered.map(({ id, title }): ProviderLink => ({ title, path: startPathOf(id) }))
  const own = provider?.browses === true ? [{ title: provider.title, path: '/sign-in/oidc' }] : []
  return { providers: [...links, ...own], leadsByAddress, organization }
}

/** Leads to the provider of the organization that has proven the domain of an address. */
function addOrganization(app: Hono<Env>, parts: SignInDoorParts): void {
  const answer = (c: PageContext, form: Parameters<typeof findProviderForm>[1]) => {
    const texts = textsFor(c)
    return pageOf({ texts, title: texts.findProvider.title(), body: findProviderForm(texts, form) })
  }
  app.get('/sign-in/organization', (c) => answer(c, { next: nextOf(c.req.query('next')) }))
  app.post('/sign-in/organization', async (c) => {
    const form = await formOf(c)
    const [next, email] = [nextOf(form.get('next') ?? undefined), form.get('email') ?? '']
    const found = await parts.providers.findForAddress(email)
    if (found === undefined) return answer(c, { next, email, problem: textsFor(c).findProvider.unknown() })
    const query = new URLSearchParams({ email, ...(next === undefined ? {} : { next }) })
    // Browsers follow no redirect of a form to another site here (`form-action`), where the provider is.
    return leadOn(textsFor(c), `${startPathOf(found.id)}?${query}`)
  })
}

function addFirst(app: Hono<Env>, parts: SignInDoorParts): void {
  const { web, signIn, enrolment, shortest } = parts
  app.post('/sign-in/first', async (c) => {
    const form = await formOf(c)
    const next = nextOf(form.get('next') ?? undefined)
    const [email, name] = [form.get('email') ?? '', form.get('name') ?? '']
    try {
      checkPerson(email, name)
      const first = { code: form.get('code') ?? '', email, name: name.trim(), password: form.get('password') ?? '' }
      const user = await enrolment.register(actorOf(c, parts), first)
      return answerSignedIn(
        c,
        web,
        await signIn.as(actorOf(c, parts), { user, methods: ['pwd'], how: 'setup code', scope: BROWSER }),
        next,
      )
    } catch (thrown) {
      const texts = textsFor(c)
      return problemPage(texts, thrown, texts.setUp.title(), (problem) =>
        setUpForm(texts, { next, problem, email, name, shortest }),
      )
    }
  })
}

function addCode(app: Hono<Env>, parts: SignInDoorParts): void {
  const { enrolment, shortest } = parts
  app.get('/sign-in/code', (c) => {
    const texts = textsFor(c)
    return pageOf({ texts, title: texts.choosePassword.title(), body: codeForm(texts, { shortest }) })
  })
  app.post('/sign-in/code', async (c) => {
    const form = await formOf(c)
    try {
      await enrolment.choosePassword(actorOf(c, parts), form.get('code') ?? '', form.get('password') ?? '')
      return c.redirect('/sign-in?set', 303)
    } catch (thrown) {
      const texts = textsFor(c)
      return problemPage(texts, thrown, texts.choosePassword.title(), (problem) =>
        codeForm(texts, { problem, shortest }),
      )
    }
  })
}

function addSignOut(app: Hono<Env>, parts: SignInDoorParts): void {
  const { web, signIn } = parts
  app.post('/sign-in/out', async (c) => {
    const form = await formOf(c)
    const principal = await web.principalOf(c.req.header('cookie'))
    if (principal?.signInId !== undefined && principal.userId !== undefined) {
      web.checkCsrf(principal.signInId, form.get('csrf') ?? undefined)
      await signIn.end(actorOf(c, parts), { id: principal.signInId, userId: principal.userId })
    }
    for (const cookie of web.clearing()) c.header('set-cookie', cookie, { append: true })
    // The gateway in front would sign in anew whoever has just signed out.
    return c.redirect(parts.readAssertion === undefined ? '/sign-in' : '/sign-in?out', 303)
  })
}

export function answerSignedIn(c: PageContext, web: WebSession, tokens: Tokens, next: string | undefined): Response {
  for (const cookie of web.cookiesFor(tokens)) c.header('set-cookie', cookie, { append: true })
  return c.redirect(next ?? '/', 303)
}

/** Why somebody is here, where that is known. */
function noticeOf({ signIn }: PageTexts, { set, ended }: Readonly<Record<string, string>>): Markup | undefined {
  if (set !== undefined) return signIn.set()
  return ended === undefined ? undefined : signIn.ended()
}

const withNext = (path: string, next: string) => `${path}?next=${encodeURIComponent(next)}`

/** Checks the same rules that the form sets in a browser. Throws `body.shape`. */
function checkPerson(email: string, name: string): void {
  if (!/^[^\s@]+@[^\s@]+$/.test(email.trim()) || email.length > 254)
    throw new Fault('body.shape', { place: '/email', problem: 'must be an email address' })
  if (name.trim() === '' || name.length > 100)
    throw new Fault('body.shape', { place: '/name', problem: 'must have 1 to 100 characters' })
}
