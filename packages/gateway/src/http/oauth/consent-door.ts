/**
 * The consent page, on which a user allows or denies a client access: `/consent/{question}`.
 *
 * The sign-in cookies identify the user; a cookie that only the browser of the authorization request has identifies the question.
 * An answer needs both, and the CSRF token. A user need not answer the same question twice where the identity of the client is
 * certain.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Fault, lesserLimit, LIMITS, type FamilyId, type Limit, type UserId } from '@toolway/contract'
import type { Principal } from '../../identity/principal.ts'
import type { Asking, AuthorizationServer, Remembered } from '../../oauth/authorization-server.ts'
import type { Choice } from '../../oauth/consent.ts'
import { PATHS } from '../../oauth/metadata.ts'
import { readBody, textOf } from '../body.ts'
import { consentForm, goneText, goingBack, noChoiceForm } from '../pages/consent-page.ts'
import { pageOf } from '../pages/page.ts'
import { pageTexts, type PageTexts } from '../pages/page-texts.ts'
import type { WebSession } from '../sign-in/web-session.ts'

export interface ConsentDoorParts {
  readonly web: Pick<WebSession, 'principalOf' | 'csrfOf' | 'checkCsrf'>
  readonly server: Pick<AuthorizationServer, 'find' | 'remembered' | 'allow' | 'refuse'>
  /** Path of the public address, without a slash at its end. */
  prefix(): string
  choices(principal: Principal, asking: Asking): readonly Choice[]
  emailOf(userId: string): Promise<string | undefined>
}

export interface ConsentDoor {
  answer(request: IncomingMessage, response: ServerResponse, path: string): Promise<Response>
}

const BODY_LIMIT_BYTES = 16 * 1024

/** A question, the person in front of it, and what that person can answer. */
interface ConsentExchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly texts: PageTexts
  readonly asking: Asking
  readonly person: Person
  readonly choices: readonly Choice[]
}
interface Person {
  readonly id: UserId
  readonly signInId: FamilyId
}

export function createConsentDoor(parts: ConsentDoorParts): ConsentDoor {
  const { web, server, choices: choicesOf, emailOf } = parts
  const pathOf = (id: string) => `${parts.prefix()}${PATHS.consent}/${id}`

  async function ask(exchange: ConsentExchange): Promise<Response> {
    const { texts, asking, person, choices } = exchange
    const before = await server.remembered(asking, person.id)
    const same = before && choices.find(({ organizationId }) => organizationId === before.organizationId)
    if (before !== undefined && same !== undefined && isAlreadyGranted(asking, before, same.maxLimit)) {
      const { organizationId } = same
      const allowed = { userId: person.id, organizationId, limit: before.limit, givenIn: person.signInId }
      return goBack(exchange, await server.allow(exchange.request, exchange.response, asking, allowed))
    }
    const form = { action: pathOf(asking.id), csrf: web.csrfOf(person.signInId), asking }
    const email = (await emailOf(person.id)) ?? person.id
    if (choices.length === 0) {
      return pageOf({ texts, title: texts.consent.nothing.title(), body: noChoiceForm(texts, { ...form, email }) })
    }
    const suggested = suggestionFor(asking, before?.limit)
    const organizationId = same?.organizationId
    const body = consentForm(texts, { ...form, email, choices, suggested, organizationId, before: before?.limit })
    return pageOf({ texts, title: texts.consent.title({ client: asking.clientName }), body })
  }

  async function takeAnswer(exchange: ConsentExchange, form: URLSearchParams): Promise<Response> {
    const { request, response, asking, person, choices } = exchange
    web.checkCsrf(person.signInId, form.get('csrf') ?? undefined)
    const choice = choices.find(({ organizationId }) => organizationId === form.get('organization'))
    const chosenLimit = LIMITS.find((limit) => limit === form.get('access'))
    if (form.get('answer') !== 'allow') {
      const by = { userId: person.id, organizationId: choice?.organizationId ?? choices[0]?.organizationId }
      return goBack(exchange, await server.refuse(request, response, asking, by))
    }
    if (choice === undefined || chosenLimit === undefined) return ask(exchange)
    // The grant never exceeds the user's own permissions, whatever the form contains.
    const limit = lesserLimit(chosenLimit, choice.maxLimit)
    const allowed = { userId: person.id, organizationId: choice.organizationId, limit, givenIn: person.signInId }
    return goBack(exchange, await server.allow(request, response, asking, allowed))
  }

  const goBack = ({ texts, asking }: ConsentExchange, to: string) =>
    pageOf({ texts, title: texts.consent.back.title(), body: goingBack(texts, { asking, to }), goTo: to })

  async function answer(request: IncomingMessage, response: ServerResponse, path: string): Promise<Response> {
    const id = path.slice(PATHS.consent.length + 1)
    const asking = await server.find(request, response, id)
    const texts = pageTexts(request.headers['accept-language'])
    if (asking === undefined)
      return pageOf({ texts, title: texts.consent.gone.title(), body: goneText(texts), status: 404 })
    const principal = await web.principalOf(request.headers.cookie)
    if (principal?.userId === undefined || principal.signInId === undefined) {
      const to = `${parts.prefix()}/sign-in?next=${encodeURIComponent(pathOf(id))}`
      return new Response(null, { status: 303, headers: { location: to, 'cache-control': 'no-store' } })
    }
    const person = { id: principal.userId, signInId: principal.signInId }
    const exchange = { request, response, texts, asking, person, choices: choicesOf(principal, asking) }
    return request.method === 'POST' ? takeAnswer(exchange, await formOf(request)) : ask(exchange)
  }

  return { answer }
}

/**
 * Whether there is nothing new to ask. Never where any program of the machine could be the one that asks (RFC 8252, section 8.6),
 * nor where the answer would go to another host than the person agreed to: clients register several.
 */
const isAlreadyGranted = ({ local, insists, limit, host }: Asking, before: Remembered, most: Limit): boolean =>
  !local &&
  !insists &&
  host === before.host &&
  lesserLimit(limit ?? before.limit, before.limit) === (limit ?? before.limit) &&
  lesserLimit(before.limit, most) === before.limit

/** The preselected limit: not destructive, unless the user has allowed the client before and it asks for that limit. */
const suggestionFor = ({ limit = 'write' }: Asking, before: Limit | undefined): Limit =>
  before === undefined ? lesserLimit(limit, 'write') : limit

async function formOf(request: IncomingMessage): Promise<URLSearchParams> {
  if (!/^application\/x-www-form-urlencoded\b/i.test(request.headers['content-type'] ?? ''))
    throw new Fault('request.media-type')
  return new URLSearchParams(textOf(await readBody(request, BODY_LIMIT_BYTES)))
}
