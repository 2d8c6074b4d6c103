/** Tools of a REST API. */
import type { Effect } from '@toolway/contract'
import { refusal, type FailureReader } from './failure.ts'
import { exchange, stepsOf, succeeded, toolOf, type ApiParts, type Spec, type StepsSpec } from './make.ts'
import { compile, type RouteWords } from './operation.ts'
import type {
  ApiRequest,
  Content,
  Inputs,
  Json,
  Paging,
  Place,
  Run,
  SignedRequest,
  Tool,
  VendorAnswer,
} from './tool.ts'

type Verb = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
export type Route = `${Verb} /${string}`
type PathNames<R extends string> = R extends `${string}{${infer Name}}${infer Rest}`
  ? (Name extends `+${infer Inner}` ? Inner : Name) | PathNames<Rest>
  : never
/** A name in the path that is no argument has to come from `send`. */
type Needs<R extends string, I extends Inputs> = [PathNames<R>] extends [keyof I] ? unknown : { readonly send: unknown }

export interface RestFacts extends Partial<RouteWords> {
  /** Without a slash at the end. Names in braces are settings of the connection. */
  readonly base: string
  /** Values of names in braces that tools take or find out; not for tools of several requests. */
  readonly place?: Place
  readonly headers?: Readonly<Record<string, string>>
  readonly paging?: Paging
  /** Readers of this vendor's failures, before the status decides. */
  readonly failures?: readonly FailureReader[]
}

export interface MakeRestTool {
  <const R extends Route, I extends Inputs = Record<never, never>>(route: R, spec: Spec<I> & Needs<R, I>): Tool
  /** A tool of several requests: `run` yields from `ask`. */
  steps<I extends Inputs = Record<never, never>>(spec: StepsSpec<I>): Tool
}

export interface Rest {
  readonly read: MakeRestTool
  readonly write: MakeRestTool
  readonly destroy: MakeRestTool
  /**
   * One request of a tool of several. It is repeated after a failure where it is a GET, or `reads` says that it changes nothing. With
   * `content` the arguments stand in the query.
   */
  ask(
    route: Route,
    sent?: Json,
    options?: { readonly accept?: string; readonly reads?: true; readonly raw?: true; readonly content?: Content },
  ): Run<VendorAnswer>
  /** A file, whether the vendor answers it or leads to an address that it signed. */
  download(route: Route, sent?: Json): Run<VendorAnswer>
}

export function rest(facts: RestFacts): Rest {
  const {
    base,
    headers = {},
    accept = 'application/json',
    lists = 'repeat',
    body = 'json',
    emptyBody = false,
    deleteBody = false,
    media,
    failures = [],
  } = facts
  const words: RouteWords = { accept, lists, body, emptyBody, deleteBody, ...(media === undefined ? {} : { media }) }
  const requestOf = (
    route: string,
    sent: Json,
    options: Pick<ApiRequest, 'repeat'> & Partial<RouteWords & ApiRequest>,
  ) => ({
    kind: 'api' as const,
    base,
    ...compile(route, sent, options.accept === undefined ? words : { ...words, accept: options.accept }),
    headers: { ...headers, ...options.headers },
    repeat: options.repeat,
    ...(options.content === undefined ? {} : { content: options.content }),
    ...(options.raw === undefined ? {} : { raw: options.raw }),
  })
  const partsOf = (own: string): ApiParts => ({
    place: facts.place,
    paging: facts.paging,
    failures,
    request: (route, sent, { effect, once, key }) =>
      requestOf(route ?? own, sent, {
        repeat: effect === 'read' ? 'read' : once === undefined ? 'never' : 'keyed',
        headers: once === undefined ? {} : { [once]: key },
      }),
  })
  const maker = (effect: Effect): MakeRestTool =>
    Object.assign(<I extends Inputs>(route: string, spec: Spec<I>) => toolOf(effect, spec, partsOf(route)), {
      steps: <I extends Inputs>(spec: StepsSpec<I>) => stepsOf(effect, spec),
    })
  return {
    read: maker('read'),
    write: maker('write'),
    destroy: maker('destructive'),
    ask: (route, sent = {}, options = {}) =>
      exchange(
        requestOf(route, sent, {
          ...options,
          repeat: route.startsWith('GET ') || options.reads === true ? 'read' : 'never',
        }),
        failures,
      ),
    *download(route, sent = {}) {
      const request = requestOf(route, sent, { repeat: 'read', raw: true })
      const answer = yield request
      const address = answer.headers['location']
      if (answer.status >= 300 && answer.status < 400 && address !== undefined)
        return yield* signed({ address, of: answer, raw: true }, (problem) =>
          refusal('EXECUTION_ERROR', `The file was not read: ${problem}.`),
        )
      return succeeded(answer, request, failures)
    },
  }
}

/**
 * A request to an address that the vendor signed, where the credential is not sent. `of` is the answer that named the address: a server
 * of the connection's own may be without TLS, and its address is then as well.
 */
export function* signed(
  request: {
    address: string
    of?: Pick<VendorAnswer, 'base'>
    method?: SignedRequest['method']
    headers?: Record<string, string>
    body?: string
    content?: Content
    raw?: true
  },
  refuse: (problem: string) => Error,
): Run<VendorAnswer> {
  const { address, of, method = 'GET', headers = {}, body, content, raw } = request
  const url = URL.parse(address, of?.base)
  const isOwn = of?.base !== undefined && url?.origin === new URL(of.base).origin
  if (url === null || url.username !== '' || url.password !== '' || (url.protocol !== 'https:' && !isOwn))
    throw refuse('the vendor returned a URL that is not https')
  const answer = yield {
    ...{ kind: 'signed', method, address: url.href, headers, body },
    ...(content && { content }),
    ...(raw && { raw }),
  }
  if (answer.status < 200 || answer.status > 299) throw refuse(`HTTP ${answer.status} from the signed address`)
  return answer
}
