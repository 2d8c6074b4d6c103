/**
 * A backend whose functions are described by contracts, as an upstream: its contracts are the tools, executing one is a call, and what a
 * call would filter by is looked at before it is made (ledger S1-LST, S1-CAL, S1-FAC).
 *
 * The backend sees the injected organization, and the member for whom a trusted key calls, and no other caller.
 */
import { Fault } from '@toolway/contract'
import { isObject, type JsonObject } from '@toolway/protocol'
import type { SharedTexts } from '../../lib/shared-texts.ts'
import { createBreaker } from '../breaker.ts'
import { GRACE } from '../carrier.ts'
import { createJsonBackend, type JsonBackend } from '../listed/json-backend.ts'
import { createKept, type Kept } from '../listed/value-cache.ts'
import { createListedUpstream, type ListedUpstream } from '../listed/listed-upstream.ts'
import { createSharedAnswers } from '../listed/shared-answers.ts'
import type { Ask, ContractTarget, ContractTerms, ReachOf, Reviewing, Upstream } from '../upstream.ts'
import { facetProblems, hasFacets } from './check-facets.ts'
import { readPack } from './contract-pack.ts'
import { ORGANIZATION_PARAMETER, type ContractTool } from './contract-tool.ts'
import { resultOf } from './function-result.ts'
import { readMetadata, type Metadata } from './metadata.ts'

const CONTRACTS = '/api/v1/cwr/contracts'
const CATALOG = '/api/v1/data/metadata/catalog'
const FACETS = '/api/v1/data/metadata/facets'
const functionPath = (name: string) => `/api/v1/cwr/functions/${encodeURIComponent(name.toWellFormed())}/execute`

export interface ContractUpstreamParts {
  readonly reach: ReachOf<ContractTarget>
  readonly now: () => number
  /** Something about it that an operator should read: a line for the log. */
  onNote(facts: Record<string, unknown>, message: string): void
  onStateChange(failure: Fault | undefined): void
  /** Where gateways in front of one backend keep its contracts and facets for each other. */
  readonly shared?: SharedTexts
}

/** A backend and what is known of it. */
interface Open extends ContractUpstreamParts {
  readonly backend: JsonBackend
  readonly metadata: Kept<Metadata>
  readonly answers: ReturnType<typeof createSharedAnswers>
}

export function createContractUpstream(parts: ContractUpstreamParts): Upstream {
  const { reach, now, onNote, onStateChange } = parts
  const { alias, wire, timeout } = reach
  const breaker = createBreaker({ alias, patience: timeout * 1000, now, onStateChange })
  const backend = createJsonBackend(reach, breaker, 'contract.malformed')
  const onStale = (what: string) => (age: number, thrown: unknown) =>
    onNote(
      { what, age_s: Math.round(age / 1000), problem: Fault.of(thrown).message },
      'the contracts of a backend could not be fetched; the previous ones are used',
    )
  const { contractsFor, facetsFor, staleFor } = wire
  const metadata = createKept<Metadata>({ now, keptFor: facetsFor, staleFor, onStale: onStale('facets') })
  const answers = createSharedAnswers({
    ...{ texts: parts.shared, scope: [alias, wire.url, wire.organization], now, parse: backend.parse.bind(backend) },
  })
  const open: Open = { ...parts, backend, metadata, answers }
  const words = wordsOf(wire)
  const listed = createListedUpstream<ContractTool>({
    server: { name: 'contract' },
    breaker,
    now,
    keptFor: contractsFor,
    staleFor,
    fetch: async (how) => {
      const ask = () => backend.read(CONTRACTS, queryOf(wire))
      const request = { ...how, name: [CONTRACTS], keptFor: contractsFor, fetch: ask }
      return readPack(await answers(request), words, alias)
    },
    call: (tool, request) => run(open, tool, request),
    onStale: onStale('contracts'),
    onLeftOut(leftOut) {
      for (const { name, reason } of leftOut) onNote({ contract: name, reason }, 'a contract is left out')
    },
    close: () => backend.close(GRACE),
  })
  return { ...listed, review: (request) => review(open, listed, request) }
}

const queryOf = ({ organization }: ContractTerms) => ({ org_id: organization })

const behalfOf = ({ reach }: Open, { onBehalf }: { readonly onBehalf?: string | undefined }) =>
  reach.wire.onBehalf ? onBehalf : undefined

async function run(open: Open, tool: ContractTool, request: Ask): Promise<JsonObject> {
  const { backend, onNote, reach } = open
  const { arguments: input } = request.params
  const { correlationId, signal } = request
  const params = { ...sendable(tool, isObject(input) ? input : {}), [ORGANIZATION_PARAMETER]: reach.wire.organization }
  const incoming = await backend.act(
    { method: 'POST', path: functionPath(tool.contract.name), body: { params, dry_run: false } },
    { correlationId, onBehalf: behalfOf(open, request), signal },
  )
  return resultOf(incoming, {
    alias: reach.alias,
    tool,
    parse: (text) => backend.parse(text),
    hide: (text) => backend.hide(text),
    mask: (text) => backend.mask(text),
    onUnfit: (problems) =>
      onNote(
        { tool: tool.contract.name, request_id: correlationId, problems },
        'a response does not match its contract; it is passed on with a note',
      ),
  })
}

function review(open: Open, listed: ListedUpstream<ContractTool>, request: Reviewing): Promise<void> | undefined {
  const { tool, name, arguments: value } = request
  const hidden = listed.peek(name)?.hidden
  const unknown =
    hidden === undefined ? [] : Object.keys(value).filter((item) => hidden.has(item) && item !== ORGANIZATION_PARAMETER)
  if (unknown.length > 0)
    throw argumentsInvalid(
      tool,
      unknown.map((item) => ({ path: `/${item}`, message: 'is not a parameter of this tool' })),
    )
  return open.reach.wire.facets && hasFacets(value) ? reviewFacets(open, request) : undefined
}

async function reviewFacets(
  open: Open,
  { tool, arguments: value, correlationId, ...caller }: Reviewing,
): Promise<void> {
  let known: Metadata
  try {
    known = await metadataFor(open, behalfOf(open, caller), correlationId)
  } catch (thrown) {
    throw new Fault('metadata.unavailable', { connection: open.reach.alias }, { cause: thrown })
  }
  const problems = facetProblems(value, known)
  if (problems.length > 0) throw argumentsInvalid(tool, problems)
}

/** One for each organization, and for each member where the backend decides by the member. */
function metadataFor(
  { backend, metadata, answers, reach: { alias, wire } }: Open,
  onBehalf: string | undefined,
  correlationId: string | undefined,
): Promise<Metadata> {
  return metadata.open(JSON.stringify([wire.organization, onBehalf ?? '']), async (aged) => {
    const read = (path: string) => backend.read(path, queryOf(wire), { onBehalf, correlationId })
    const name = [CATALOG, FACETS, onBehalf ?? '']
    const fetch = () => Promise.all([read(CATALOG), read(FACETS)])
    const answer = await answers({ name, keptFor: wire.facetsFor, fresh: false, aged, fetch })
    const [catalog = null, facets = null] = Array.isArray(answer) ? answer : []
    return readMetadata(catalog, facets, alias)
  })
}

const wordsOf = ({ exposes, sideEffects, allows, aliases }: ContractTerms) => ({
  exposes,
  sideEffects,
  allows: new Set(allows),
  aliases,
})

/** As it is sent: without what no caller may say, and without nulls where nothing need be said (ledger S1-CAL-10). */
const sendable = ({ hidden, required }: ContractTool, input: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(input).filter(([name, value]) => !hidden.has(name) && (value !== null || required.has(name))),
  )

const argumentsInvalid = (tool: string, errors: readonly { path: string; message: string }[]): Fault =>
  new Fault(
    'arguments.invalid',
    { tool, problems: `${errors.map(({ path, message }) => `${path} ${message}`).join('; ')}.` },
    { data: { errors } },
  )
