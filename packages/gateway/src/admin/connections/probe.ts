/**
 * Looks at an address before it is connected: does an MCP server answer, or an OpenAPI document, and how does it let one in?
 *
 * Nothing that opens anything is sent there, nothing is kept, and it reaches no further than a connection of who asks could. It ends
 * within seconds, whatever is there.
 */
import { Fault } from '@toolway/contract'
import * as shapes from '@toolway/contract/admin'
import { discover, isAssumed } from '../../oauth/outgoing/protocol/discover.ts'
import { knockAt } from '../../oauth/outgoing/flows/knock.ts'
import type { Egress } from '../../oauth/outgoing/ports.ts'
import { createExceptions } from '../../upstreams/http/exceptions.ts'
import { problemOfAddress } from '../../upstreams/http/given-address.ts'
import { createGuardedFetch } from '../../upstreams/http/guarded-fetch.ts'
import { addressIn } from '../integrations/integration-words.ts'
import { serveOrganization, type Served } from '../serve.ts'
import { namesPrivate } from './describe-connection.ts'

/** Seconds for each look: somebody is in front of a form. */
const PATIENCE = 8
/** Of a document; what is larger is read when it is connected. */
const MOST_BYTES = 4 * 1024 * 1024
const DOCUMENT = /^\s*(?:\{[^]{0,2000}?"(?:openapi|swagger)"\s*:|(?:#[^\n]*\n|---\s*\n)*(?:openapi|swagger):)/

const NOTHING = { failure: null, auth: null } as const

export const probeOperations: readonly Served[] = [
  serveOrganization(shapes.probeAddress, async ({ role, organization, body, signal }) => {
    const url = addressIn(body.url)
    const platform = role === 'platform_admin'
    const exceptions = createExceptions(organization.egress)
    const barred = problemOfAddress(url, { allowPrivate: false, exceptions }) !== undefined
    if (barred && !platform) throw new Fault('private.forbidden')
    const egress = { alias: new URL(url).host, allowPrivate: platform && namesPrivate(url), exceptions }
    const fault = await knockAt(url, { egress, headers: {}, pin: undefined, patience: PATIENCE, signal })
    if (fault === undefined) return { ...NOTHING, found: 'mcp' as const, auth: 'none' as const }
    if (fault.code === 'upstream.needs-auth')
      return { ...NOTHING, found: 'mcp' as const, auth: await wayAt(url, egress) }
    if (await isDocument(url, egress, signal)) return { ...NOTHING, found: 'openapi' as const }
    const { row, code, message, mend } = fault
    return { ...NOTHING, found: 'unknown' as const, failure: { phase: row.phase, code, problem: message, mend } }
  }),
]

/** Who names an authorization server lets people sign in; who does not wants a key. */
async function wayAt(url: string, egress: Egress): Promise<'oauth' | 'api_key'> {
  const late = new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), PATIENCE * 1000).unref())
  const found = discover({ url, challenge: undefined, egress }).catch(() => undefined)
  const authority = await Promise.race([found, late])
  return authority === undefined || isAssumed(authority) ? 'api_key' : 'oauth'
}

async function isDocument(url: string, egress: Egress, signal: AbortSignal): Promise<boolean> {
  const fetch = createGuardedFetch(egress, { redirects: 2, patience: PATIENCE * 1000, mostBytes: MOST_BYTES })
  try {
    const answer = await fetch(url, { headers: { accept: 'application/json, application/yaml;q=0.9' }, signal })
    return answer.status === 200 && DOCUMENT.test(await answer.text())
  } catch {
    // What cannot be read is none.
    return false
  }
}
