/** A remote MCP server: over HTTP, or over a WebSocket where its address says so. */
import { Fault, type ConnectionAuthChange, type HttpSettings } from '@toolway/contract'
import { createHttpUpstream } from '../../upstreams/http/http-upstream.ts'
import type { Kind } from '../kind.ts'
import { describeRemote, remoteParts, remoteReach, remoteView, shownUrl, type RemoteWire } from '../remote.ts'
import { checkSettings } from '../settings.ts'

export interface HttpWire extends RemoteWire {
  readonly kind: 'http'
  readonly auth?: ConnectionAuthChange
  /** A server of an OpenAPI document is described as one. */
  readonly api?: never
}

/** A server as it is described. */
export const serverOf = (words: Omit<HttpWire, 'kind'>): HttpWire => ({ kind: 'http', ...words })

export const http: Kind<HttpSettings, HttpWire> = {
  connector: 'mcp.http',
  wire: 'http',
  takes: ['url', 'headers', 'private', 'auth'],
  meantBy: ['url'],
  describe(request, connection) {
    const { url, headers, ...turn } = describeRemote(request, connection)
    return { ...turn, wire: serverOf({ url, headers, auth: { ...connection?.settings.auth, ...request.auth } }) }
  },
  parts(common, wire, shown) {
    refuseAccounts(wire)
    const { settings, secrets } = remoteParts(common, wire, shown)
    const own = common.checks === undefined ? {} : { checks: common.checks }
    return { settings: checkSettings({ connector: 'mcp.http', ...settings, ...own, auth: wire.auth }), secrets }
  },
  shown: shownUrl,
  view: (settings) => ({ ...remoteView(settings), auth: settings.auth }),
  open: (opening, context) =>
    createHttpUpstream({ ...context, reach: { ...opening.reach, wire: remoteReach(opening) } }),
  async probe(_, { greet, wayIn }) {
    try {
      const { title, name } = (await greet()).server
      return { found: 'mcp', auth: 'none', names: [title, name] }
    } catch (thrown) {
      const fault = Fault.of(thrown)
      if (fault.code !== 'upstream.needs-auth') throw fault
      return { found: 'mcp', ...(await wayIn()) }
    }
  },
}

/** A WebSocket is let in when it is opened, by headers of its own, for everybody. */
function refuseAccounts({ url, auth }: HttpWire): void {
  if (!/^wss?:/i.test(url) || (auth?.kind !== 'oauth' && auth?.kind !== 'key')) return
  throw new Fault('params.shape', {
    place: '/auth/kind',
    problem: `cannot be ${auth.kind} for a WebSocket: give its key as a header`,
  })
}
