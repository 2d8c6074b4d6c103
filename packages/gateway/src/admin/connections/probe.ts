/**
 * Looks at an address before it is connected: does an MCP server answer, or an OpenAPI document, and how does it let one in?
 *
 * Nothing that opens anything is sent there, nothing is kept, and it reaches no further than a connection of who asks could. It ends
 * within seconds, whatever is there.
 */
import { Fault, OperationSelection } from '@toolway/contract'
import * as shapes from '@toolway/contract/admin'
import { readFor } from '../../call/openapi/documents.ts'
import { discoverNamed, isAssumed } from '../../oauth/outgoing/protocol/discover.ts'
import { knockAt } from '../../oauth/outgoing/flows/knock.ts'
import type { Egress } from '../../oauth/outgoing/ports.ts'
import { createExceptions } from '../../upstreams/http/exceptions.ts'
import { problemOfAddress } from '../../upstreams/http/given-address.ts'
import { createGuardedFetch } from '../../upstreams/http/guarded-fetch.ts'
import { UNTITLED } from '../../upstreams/openapi/document/read-document.ts'
import { addressIn } from '../integrations/integration-words.ts'
import { serveOrganization, type Served } from '../serve.ts'
import { namesPrivate } from './describe-connection.ts'
import { proposedName } from './proposed-name.ts'

/** Seconds for each look: somebody is in front of a form. */
const PATIENCE = 8
/** Of a document; what is larger is read when it is connected. */
const MOST_BYTES = 4 * 1024 * 1024
const DOCUMENT = /^\s*(?:\{[^]{0,2000}?"(?:openapi|swagger)"\s*:|(?:#[^\n]*\n|---\s*\n)*(?:openapi|swagger):)/

export const probeOperations: readonly Served[] = [
  serveOrganization(shapes.probeAddress, async ({ role, organization, body, signal }) => {
    const url = addressIn(body.url)
    const platform = role === 'platform_admin'
    const exceptions = createExceptions(organization.egress)
    const barred = problemOfAddress(url, { allowPrivate: false, exceptions }) !== undefined
    if (barred && !platform) throw new Fault('private.forbidden')
    return probe(url, { alias: new URL(url).host, allowPrivate: platform && namesPrivate(url), exceptions }, signal)
  }),
]

async function probe(url: string, egress: Egress, signal: AbortSignal): Promise<shapes.Probed> {
  try {
    const { server } = await knockAt(url, { egress, headers: {}, pin: undefined, patience: PATIENCE, signal })
    const { title, name } = server.server
    return { found: 'mcp', auth: 'none', name: proposedName(title, name) ?? null, failure: null }
  } catch (thrown) {
    const fault = Fault.of(thrown)
    if (fault.code === 'upstream.needs-auth') return { found: 'mcp', ...(await wayAt(url, egress)), failure: null }
    const text = await documentAt(url, egress, signal)
    if (text !== undefined) return { found: 'openapi', auth: null, name: await titleOf(text, url), failure: null }
    const { row, code, message, mend } = fault
    return { found: 'unknown', auth: null, name: null, failure: { phase: row.phase, code, problem: message, mend } }
  }
}

/** Undefined where it takes longer than somebody waits. */
function inTime<Value>(found: Promise<Value>): Promise<Value | undefined> {
  const late = new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), PATIENCE * 1000).unref())
  return Promise.race([found.catch(() => undefined), late])
}

/** A server that names an authorization server lets people sign in; one that does not wants a key. */
async function wayAt(url: string, egress: Egress): Promise<Pick<shapes.Probed, 'auth' | 'name'>> {
  const found = await inTime(discoverNamed({ url, challenge: undefined, egress }))
  if (found === undefined || isAssumed(found.authority)) return { auth: 'api_key', name: null }
  return { auth: 'oauth', name: proposedName(found.name) ?? null }
}

/** The text of the OpenAPI document there; undefined where there is none that can be read. */
async function documentAt(url: string, egress: Egress, signal: AbortSignal): Promise<string | undefined> {
  const fetch = createGuardedFetch(egress, { redirects: 2, patience: PATIENCE * 1000, mostBytes: MOST_BYTES })
  try {
    const answer = await fetch(url, { headers: { accept: 'application/json, application/yaml;q=0.9' }, signal })
    const text = answer.status === 200 ? await answer.text() : ''
    return DOCUMENT.test(text) ? text : undefined
  } catch {
    return undefined
  }
}

/** The title of a document, which is read in a thread of its own; null where it has none, or is not read in time. */
async function titleOf(text: string, url: string): Promise<string | null> {
  const reading = { select: OperationSelection.parse({}), effects: {}, document: url }
  const title = (await inTime(readFor(text, reading)))?.title
  return title === UNTITLED ? null : (proposedName(title) ?? null)
}
