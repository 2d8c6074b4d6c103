/**
 * A backend whose functions are described by contracts, as an upstream: its contracts are the tools, executing one is a call, and what a
 * call would filter by is looked at before it is made (ledger S1-LST, S1-CAL, S1-FAC).
 *
 * It speaks no MCP, so there is no session, no era to find out and nobody to ask; the backend sees the injected organization, and the
 * member for whom a trusted key calls, and no other caller.
 */
import { Fault } from '@toolway/contract'
import { isObject, MODERN, type JsonObject } from '@toolway/protocol'
import { pause } from '../../lib/pause.ts'
import { createBreaker } from '../breaker.ts'
import { GRACE } from '../carrier.ts'
import {
  GATEWAY,
  type Answer,
  type Ask,
  type ContractTerms,
  type ListKind,
  type ServerInfo,
  type Reviewing,
  type Upstream,
  type ReachOf,
  type ContractTarget,
} from '../upstream.ts'
import { createBackend } from './backend.ts'
import { facetProblems, hasFacets } from './check-facets.ts'
import { ORGANIZATION_PARAMETER, type ContractTool } from './contract-tool.ts'
import { readPack, type ContractPack } from './contract-pack.ts'
import { resultOf } from './function-result.ts'
import { createKept } from './kept.ts'
import { readMetadata, type Metadata } from './metadata.ts'

const CONTRACTS = '/api/v1/cwr/contracts'
const CATALOG = '/api/v1/data/metadata/catalog'
const FACETS = '/api/v1/data/metadata/facets'
const functionPath = (name: string) => `/api/v1/cwr/functions/${encodeURIComponent(name.toWellFormed())}/execute`

const NO_METHOD = -32601

export interface ContractUpstreamParts {
  readonly reach: ReachOf<ContractTarget>
  readonly now: () => number
  /** Something about it that an operator should read: a line for the log. */
  onNote(facts: Record<string, unknown>, message: string): void
  onTurn(failure: Fault | undefined): void
}

export function createContractUpstream({ reach, now, onNote, onTurn }: ContractUpstreamParts): Upstream {
  const { alias, wire } = reach
  const words = wordsOf(wire)
  const { organization, contractsFor, facetsFor, staleFor, facets: checksFacets } = wire
  const breaker = createBreaker({ alias, patience: reach.timeout * 1000, now, onTurn })
  const backend = createBackend(reach, breaker)
  const onStale = (what: string) => (age: number, thrown: unknown) =>
    onNote(
      { what, age_s: Math.round(age / 1000), problem: Fault.of(thrown).message },
      'a contract backend cannot be asked; what it said last is used',
    )
  const packs = createKept<ContractPack>({ now, keptFor: contractsFor, staleFor, onStale: onStale('contracts') })
  const metadata = createKept<Metadata>({ now, keptFor: facetsFor, staleFor, onStale: onStale('facets') })
  const closing = new AbortController()
  const ended = new Set<() => void>()
  /** Of the last pack that was told of. */
  let noted = ''

  /** Contracts are asked for by the gateway itself, whoever calls; the key names the organization and that it is nobody's in person. */
  const packKey = JSON.stringify([organization, 'gateway'])
  const query = { org_id: organization }

  async function fetchPack(): Promise<ContractPack> {
    const pack = readPack(await backend.read(CONTRACTS, query), words, alias)
    const said = JSON.stringify(pack.leftOut)
    if (said !== noted && pack.leftOut.length > 0)
      for (const { name, reason } of pack.leftOut) onNote({ contract: name, reason }, 'a contract is left out')
    noted = said
    return pack
  }

  const pack = () => packs.open(packKey, fetchPack)

  async function toolNamed(name: string): Promise<ContractTool> {
    const tool = (await pack()).tools.get(name)
    // It was listed, and is no more: what is gone and what was never there answer alike.
    if (tool === undefined) throw new Fault('tool.unknown', { tool: name })
    return tool
  }

  /** One for each organization, and for each member where the backend decides by the member. */
  function metadataFor(onBehalf: string | undefined, correlationId: string | undefined): Promise<Metadata> {
    return metadata.open(JSON.stringify([organization, onBehalf ?? '']), async () => {
      const saying = { onBehalf, correlationId }
      const [catalog, facets] = await Promise.all([
        backend.read(CATALOG, query, saying),
        backend.read(FACETS, query, saying),
      ])
      return readMetadata(catalog, facets, alias)
    })
  }

  const behalfOf = ({ onBehalf }: { readonly onBehalf?: string | undefined }) => (wire.onBehalf ? onBehalf : undefined)

  async function list(): Promise<Answer> {
    const { tools } = await pack()
    return { result: { tools: Array.from(tools.values(), ({ definition }) => definition) } }
  }

  async function call(asked: Ask): Promise<Answer> {
    const { name, arguments: given } = asked.params
    const tool = await toolNamed(String(name))
    const { correlationId, signal } = asked
    const params = { ...sendable(tool, isObject(given) ? given : {}), [ORGANIZATION_PARAMETER]: organization }
    const incoming = await backend.act(
      functionPath(tool.contract.name),
      { params, dry_run: false },
      {
        correlationId,
        onBehalf: behalfOf(asked),
        signal,
      },
    )
    const result = resultOf(incoming, {
      alias,
      tool,
      parse: backend.parse,
      hide: backend.hide,
      mask: backend.mask,
      onUnfit: (problems) =>
        onNote(
          { tool: tool.contract.name, request_id: correlationId, problems },
          'an answer is not as its contract says; it is passed on with a note',
        ),
    })
    return { result }
  }

  async function reviewFacets({ tool, arguments: given, correlationId, ...asked }: Reviewing): Promise<void> {
    let known: Metadata
    try {
      known = await metadataFor(behalfOf(asked), correlationId)
    } catch (thrown) {
      throw new Fault('metadata.unavailable', { connection: alias }, { cause: thrown })
    }
    const problems = facetProblems(given, known)
    if (problems.length > 0) throw unfitting(tool, problems)
  }

  return {
    async introduce() {
      // Lists are asked for rarely and on purpose: what changed is to be seen by whoever wants to see it.
      await packs.refresh(packKey, fetchPack)
      return SERVER_INFO
    },
    ask(asked) {
      if (!breaker.closed && asked.owner !== GATEWAY) {
        const refusal = breaker.admit()
        if (refusal !== undefined) return Promise.reject(refusal)
      }
      if (asked.method === 'tools/call') return call(asked)
      if (asked.method === 'tools/list') return list()
      return Promise.resolve({ error: { code: NO_METHOD, message: `Method not found: ${asked.method}` } })
    },
    review(asked) {
      const { tool, name, arguments: given } = asked
      const hidden = packs.peek(packKey)?.tools.get(name)?.hidden
      const said =
        hidden === undefined
          ? []
          : Object.keys(given).filter((one) => hidden.has(one) && one !== ORGANIZATION_PARAMETER)
      if (said.length > 0)
        throw unfitting(
          tool,
          said.map((one) => ({ path: `/${one}`, message: 'is no parameter of this tool' })),
        )
      return checksFacets && hasFacets(given) ? reviewFacets(asked) : undefined
    },
    watch(onChange, signal) {
      void poll((kind) => onChange(kind, false), AbortSignal.any([signal, closing.signal]))
    },
    listen({ signal, onEnd }) {
      ended.add(onEnd)
      signal.addEventListener('abort', () => ended.delete(onEnd), { once: true })
      return Promise.resolve({ uris: [], tasks: [] })
    },
    tell() {},
    async check() {
      await packs.refresh(packKey, fetchPack)
      return true
    },
    leftOut: () => packs.peek(packKey)?.leftOut ?? [],
    doubt() {},
    forget() {},
    async close() {
      closing.abort()
      for (const end of ended) end()
      await backend.close(GRACE)
    },
  }

  /** Contracts tell nobody that they changed: they are looked at as often as they are kept. */
  async function poll(onChange: (kind: ListKind) => void, signal: AbortSignal): Promise<void> {
    let before = shown(packs.peek(packKey))
    while (!signal.aborted) {
      await pause(contractsFor, signal)
      if (signal.aborted) return
      const now = shown(await pack().catch(() => undefined))
      if (now !== undefined && before !== undefined && now !== before) onChange('tools')
      before = now ?? before
    }
  }
}

const shown = (pack: ContractPack | undefined): string | undefined =>
  pack === undefined ? undefined : JSON.stringify(Array.from(pack.tools.values(), ({ definition }) => definition))

const wordsOf = ({ exposes, sideEffects, allows, aliases }: ContractTerms) => ({
  exposes,
  sideEffects,
  allows: new Set(allows),
  aliases,
})

/** As it is sent: without what no caller may say, and without nulls where nothing need be said (ledger S1-CAL-10). */
const sendable = ({ hidden, required }: ContractTool, given: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(given).filter(([name, value]) => !hidden.has(name) && (value !== null || required.has(name))),
  )

const unfitting = (tool: string, errors: readonly { path: string; message: string }[]): Fault =>
  new Fault(
    'arguments.invalid',
    { tool, problems: `${errors.map(({ path, message }) => `${path} ${message}`).join('; ')}.` },
    { data: { errors } },
  )

const SERVER_INFO: ServerInfo = {
  revision: MODERN,
  server: { name: 'contract', version: '1' },
  capabilities: { tools: {} },
  instructions: undefined,
}
