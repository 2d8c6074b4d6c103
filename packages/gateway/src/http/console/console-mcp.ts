/**
 * The console's own way to the tools: everybody's MCP endpoints, entered by the sign-in of a browser (ADR 0042).
 *
 * What a cookie proves here, it proves at no other MCP endpoint. Each request, streams too, shows that it is made by a page of
 * this gateway and by a script that may read the CSRF token of this very sign-in; a key or a token has its own addresses.
 */
import type { IncomingMessage } from 'node:http'
import { Fault } from '@toolway/contract'
import type { EndpointPath } from '../../snapshot/ports/endpoint.ts'
import { refuseOthersPages } from '../sign-in/own-page.ts'
import type { WebSession } from '../sign-in/web-session.ts'

const FORM = /^\/api\/v1\/console\/([\w-]+)(?:\/(t|connectors)\/([\w-]+))?\/mcp$/

/** The endpoint that a path of the console's own names: all of an organization, one of its toolsets, one connection. */
export function consolePlaceOf(path: string): EndpointPath | undefined {
  const [, organization, kind, name] = FORM.exec(path) ?? []
  if (organization === undefined) return undefined
  if (name === undefined) return { organization }
  return kind === 't' ? { organization, toolset: name } : { organization, connection: name }
}

export interface ConsoleMcpParts {
  readonly web: Pick<WebSession, 'identify' | 'checkCsrf' | 'authorizationOf'>
  publicUrl(): string
}

/** The Authorization that a request of the console counts as. */
export const createConsoleAuthorization =
  ({ web, publicUrl }: ConsoleMcpParts) =>
  async (request: IncomingMessage): Promise<string | undefined> => {
    const { headers } = request
    if (headers.authorization !== undefined) throw new Fault('login.needed')
    if (!isOwnRead(request)) refuseOthersPages(request, publicUrl())
    const principal = await web.identify(headers.cookie)
    // A request without a sign-in is refused by the admission, or is the operator's where no sign-in is required.
    if (principal === undefined) return undefined
    const csrf = headers['x-csrf-token']
    web.checkCsrf(principal.signInId, typeof csrf === 'string' ? csrf : undefined)
    return web.authorizationOf(headers.cookie)
  }

/** Browsers send no Origin with what a page reads of its own gateway; they say instead whose page it is (Fetch Metadata). */
const isOwnRead = ({ method, headers }: IncomingMessage): boolean =>
  method === 'GET' && headers.origin === undefined && headers['sec-fetch-site'] === 'same-origin'
