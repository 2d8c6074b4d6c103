/**
 * `/connect/done`, the page on which flows end that began with a link in a chat; flows that began in the console end in it. The list of
 * a person's accounts is a screen of the console, to which `/connect` redirects.
 */
import { Hono } from 'hono'
import { roleIn } from '../../snapshot/role.ts'
import type { Snapshot } from '../../snapshot/snapshot.ts'
import type { Accounts } from '../../identity/accounts.ts'
import type { Principal } from '../../identity/principal.ts'
import type { FailureDetails } from '../../oauth/outgoing/flows/failure-details.ts'
import { WHYS } from '../../oauth/outgoing/flows/callback-check.ts'
import { donePage, type Outcome } from '../pages/done-page.ts'
import { pageOf } from '../pages/page.ts'
import { comesFromElsewhere, leadOn, textsFor, type Env, type PageContext } from '../pages/page-request.ts'
import { INTEGRATIONS } from './callback-door.ts'
import { DONE } from './connect-door.ts'
import type { Visitors } from './visitor.ts'

export interface DoneDoorParts {
  readonly accounts: Pick<Accounts, 'find'>
  readonly visitors: Visitors
  readonly details: Pick<FailureDetails, 'open'>
  all(): readonly Snapshot[]
  prefix(): string
}

/** The console's screen of the accounts that one's calls use. */
const OWN_ACCOUNTS = '/accounts'
const DETAILS = `${DONE}/details`

export function createDoneDoor(parts: DoneDoorParts): Hono<Env> {
  const { visitors, prefix, details } = parts
  const app = new Hono<Env>()

  app.get('/connect', (c) => c.redirect(`${prefix()}${OWN_ACCOUNTS}`, 302))
  // The old address of the source system (ledger S2-QRK-01).
  app.get('/settings/mcp', (c) => c.redirect(`${prefix()}${INTEGRATIONS}${new URL(c.req.url).search}`, 308))

  // For the console, which ends its own flows on a screen of its own.
  app.get(DETAILS, (c) => {
    c.header('cache-control', 'no-store')
    return c.json({ details: details.open(c.req.query('details') ?? '') ?? null })
  })

  app.get(DONE, async (c) => {
    const texts = textsFor(c)
    const visitor = await visitors.find(c)
    // Led here by the authorization server's site, the browser keeps back who it is; asked by us, it says.
    if (visitor === undefined && comesFromElsewhere(c))
      return leadOn(texts, `${prefix()}${DONE}${new URL(c.req.url).search}`)
    const titleOf = (id: string) => (visitor === undefined ? undefined : titleFor(parts, visitor.principal, id))
    const outcome = outcomeIn(c, { titleOf, details }) ?? NOTHING
    return pageOf({
      texts,
      title: outcome.kind === 'connected' ? texts.done.title() : texts.done.failedTitle(),
      body: donePage(texts, outcome),
      status: outcome.kind === 'connected' ? 200 : 400,
    })
  })
  return app
}

const NOTHING: Outcome = { kind: 'error', error: 'missing_code', why: undefined, details: undefined }

/** Reads the outcome of an ended flow from the query of this page. Values that do not have the expected form are not shown. */
function outcomeIn(
  c: PageContext,
  { titleOf, details }: Pick<DoneDoorParts, 'details'> & { titleOf(id: string): string | undefined },
): Outcome | undefined {
  const [connected, why] = [c.req.query('connected'), c.req.query('why')]
  // A broker of accounts says how it went by a status.
  const failed = c.req.query('status') === 'failed' ? 'access_denied' : undefined
  const error = c.req.query('error') ?? failed
  if (error !== undefined) {
    // RFC 6749, section 4.1.2.1: printable, without quotes.
    const text = /^[\x20-\x21\x23-\x5b\x5d-\x7e]{1,100}$/.test(error) ? error : 'no reason given'
    const known = why !== undefined && Object.hasOwn(WHYS, why) ? WHYS[why as keyof typeof WHYS] : undefined
    return { kind: 'error', error: text, why: known, details: details.open(c.req.query('details') ?? '') }
  }
  return connected === undefined ? undefined : { kind: 'connected', title: titleOf(connected) }
}

/** The title of a connection of an organization that the visitor belongs to; undefined for any other. */
function titleFor({ all, accounts }: DoneDoorParts, principal: Principal, id: string): string | undefined {
  for (const { organization, members, connections } of all()) {
    const isTheirs =
      organization.active &&
      (principal.organizationId ?? organization.id) === organization.id &&
      roleIn(accounts, principal, members) !== undefined
    const found = isTheirs ? connections.find((connection) => connection.id === id) : undefined
    if (found !== undefined) return found.title === found.alias ? found.alias : `${found.title} (${found.alias})`
  }
  return undefined
}
