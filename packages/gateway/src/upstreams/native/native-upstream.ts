/**
 * A native connector as an upstream that speaks MCP: its tools run here, and their requests go to the vendor.
 *
 * It holds no caller. A tool is a generator that yields requests and is given their answers, so it can reach nothing but what it says.
 */
import { Fault } from '@toolway/contract'
import { isObject, MODERN } from '@toolway/protocol'
import { createBreaker } from '../breaker.ts'
import { GATEWAY, type Answer, type Ask, type NativeTarget, type ReachOf, type Upstream } from '../upstream.ts'
import { withCredential } from '../with-credential.ts'
import { createExchange } from './exchange.ts'
import type { LoadedVendor } from './loaded-vendor.ts'
import { createToolRunner } from './run-tool.ts'

const NO_METHOD = -32601
const NO_PARAMS = -32602
/** Milliseconds that calls may go on once it is closed. */
const GRACE_MS = 5_000
/** Vendors count calls by the minute: a retry after milliseconds only makes it longer. Times in milliseconds. */
export const RETRIES = { tries: 3, total: 60_000, first: 1_000, most: 30_000, mostWait: 30_000 }

export interface NativeUpstreamParts {
  readonly reach: ReachOf<NativeTarget>
  /** Its calls are refused from now on, because of this; undefined when they are let through again. */
  onStateChange(failure: Fault | undefined): void
}

export function createNativeUpstream({ reach, onStateChange }: NativeUpstreamParts): Upstream {
  const { alias, timeout, wire } = reach
  const patience = timeout * 1000
  const breaker = createBreaker({ alias, patience, now: Date.now, onStateChange })
  const exchange = createExchange(reach, breaker)
  const runTool = createToolRunner(reach, exchange)
  const { load, loaded } = createLoading(wire)

  async function call(request: Ask): Promise<Answer> {
    const refusal = breaker.closed || request.owner === GATEWAY ? undefined : breaker.admit()
    if (refusal !== undefined) throw refusal
    const { name, arguments: value = {} } = request.params
    const vendor = await load()
    const tool = vendor.tools.get(String(name))
    if (tool === undefined)
      return { error: { code: NO_PARAMS, message: `There is no tool ${String(name).slice(0, 100)}` } }
    if (!isObject(value)) return { error: { code: NO_PARAMS, message: 'The arguments are not an object' } }
    return { result: await runTool({ vendor, name: String(name), tool, given: value }, request) }
  }

  /** The vendor says whose account it is: the credential is good. Its words come back as they are, where it has any. */
  async function ping(request: Pick<Ask, 'credential' | 'signal'>): Promise<Answer> {
    const vendor = await load()
    const { structuredContent: account } = await runTool(
      { vendor, name: `${vendor.id} account`, tool: vendor.whoami, given: {} },
      request,
    )
    return { result: isObject(account) ? { account } : {} }
  }

  /** Asks with the account that the gateway itself may use; false where there is none. A vendor that answers otherwise is there. */
  const check = (signal: AbortSignal): Promise<boolean> =>
    withCredential(reach.credential, async (credential) => {
      if (credential === undefined) return false
      await ping({ credential, signal }).catch((thrown: unknown) => {
        if (!(thrown instanceof Fault && /^connector\.|^upstream\.limited$/.test(thrown.code))) throw thrown
      })
      return true
    })

  return {
    patience: Math.min(RETRIES.total, patience),
    retries: RETRIES,
    async introduce(signal) {
      await check(signal)
      const templates = (await load()).templates()
      return {
        revision: MODERN,
        server: { name: wire.title, version: '1' },
        capabilities: { tools: {}, ...(templates.length === 0 ? {} : { resources: {} }) },
        instructions: undefined,
      }
    },
    async ask({ method, ...rest }) {
      if (method === 'tools/call') return call({ method, ...rest })
      if (method === 'ping') return ping(rest)
      if (method === 'tools/list') return { result: { tools: (await load()).definitions() } }
      if (method === 'resources/list') return { result: { resources: [] } }
      if (method === 'resources/templates/list') return { result: { resourceTemplates: (await load()).templates() } }
      return { error: { code: NO_METHOD, message: `Not available here: ${method}` } }
    },
    async callFor(uri) {
      return (await load()).callFor(uri)
    },
    watch() {},
    listen: () => Promise.resolve({ uris: [], tasks: [] }),
    tell() {},
    check,
    doubt() {},
    forget() {},
    async close() {
      const vendor = await loaded()?.catch(() => undefined)
      await Promise.all([exchange.close(GRACE_MS), vendor?.close()])
    },
  }
}

/** Loads the vendor once; after a failure, the next call loads it again. */
function createLoading(wire: { load(): Promise<LoadedVendor> }) {
  let loading: Promise<LoadedVendor> | undefined
  return {
    load(): Promise<LoadedVendor> {
      if (loading !== undefined) return loading
      const begun = wire.load()
      begun.catch(() => (loading = undefined))
      loading = begun
      return begun
    },
    loaded: () => loading,
  }
}
