/**
 * Where authorization servers lead back to, in the three forms that there are: public, because no cookie of a sign-in and no token
 * comes along; who comes back is told by the state and by the cookie of the browser that began (ledger U-14).
 *
 * It answers with one hop to a page of ours, or to the program of this machine that asked for it. No text of a vendor's is on the way
 * but its error code, escaped; what it said besides goes to our page only, sealed.
 */
import { Hono } from 'hono'
import {
  clientMetadata,
  CALLBACK,
  CLIENT_METADATA,
  INTEGRATIONS_CALLBACK,
} from '../../oauth/outgoing/flows/client-metadata.ts'
import type { Ending } from '../../oauth/outgoing/flows/connect-links.ts'
import { endingOf, type Arrival, type Flows } from '../../oauth/outgoing/flows/flows.ts'
import { FlowProblem } from '../../oauth/outgoing/flows/callback-check.ts'
import type { FailureDetails } from '../../oauth/outgoing/flows/failure-details.ts'
import type { Clients } from '../client-address.ts'
import { actorOf, type Env, type PageContext } from '../pages/page-request.ts'
import { cookieOf } from '../sign-in/web-session.ts'

export interface CallbackDoorParts {
  readonly flows: Pick<Flows, 'finish'>
  readonly details: Pick<FailureDetails, 'seal'>
  publicUrl(): string
  prefix(): string
  readonly clients: Clients
  newCorrelationId(): string
}

export const INTEGRATIONS = '/settings/integrations'
const PROVIDER_CALLBACK = '/api/v1/oauth/:organization/callback/:provider'
/** For everybody, for a while: it changes with the public address only. */
const KEPT = { 'cache-control': 'public, max-age=300', 'access-control-allow-origin': '*' }

export function createCallbackDoor(parts: CallbackDoorParts): Hono<Env> {
  const { flows, details, publicUrl, prefix } = parts
  const app = new Hono<Env>()

  async function finish(c: PageContext): Promise<Response> {
    const { pathname, searchParams } = new URL(c.req.url)
    const { address, userAgent, correlationId, keyId } = actorOf(c, parts)
    const back = {
      answer: searchParams,
      redirectUri: `${publicUrl()}${pathname}`,
      cookie: (name: string) => cookieOf(c.req.header('cookie'), name),
    }
    try {
      const arrival = await flows.finish(back, { address, userAgent, correlationId, keyId })
      c.header('set-cookie', arrival.cookie, { append: true })
      return c.redirect(whereDone(arrival, prefix()), 303)
    } catch (thrown) {
      if (!(thrown instanceof FlowProblem)) throw thrown
      return c.redirect(whereFailed(thrown, prefix(), details), 303)
    }
  }

  for (const path of [CALLBACK, INTEGRATIONS_CALLBACK, PROVIDER_CALLBACK]) app.get(path, (c) => finish(c))
  app.get(CLIENT_METADATA, (c) => {
    const metadata = clientMetadata(publicUrl())
    return metadata === undefined ? c.notFound() : c.json(metadata, 200, KEPT)
  })
  return app
}

const whereDone = ({ flow }: Arrival, prefix: string): string => {
  const ending = endingOf(flow.return_to)
  const outcome: [string, string][] = [
    ['connected', flow.connection_id ?? flow.provider],
    ...(ending.returnTo === undefined ? [] : [['provider', flow.provider] as [string, string]]),
  ]
  return addressWith(ending, prefix, outcome)
}

function whereFailed(problem: FlowProblem, prefix: string, details: CallbackDoorParts['details']): string {
  const { error, why, flow } = problem
  const ending = endingOf(flow?.return_to ?? null)
  const sealed = ending.returnTo === undefined ? details.seal(problem) : undefined
  return addressWith(ending, prefix, [
    ['error', error],
    ['why', why],
    ...(sealed === undefined ? [] : [['details', sealed] as [string, string]]),
  ])
}

function addressWith(
  { returnTo, page = INTEGRATIONS }: Ending,
  prefix: string,
  parameters: [string, string][],
): string {
  // Its own words, and among them its own state, are in it already.
  const url = new URL(returnTo ?? `http://here.invalid${prefix}${page}`)
  for (const [name, value] of parameters) url.searchParams.set(name, value)
  return returnTo === undefined ? url.pathname + url.search : url.href
}
