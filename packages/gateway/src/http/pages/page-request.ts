/** Checks of a request that all pages of the gateway share, and the answer to a request that failed. */
import type { HttpBindings } from '@hono/node-server'
import { Fault } from '@toolway/contract'
import type { Context } from 'hono'
import type { Actor } from '../../records/change.ts'
import { readBody, textOf } from '../body.ts'
import type { Clients } from '../client-address.ts'
import { correlationOf } from '../request-head.ts'
import { headersOf } from '../http-faults.ts'
import { faultText } from './fault-text.ts'
import { html, type Markup } from './markup.ts'
import { pageOf } from './page.ts'
import { linkTo, pageTexts, type PageTexts } from './page-texts.ts'

export type Env = { Bindings: HttpBindings }
export type PageContext = Context<Env>

const FORM_LIMIT_BYTES = 16 * 1024

/** The fields of a form. Throws `request.media-type` for anything else, and `request.too-large`. */
export async function formOf(c: PageContext, limitBytes = FORM_LIMIT_BYTES): Promise<URLSearchParams> {
  if (!/^application\/x-www-form-urlencoded\b/i.test(c.req.header('content-type') ?? ''))
    throw new Fault('request.media-type')
  return new URLSearchParams(textOf(await readBody(c.env.incoming, limitBytes)))
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

/** The texts of the pages, in the language of a request. */
export const textsFor = (c: Context): PageTexts => pageTexts(c.req.header('accept-language'))

/** A page that leads on by itself: what another site began goes on as a request of our own, with its cookies. */
export const leadOn = (texts: PageTexts, to: string): Promise<Response> =>
  pageOf({
    texts,
    title: texts.moment.title(),
    body: html`<p>${texts.moment.next({ a: linkTo(to) })}</p>`,
    goTo: to,
  })

/**
 * A page that posts the fields that another site's page has posted once more, by itself or by its button: as a request of our own, with its
 * cookies.
 */
export const postOn = (texts: PageTexts, to: string, fields: Readonly<Record<string, string>>): Promise<Response> =>
  pageOf({
    texts,
    title: texts.moment.title(),
    script: 'document.forms[0].submit()',
    formTo: to,
    body: html`<form method="post" action="${to}">
      ${Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
      <button>${texts.moment.send()}</button>
    </form>`,
  })

/** The same page once more with what went wrong; what nobody foresaw is thrown on. */
export async function problemPage(
  texts: PageTexts,
  thrown: unknown,
  title: Markup,
  bodyFor: (problem: Markup) => Markup,
  script?: string,
): Promise<Response> {
  const fault = Fault.of(thrown)
  if (fault.code === 'internal') throw thrown
  const body = bodyFor(faultText(texts, fault))
  const page = { texts, title, body, status: fault.row.http }
  const response = await pageOf(script === undefined ? page : { ...page, script })
  for (const [name, value] of Object.entries(headersOf(fault))) response.headers.set(name, value)
  return response
}
