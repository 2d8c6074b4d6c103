/**
 * The second step of a sign-in with a browser (`/sign-in/second-factor`), and the sign-in by a passkey alone (`/sign-in/passkey`).
 *
 * What the first step proved travels sealed in a cookie that only the browser of that step has, so that nobody else's browser can
 * finish it. It is SameSite=Strict and opens nothing by itself.
 */
import { Fault } from '@toolway/contract'
import { PasskeyAnswer } from '@toolway/contract/admin'
import { Hono } from 'hono'
import type { SecondStep, SignIn, Tokens } from '../../features/people/index.ts'
import type { Clients } from '../client-address.ts'
import { nextOf } from '../pages/next-address.ts'
import { pageOf } from '../pages/page.ts'
import { actorOf, formOf, problemPage, textsFor, type Env, type PageContext } from '../pages/page-request.ts'
import { lateForm, secondStepForm } from '../pages/second-factor-page.ts'
import { PASSKEY_SCRIPT } from '../pages/passkey-script.ts'
import { cookieOf } from './web-session.ts'

export interface SecondStepDoorParts {
  readonly signIn: Pick<SignIn, 'withSecondFactor' | 'withPasskey' | 'beginPasskey'>
  publicUrl(): string
  /** The cookies of the sign-in, and the way on. */
  answerSignedIn(c: PageContext, tokens: Tokens, next: string | undefined): Response
  readonly clients: Clients
  newCorrelationId(): string
}

const BROWSER = { client: 'browser' } as const
const PATH = '/sign-in'
const ALONE_SECONDS = 300

export type SecondStepCookies = ReturnType<typeof createSecondStepCookies>

/** The cookies of a sign-in that is not complete. */
export function createSecondStepCookies(publicUrl: () => string) {
  const isSecure = () => publicUrl().startsWith('https:')
  const name = (of: 'step' | 'passkey') => `${isSecure() ? '__Secure-' : ''}toolway_${of}`
  const line = (of: 'step' | 'passkey', value: string, seconds: number) =>
    `${name(of)}=${value}; Path=${PATH}; Max-Age=${seconds}; SameSite=Strict; HttpOnly${isSecure() ? '; Secure' : ''}`
  return {
    /** What the page shows travels along, because nothing is stored here. */
    step: ({ challenge, passkey, expiresIn }: SecondStep) =>
      line('step', [challenge, encodeOptions(passkey)].join('.'), expiresIn),
    passkey: (challenge: string) => line('passkey', challenge, ALONE_SECONDS),
    clearing: (of: 'step' | 'passkey') => line(of, '', 0),
    stepOf(cookies: string | undefined) {
      const [challenge = '', options = ''] = cookieOf(cookies, name('step'))?.split('.') ?? []
      return challenge === '' ? undefined : { challenge, options: decodeOptions(options) }
    },
    passkeyOf: (cookies: string | undefined) => cookieOf(cookies, name('passkey')) ?? '',
  }
}

const encodeOptions = (options: SecondStep['passkey']) =>
  options === undefined ? '' : Buffer.from(JSON.stringify(options)).toString('base64url')

function decodeOptions(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return text === '' ? undefined : (JSON.parse(Buffer.from(text, 'base64url').toString()) as Record<string, unknown>)
  } catch {
    return undefined
  }
}

/** Sends a browser from the first step to the second one. */
export function leadToSecondStep(
  c: PageContext,
  cookies: SecondStepCookies,
  step: SecondStep,
  next: string | undefined,
): Response {
  c.header('set-cookie', cookies.step(step), { append: true })
  return c.redirect(secondStepOf(next), 303)
}

export const secondStepOf = (next: string | undefined): string =>
  `${PATH}/second-factor${next === undefined ? '' : `?next=${encodeURIComponent(next)}`}`

/** Throws `factor.wrong` for what no browser answers. */
function passkeyIn(text: string) {
  try {
    return PasskeyAnswer.parse(JSON.parse(text))
  } catch (thrown) {
    throw new Fault('factor.wrong', {}, { cause: thrown })
  }
}

export function createSecondStepDoor(parts: SecondStepDoorParts, cookies: SecondStepCookies): Hono<Env> {
  const { signIn } = parts
  const app = new Hono<Env>()

  app.get(`${PATH}/second-factor`, async (c) => {
    const texts = textsFor(c)
    const step = cookies.stepOf(c.req.header('cookie'))
    if (step === undefined) return c.redirect(PATH, 303)
    const body = secondStepForm(texts, { next: nextOf(c.req.query('next')), options: step.options })
    return pageOf({ texts, title: texts.secondFactor.title(), body, script: PASSKEY_SCRIPT })
  })

  app.post(`${PATH}/second-factor`, async (c) => {
    const form = await formOf(c)
    const next = nextOf(form.get('next') ?? undefined)
    const step = cookies.stepOf(c.req.header('cookie'))
    try {
      if (step === undefined) throw new Fault('factor.late')
      const passkey = form.get('passkey')
      const proof = passkey === null ? { code: form.get('code') ?? '' } : { passkey: passkeyIn(passkey) }
      const tokens = await signIn.withSecondFactor(actorOf(c, parts), step.challenge, proof)
      c.header('set-cookie', cookies.clearing('step'), { append: true })
      return parts.answerSignedIn(c, tokens, next)
    } catch (thrown) {
      const texts = textsFor(c)
      const isOver = Fault.of(thrown).code === 'factor.late'
      const title = texts.secondFactor.title()
      const bodyFor = (problem: ReturnType<typeof secondStepForm>) =>
        isOver ? lateForm(texts, problem) : secondStepForm(texts, { next, problem, options: step?.options })
      return problemPage(texts, thrown, title, bodyFor, PASSKEY_SCRIPT)
    }
  })

  app.post(`${PATH}/passkey`, async (c) => {
    const form = await formOf(c)
    const next = nextOf(form.get('next') ?? undefined)
    c.header('set-cookie', cookies.clearing('passkey'), { append: true })
    try {
      const challenge = cookies.passkeyOf(c.req.header('cookie'))
      const passkey = passkeyIn(form.get('passkey') ?? '')
      const tokens = await signIn.withPasskey(actorOf(c, parts), challenge, passkey, BROWSER)
      return parts.answerSignedIn(c, tokens, next)
    } catch (thrown) {
      const texts = textsFor(c)
      return problemPage(texts, thrown, texts.signIn.title(), (problem) => lateForm(texts, problem))
    }
  })
  return app
}
