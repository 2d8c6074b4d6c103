/** Checks of a request that all pages of the gateway share, and the answer to a request that failed. */
import type { HttpBindings } from '@hono/node-server'
import { Fault } from '@toolway/contract'
import type { Context } from 'hono'
import type { Actor } from '../../records/change.ts'
import { readBody, textOf } from '../body.ts'
import type { Clients } from '../client-address.ts'
import { correlationOf } from '../request-head.ts'
import { headersOf } from '../say-fault.ts'
import { html, pageOf, type Markup } from './page.ts'

export type Env = { Bindings: HttpBindings }
export type PageContext = Context<Env>

const FORM_LIMIT = 16 * 1024

/** The fields of a form. Throws `request.media-type` for anything else, and `request.too-large`. */
export async function formOf(c: PageContext): Promise<URLSearchParams> {
  if (!/^application\/x-www-form-urlencoded\b/i.test(c.req.header('content-type') ?? ''))
    throw new Fault('request.media-type')
  return new URLSearchParams(textOf(await readBody(c.env.incoming, FORM_LIMIT)))
}

interface PageRequestParts {
  readonly clients: Clients
  newCorrelationId(): string
}

/** The actor of an unauthenticated request, with its client address. */
export const actorOf = (c: PageContext, { clients, newCorrelationId }: PageRequestParts): Actor => ({
  id: 'anonymous',
  type: 'system',
  keyId: undefined,
  address: clients.of(c.env.incoming).address,
  userAgent: c.req.header('user-agent'),
  correlationId: correlationOf(c.env.incoming) ?? newCorrelationId(),
})

/**
 * Whether another site led here: a browser then keeps back the cookies of who may well be signed in (SameSite=Strict). Asked
 * once more by our own page, it sends them.
 */
export const comesFromElsewhere = (c: PageContext): boolean =>
  /^(cross|same)-site$/.test(c.req.header('sec-fetch-site') ?? '')

/** A page that leads on by itself: what another site began goes on as a request of our own, with its cookies. */
export const leadOn = (to: string): Promise<Response> =>
  pageOf({ title: 'One moment', body: html`<p><a href="${to}">Continue</a> if nothing happens.</p>`, goTo: to })

/** The same page once more with what went wrong; what nobody foresaw is thrown on. */
export async function problemPage(thrown: unknown, title: string, bodyFor: (problem: string) => Markup) {
  const fault = Fault.of(thrown)
  if (fault.code === 'internal') throw thrown
  const { facts, row, code, message, mend } = fault
  // The position within a JSON body means nothing to the user of a form, so the message names the field.
  const problem =
    code === 'body.shape' ? `The ${String(facts['place']).slice(1)} ${facts['problem']}.` : `${message} ${mend}`
  const response = await pageOf({ title, body: bodyFor(problem), status: row.http })
  for (const [name, value] of Object.entries(headersOf(fault))) response.headers.set(name, value)
  return response
}
