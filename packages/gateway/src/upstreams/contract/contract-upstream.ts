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
  type Hearing,
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

export const createContractUpstream = (parts: ContractUpstreamParts): Upstream => new ContractUpstream(parts)

class ContractUpstream implements Upstream {
  readonly #parts: ContractUpstreamParts
  readonly #alias
  readonly #wire
  readonly #words
  readonly #organization
  readonly #contractsFor
  readonly #facetsFor
  readonly #staleFor
  readonly #checksFacets
  readonly #breaker
  readonly #backend
  readonly #packs
  readonly #metadata
  readonly #closing = new AbortController()
  readonly #ended = new Set<() => void>()
  /** Of the last pack that was told of. */
  #noted = ''
  /** Contracts are asked for by the gateway itself, whoever calls; the key names the organization and that it is nobody's in person. */
  readonly #packKey
  readonly #query

  constructor(parts: ContractUpstreamParts) {
    this.#parts = parts
    const { alias, wire } = this.#parts.reach
    this.#alias = alias
    this.#wire = wire
    this.#words = wordsOf(this.#wire)
    const { organization, contractsFor, facetsFor, staleFor, facets: checksFacets } = this.#wire
    this.#organization = organization
    this.#contractsFor = contractsFor
    this.#facetsFor = facetsFor
    this.#staleFor = staleFor
    this.#checksFacets = checksFacets
    this.#breaker = createBreaker({
      alias: this.#alias,
      patience: this.#parts.reach.timeout * 1000,
      now: this.#parts.now,
      onTurn: this.#parts.onTurn,
    })
    this.#backend = createBackend(this.#parts.reach, this.#breaker)
    this.#packs = createKept<ContractPack>({
      now: this.#parts.now,
      keptFor: this.#contractsFor,
      staleFor: this.#staleFor,
      onStale: this.#onStale('contracts'),
    })
    this.#metadata = createKept<Metadata>({
      now: this.#parts.now,
      keptFor: this.#facetsFor,
      staleFor: this.#staleFor,
      onStale: this.#onStale('facets'),
    })
    this.#packKey = JSON.stringify([this.#organization, 'gateway'])
    this.#query = { org_id: this.#organization }
  }

  #onStale(what: string) {
    return (age: number, thrown: unknown) =>
      this.#parts.onNote(
        { what, age_s: Math.round(age / 1000), problem: Fault.of(thrown).message },
        'a contract backend cannot be asked; what it said last is used',
      )
  }

  readonly #fetchPack = async (): Promise<ContractPack> => {
    const pack = readPack(await this.#backend.read(CONTRACTS, this.#query), this.#words, this.#alias)
    const said = JSON.stringify(pack.leftOut)
    if (said !== this.#noted && pack.leftOut.length > 0)
      for (const { name, reason } of pack.leftOut)
        this.#parts.onNote({ contract: name, reason }, 'a contract is left out')
    this.#noted = said
    return pack
  }

  #pack() {
    return this.#packs.open(this.#packKey, this.#fetchPack)
  }

  async #toolNamed(name: string): Promise<ContractTool> {
    const tool = (await this.#pack()).tools.get(name)
    // It was listed, and is no more: what is gone and what was never there answer alike.
    if (tool === undefined) throw new Fault('tool.unknown', { tool: name })
    return tool
  }

  /** One for each organization, and for each member where the backend decides by the member. */
  #metadataFor(onBehalf: string | undefined, correlationId: string | undefined): Promise<Metadata> {
    return this.#metadata.open(JSON.stringify([this.#organization, onBehalf ?? '']), async () => {
      const saying = { onBehalf, correlationId }
      const [catalog, facets] = await Promise.all([
        this.#backend.read(CATALOG, this.#query, saying),
        this.#backend.read(FACETS, this.#query, saying),
      ])
      return readMetadata(catalog, facets, this.#alias)
    })
  }

  #behalfOf({ onBehalf }: { readonly onBehalf?: string | undefined }) {
    return this.#wire.onBehalf ? onBehalf : undefined
  }

  async #list(): Promise<Answer> {
    const { tools } = await this.#pack()
    return { result: { tools: Array.from(tools.values(), ({ definition }) => definition) } }
  }

  async #call(asked: Ask): Promise<Answer> {
    const { name, arguments: given } = asked.params
    const tool = await this.#toolNamed(String(name))
    const { correlationId, signal } = asked
    const params = { ...sendable(tool, isObject(given) ? given : {}), [ORGANIZATION_PARAMETER]: this.#organization }
    const incoming = await this.#backend.act(
      functionPath(tool.contract.name),
      { params, dry_run: false },
      {
        correlationId,
        onBehalf: this.#behalfOf(asked),
        signal,
      },
    )
    const result = resultOf(incoming, {
      alias: this.#alias,
      tool,
      parse: (text) => this.#backend.parse(text),
      hide: (text) => this.#backend.hide(text),
      mask: (text) => this.#backend.mask(text),
      onUnfit: (problems) =>
        this.#parts.onNote(
          { tool: tool.contract.name, request_id: correlationId, problems },
          'an answer is not as its contract says; it is passed on with a note',
        ),
    })
    return { result }
  }

  async #reviewFacets({ tool, arguments: given, correlationId, ...asked }: Reviewing): Promise<void> {
    let known: Metadata
    try {
      known = await this.#metadataFor(this.#behalfOf(asked), correlationId)
    } catch (thrown) {
      throw new Fault('metadata.unavailable', { connection: this.#alias }, { cause: thrown })
    }
    const problems = facetProblems(given, known)
    if (problems.length > 0) throw unfitting(tool, problems)
  }

  /** Contracts tell nobody that they changed: they are looked at as often as they are kept. */
  async #poll(onChange: (kind: ListKind) => void, signal: AbortSignal): Promise<void> {
    let before = shown(this.#packs.peek(this.#packKey))
    while (!signal.aborted) {
      await pause(this.#contractsFor, signal)
      if (signal.aborted) return
      const now = shown(await this.#pack().catch(() => undefined))
      if (now !== undefined && before !== undefined && now !== before) onChange('tools')
      before = now ?? before
    }
  }

  async introduce() {
    // Lists are asked for rarely and on purpose: what changed is to be seen by whoever wants to see it.
    await this.#packs.refresh(this.#packKey, this.#fetchPack)
    return SERVER_INFO
  }

  ask(asked: Ask) {
    if (!this.#breaker.closed && asked.owner !== GATEWAY) {
      const refusal = this.#breaker.admit()
      if (refusal !== undefined) return Promise.reject(refusal)
    }
    if (asked.method === 'tools/call') return this.#call(asked)
    if (asked.method === 'tools/list') return this.#list()
    return Promise.resolve({ error: { code: NO_METHOD, message: `Method not found: ${asked.method}` } })
  }

  review(asked: Reviewing) {
    const { tool, name, arguments: given } = asked
    const hidden = this.#packs.peek(this.#packKey)?.tools.get(name)?.hidden
    const said =
      hidden === undefined ? [] : Object.keys(given).filter((one) => hidden.has(one) && one !== ORGANIZATION_PARAMETER)
    if (said.length > 0)
      throw unfitting(
        tool,
        said.map((one) => ({ path: `/${one}`, message: 'is no parameter of this tool' })),
      )
    return this.#checksFacets && hasFacets(given) ? this.#reviewFacets(asked) : undefined
  }

  watch(onChange: (kind: ListKind, missed: boolean) => void, signal: AbortSignal) {
    void this.#poll((kind) => onChange(kind, false), AbortSignal.any([signal, this.#closing.signal]))
  }

  listen({ signal, onEnd }: Hearing) {
    this.#ended.add(onEnd)
    signal.addEventListener('abort', () => this.#ended.delete(onEnd), { once: true })
    return Promise.resolve({ uris: [], tasks: [] })
  }

  tell() {}

  async check() {
    await this.#packs.refresh(this.#packKey, this.#fetchPack)
    return true
  }

  leftOut() {
    return this.#packs.peek(this.#packKey)?.leftOut ?? []
  }

  doubt() {}

  forget() {}

  async close() {
    this.#closing.abort()
    for (const end of this.#ended) end()
    await this.#backend.close(GRACE)
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
