/**
 * The way to the identity provider and back: `/sign-in/oidc` and `/sign-in/oidc/callback` (OpenID Connect Core 1.0, 3.1).
 *
 * What belongs to one attempt travels in a sealed cookie of the browser that began it, for ten minutes, and is good once in
 * whichever replica. That cookie is SameSite=Lax, because the provider's site leads back here; those of the session stay Strict.
 */
import { Fault } from '@toolway/contract'
import { Hono } from 'hono'
import { z } from 'zod'
import type { SignIn } from '../../features/people/index.ts'
import type { IdentityProvider } from '../../identity/federated/identity-provider.ts'
import { laxCookie } from '../../lib/lax-cookie.ts'
import { decodeBase64Url } from '../../lib/base64url.ts'
import type { Vault } from '../../vault/vault.ts'
import type { Clients } from '../client-address.ts'
import { nextOf } from '../pages/next-address.ts'
import { actorOf, leadOn, problemPage, textsFor, type Env, type PageContext } from '../pages/page-request.ts'
import { providerProblem } from '../pages/sign-in-page.ts'
import { cookieOf, type WebSession } from './web-session.ts'

export interface ProviderDoorParts {
  readonly provider: IdentityProvider
  readonly signIn: SignIn
  readonly web: WebSession
  readonly vault: Pick<Vault, 'seal' | 'open' | 'hash'>
  /** Whether that state comes back for the first time. */
  spend(hash: Buffer, until: Date): Promise<boolean>
  publicUrl(): string
  readonly clients: Clients
  newCorrelationId(): string
}

const PATH = '/sign-in/oidc'
const CALLBACK = `${PATH}/callback`
const SECONDS = 600
const SEALED_FOR = 'sign-in at a provider'

const Kept = z.object({
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  next: z.string().optional(),
  until: z.number(),
})

export function createProviderDoor(parts: ProviderDoorParts): Hono<Env> {
  const { provider, signIn, web, vault, spend, publicUrl } = parts
  const app = new Hono<Env>()
  const isSecure = () => publicUrl().startsWith('https:')
  const name = () => (isSecure() ? '__Secure-toolway_oidc' : 'toolway_oidc')
  const cookie = (value: string, seconds: number) =>
    laxCookie(name(), value, { path: PATH, seconds, secure: isSecure() })

  function problemAnswer(c: PageContext, thrown: unknown): Promise<Response> {
    const texts = textsFor(c)
    return problemPage(texts, thrown, texts.signIn.title(), (problem) => providerProblem(texts, problem))
  }

  app.get(PATH, async (c) => {
    const next = nextOf(c.req.query('next'))
    try {
      const { url, ...oauthRedirect } = await provider.depart(publicUrl() + CALLBACK)
      const started: z.input<typeof Kept> = {
        ...oauthRedirect,
        ...(next === undefined ? {} : { next }),
        until: Date.now() + SECONDS * 1000,
      }
      c.header('set-cookie', cookie(vault.seal(JSON.stringify(started), SEALED_FOR).toString('base64url'), SECONDS))
      return c.redirect(url.href, 303)
    } catch (thrown) {
      return problemAnswer(c, thrown)
    }
  })

  /** Throws `login.provider` for a way back that this browser did not begin, or has gone before. */
  async function oauthRedirectOf(cookies: string | undefined) {
    const started = readKept(vault, cookieOf(cookies, name()))
    if (started === undefined || started.until <= Date.now())
      throw new Fault('login.provider', {
        problem: 'it was not started in this browser, or took more than ten minutes',
      })
    if (!(await spend(vault.hash(`provider state ${started.state}`), new Date(started.until))))
      throw new Fault('login.provider', { problem: 'this response was already used' })
    return started
  }

  app.get(CALLBACK, async (c) => {
    try {
      const started = await oauthRedirectOf(c.req.header('cookie'))
      const proven = await provider.arrive(new URL(publicUrl() + CALLBACK + new URL(c.req.url).search), started)
      const tokens = await signIn.withProven(actorOf(c, parts), proven, { client: 'browser' })
      // A redirect would still count as led by the provider's site, and the new cookies would not be sent.
      const response = await leadOn(textsFor(c), started.next ?? '/sign-in')
      for (const value of [...web.cookiesFor(tokens), cookie('', 0)]) response.headers.append('set-cookie', value)
      return response
    } catch (thrown) {
      const response = await problemAnswer(c, thrown)
      response.headers.append('set-cookie', cookie('', 0))
      return response
    }
  })
  return app
}

function readKept(vault: Pick<Vault, 'open'>, value: string | undefined): z.output<typeof Kept> | undefined {
  const sealed = value === undefined ? undefined : decodeBase64Url(value)
  if (sealed === undefined) return undefined
  try {
    return Kept.parse(JSON.parse(vault.open(sealed, SEALED_FOR)))
  } catch {
    return undefined
  }
}
