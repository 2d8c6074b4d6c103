/** Tools from their descriptions: the part that REST and GraphQL have in common. */
import type { Effect } from '@toolway/contract'
import { z } from 'zod'
import { detailed } from './each.ts'
import { failureOf, refusal, ToolFailure, type FailureReader } from './failure.ts'
import { PageLinkProblem, valuesOf } from './paging.ts'
import { bool, get, isJson, shape, type Shape } from './shape.ts'
import type { ApiRequest, InputOf, Inputs, Json, PageSize, Paging, Place, Run, Tool, VendorAnswer } from './tool.ts'

/** The description of a tool of one request. */
export interface Spec<I extends Inputs> {
  /** The description: when to use the tool and what comes back, in one or two sentences. */
  readonly says: string
  /** The arguments of the tool; without `send` under the vendor's names. */
  readonly input?: I
  /** The tool's arguments as the vendor's. */
  send?(input: InputOf<I>): Json
  /** All arguments of the vendor, paging included, as its body has them; for bodies that hold them deeper. */
  wrap?(sent: Json): Json
  /** Requests before the tool's own, for arguments of the vendor that the caller does not have. */
  before?(input: InputOf<I>): Run<Json>
  /** Another route for some arguments; undefined keeps the tool's own. */
  route?(input: InputOf<I>): string | undefined
  /** The path in the answer of what `output` or `list` reads. */
  readonly at?: string
  /** The items of a list, where no path leads to them. */
  items?(body: unknown): readonly unknown[]
  /** The output of one thing. */
  readonly output?: Shape
  /** The output of each item; the tool takes `cursor` and returns `items` and `next_cursor`. */
  readonly list?: Shape
  /** Items of the vendor that are left out of a list. */
  keep?(item: Json): boolean
  /**
   * A request for each item of a list, for what the vendor's list leaves out. `give` finds the body of its answer in `detail`; an item
   * whose request failed has `problem`, and the list shows it where its shape has that member.
   */
  readonly each?: { readonly route: `GET /${string}`; send(item: Json): Json }
  /** The vendor's answer, or each item of a list, as what the shape reads. */
  give?(found: Json, input: InputOf<I>, answer: VendorAnswer): Json
  /** Paging other than the API's; false where a list has no pages. */
  readonly paging?: Paging | false
  readonly size?: Partial<PageSize>
  readonly scopes?: readonly string[]
  /** The header of an idempotency key, where the vendor has one for this write. */
  readonly once?: string
}

/** The description of a tool of several requests. */
export interface StepsSpec<I extends Inputs> {
  readonly says: string
  readonly input?: I
  readonly output: Shape
  readonly scopes?: readonly string[]
  run(input: InputOf<I>, key: string): Run<Json>
}

export interface ApiParts {
  readonly place?: Place | undefined
  readonly paging: Paging | undefined
  readonly failures: readonly FailureReader[]
  request(
    route: string | undefined,
    sent: Json,
    options: { effect: Effect; once: string | undefined; key: string },
  ): ApiRequest
}

/** Details are reads, whatever the tool does. */
const DETAILS = { effect: 'read', once: undefined, key: '' } as const
const DONE = shape({ done: bool() })

/** One request and its answer. Throws ToolFailure. */
export function* exchange(request: ApiRequest, readers: readonly FailureReader[]): Run<VendorAnswer> {
  return succeeded(yield request, request, readers)
}

/** The answer itself. Throws ToolFailure where it is a failure. */
export function succeeded(answer: VendorAnswer, request: ApiRequest, readers: readonly FailureReader[]): VendorAnswer {
  const failure = failureOf(answer, request, readers)
  if (failure !== undefined) throw new ToolFailure(failure)
  return answer
}

export function toolOf<I extends Inputs>(effect: Effect, spec: Spec<I>, api: ApiParts): Tool {
  const paging = spec.list === undefined ? undefined : pagingOf(spec, api.paging)
  const { place } = api
  const input = z.strictObject({ ...spec.input, ...place?.input, ...pageInputs(paging) })
  const output = spec.list === undefined ? (spec.output ?? DONE).schema : listOf(spec.list)
  return {
    effect,
    description: spec.says,
    input,
    output,
    scopes: spec.scopes,
    paging,
    *run(raw, key) {
      const all = parse(input, raw)
      const cursor = paging === undefined ? undefined : all['cursor']
      const toolInput = without(all, { ...place?.input, ...(paging === undefined ? {} : { cursor }) })
      const at = place === undefined ? {} : yield* place.find(all)
      const found = spec.before === undefined ? {} : yield* spec.before(toolInput as InputOf<I>)
      const sent = { ...sentOf(spec, toolInput, { paging, cursor }), ...found }
      const route = spec.route?.(toolInput as InputOf<I>)
      const requestOf = (own: string | undefined, values: Json) =>
        placed(api.request(own, values, { effect, once: spec.once, key }), at)
      const request = requestOf(route, spec.wrap?.(sent) ?? sent)
      const answer = yield* exchange(request, api.failures)
      const next = nextOf(paging, answer, { sent, base: request.base })
      const { each } = spec
      if (each === undefined || spec.list === undefined)
        return outputOf(spec, toolInput as InputOf<I>, { answer, ...next })
      const items = yield* detailed(itemsOf(spec, answer), {
        requestOf: (item) => placed(api.request(each.route, each.send(item), DETAILS), at),
        failures: api.failures,
      })
      return outputOf(spec, toolInput as InputOf<I>, { answer, items, ...next })
    },
  }
}

export function stepsOf<I extends Inputs>(effect: Effect, spec: StepsSpec<I>): Tool {
  const input = z.strictObject({ ...spec.input })
  return {
    effect,
    description: spec.says,
    input,
    output: spec.output.schema,
    scopes: spec.scopes,
    paging: undefined,
    *run(raw, key) {
      try {
        return spec.output.read(yield* spec.run(parse(input, raw) as InputOf<I>, key))
      } catch (thrown) {
        // A read that fails within a write is not a reason to call the tool again: an earlier step may have acted.
        if (effect === 'read' || !(thrown instanceof ToolFailure) || thrown.failure.word === 'RATE_LIMITED')
          throw thrown
        throw new ToolFailure({ ...thrown.failure, retryable: false, retryAfter: undefined })
      }
    },
  }
}

/** A tool for which the vendor has no operation, or none any more. `why` names the reason and the successor. */
export function unsupported(effect: Effect, says: string, why: string, input: Inputs = {}): Tool {
  return {
    effect,
    description: says,
    input: z.strictObject({ ...input }),
    output: DONE.schema,
    scopes: [],
    paging: undefined,
    unsupported: why,
    // oxlint-disable-next-line require-yield -- it asks nothing
    *run() {
      throw refusal('NOT_SUPPORTED', why)
    },
  }
}

const without = (all: Json, names: Json): Json =>
  Object.fromEntries(Object.entries(all).filter(([name]) => !Object.hasOwn(names, name)))

/** Names in braces that are not among the values stay: they are settings of the connection. */
const placed = (request: ApiRequest, values: Readonly<Record<string, string>>): ApiRequest => ({
  ...request,
  base: request.base.replaceAll(/\{(\w+)\}/g, (name, inner: string) => {
    const value = values[inner]
    return value === undefined ? name : encodeURIComponent(value)
  }),
})

function pagingOf<I extends Inputs>({ paging, size }: Spec<I>, ofApi: Paging | undefined): Paging | undefined {
  const chosen = paging === false ? undefined : (paging ?? ofApi)
  if (chosen?.size === undefined || size === undefined) return chosen
  return { ...chosen, size: { ...chosen.size, ...size } }
}

const pageInputs = (paging: Paging | undefined): Inputs =>
  paging === undefined
    ? {}
    : {
        ...(paging.size === undefined
          ? {}
          : { [paging.size.name]: z.int().min(1).max(paging.size.max).default(paging.size.default) }),
        cursor: z.string().optional().describe('next_cursor of the previous page'),
      }

const listOf = (items: Shape) => z.object({ items: z.array(items.schema), next_cursor: z.string().optional() })

function parse(input: z.ZodObject, raw: Json): Record<string, unknown> {
  const read = input.safeParse(raw)
  if (read.success) return read.data
  const [issue] = read.error.issues
  throw refusal('INVALID_ARGUMENT', `${issue?.path.join('.') || 'The arguments'}: ${issue?.message ?? 'not valid'}`)
}

interface Page {
  readonly paging: Paging | undefined
  readonly cursor: unknown
}

function sentOf<I extends Inputs>(spec: Spec<I>, input: Json, { paging, cursor }: Page): Json {
  const { size } = paging ?? {}
  const { [size?.name ?? '']: count, ...own } = input
  return {
    ...(spec.send === undefined ? own : spec.send(own as InputOf<I>)),
    ...(size === undefined ? {} : { [size.as ?? size.name]: count }),
    ...(paging === undefined || typeof cursor !== 'string' ? {} : valuesOf(paging, cursor)),
  }
}

interface Next {
  readonly next: string | undefined
  /** Why there is no cursor although there is a next page. */
  readonly note?: string
}

/** A link that cannot be followed costs the cursor, not the page that has arrived. */
function nextOf(
  paging: Paging | undefined,
  answer: VendorAnswer,
  { sent, base }: { readonly sent: Json; readonly base: string },
): Next {
  try {
    return { next: paging?.next(answer, sent, base) }
  } catch (thrown) {
    if (!(thrown instanceof PageLinkProblem)) throw thrown
    return { next: undefined, note: `There is a next page, but it cannot be requested: ${thrown.message}.` }
  }
}

interface Got extends Next {
  readonly answer: VendorAnswer
  /** The items where a request for each was made. */
  readonly items?: readonly Json[]
}

const foundIn = <I extends Inputs>(spec: Spec<I>, { body }: VendorAnswer): unknown =>
  spec.items?.(body) ?? get(body, spec.at ?? '')

function itemsOf<I extends Inputs>(spec: Spec<I>, answer: VendorAnswer): readonly Json[] {
  const found = foundIn(spec, answer)
  return (Array.isArray(found) ? found : []).filter(isJson).filter((item) => spec.keep?.(item) ?? true)
}

/** The note stands in no schema: outputs are open, and a schema that changes would have every tool that lists held by its lock. */
function outputOf<I extends Inputs>(spec: Spec<I>, input: InputOf<I>, { answer, next, note, ...got }: Got): Json {
  const shaped = (item: Json) => spec.give?.(item, input, answer) ?? item
  const { list } = spec
  if (list === undefined) {
    const found = foundIn(spec, answer)
    return spec.output?.read(shaped(isJson(found) ? found : {})) ?? { done: true }
  }
  const items = got.items ?? itemsOf(spec, answer)
  return {
    items: items.map((item) => list.read(shaped(item))),
    ...(next === undefined ? {} : { next_cursor: next }),
    ...(note === undefined ? {} : { note }),
  }
}
