/**
 * A tool of a native connector: pure. It makes descriptions of requests from its input and an output from the answers; sending is
 * the executor's, which knows the account, the guarded pool and the limits.
 */
import type { Effect } from '@toolway/contract'
import type { Operation } from '@toolway/contract/http-operation'
import type { z } from 'zod'

export type Json = Readonly<Record<string, unknown>>
export type Inputs = Readonly<Record<string, z.ZodType>>
export type InputOf<I extends Inputs> = z.output<z.ZodObject<I>>

/**
 * A piece of a body: a text, or a file as it is, in base64 in lines as MIME has them (RFC 2045, section 6.8), or in base64 without lines,
 * as a text of JSON. `from` and `to` select bytes of the file, `to` not included; only for a file as it is.
 */
export type Piece =
  | string
  | {
      readonly file: FileSource
      readonly as: 'bytes' | 'base64' | 'base64-text'
      readonly from?: number
      readonly to?: number
    }

/** The content of a file: by its reference, which the executor opens, or base64 that came with the call. */
export type FileSource = { readonly reference: string } | { readonly data: string }

/** A body that is made of texts and files. The executor sends it as a stream, so that no file is held in memory. */
export interface Content {
  readonly type: string
  readonly pieces: readonly Piece[]
}

/** Asks the executor for the facts of a file. It is answered with `{name, media_type, size}`, or the call ends. */
export interface FileRequest {
  readonly kind: 'file'
  readonly file: string
}

/** A request below the base address of an API, with the credential of the account. */
export interface ApiRequest {
  readonly kind: 'api'
  readonly base: string
  readonly operation: Operation
  /** The values of the operation's arguments, under the vendor's names. */
  readonly arguments: Json
  /** Constant headers, an idempotency key among them; never a credential. */
  readonly headers: Readonly<Record<string, string>>
  /** Reads are sent again after a failure, writes with an idempotency key as well; other writes only where nothing was sent. */
  readonly repeat: 'read' | 'keyed' | 'never'
  /** The body, in place of one made of arguments. */
  readonly content?: Content
  /** A successful answer is the content of a file: it comes as `bytes`, whatever its type. */
  readonly raw?: true
}

/** A request to an address that the vendor signed: on another host, without the credential, never logged with its query. */
export interface SignedRequest {
  readonly kind: 'signed'
  readonly method: 'GET' | 'PUT' | 'POST'
  /** https; http only at the connection's own server. */
  readonly address: string
  readonly headers: Readonly<Record<string, string>>
  /** Base64. */
  readonly body: string | undefined
  /** The body, in place of `body`. */
  readonly content?: Content
  readonly raw?: true
}

/** Requests that only read and that do not depend on one another. They are sent at the same time, and answered by `answers`. The executor refuses those that are not `repeat: 'read'`. */
export interface ManyRequest {
  readonly kind: 'many'
  /** At most `MOST_AT_ONCE`. */
  readonly requests: readonly ApiRequest[]
}

/** Requests of one account that are under way at the same time: what browsers open to one host, and within the limits of all vendors. */
export const MOST_AT_ONCE = 6

export type VendorRequest = ApiRequest | SignedRequest | FileRequest | ManyRequest

export interface VendorAnswer {
  /** 0 among `answers`: the request was not answered, and `body.message` says why. */
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** Parsed JSON, else text; undefined where the answer has no body. */
  readonly body: unknown
  /** Base64, in place of a body that is neither JSON nor a text, or is not read as one. */
  readonly bytes?: string
  /** Milliseconds since 1970 at which it arrived. */
  readonly at: number
  /** The base address at which it was asked, where the connection has another server of the vendor's kind than the request names. */
  readonly base?: string
  /** The answers to `many` requests, in their order. */
  readonly answers?: readonly VendorAnswer[]
  /** Among `answers`: no request could be made of its values, so nothing was sent. `status` is 0. */
  readonly unsent?: true
}

/** The argument for the size of a page. */
export interface PageSize {
  readonly name: string
  /** The vendor's name, where it is another. */
  readonly as?: string
  readonly default: number
  readonly max: number
}

export interface Paging {
  readonly kind: 'link' | 'address' | 'token' | 'relay' | 'offset' | 'page' | 'last'
  readonly size: PageSize | undefined
  /** The path in the answer at which the next page stands. */
  readonly at: string
  /** The vendor's names of the paging values. */
  readonly takes: readonly string[]
  /**
   * The cursor of the next page; undefined at the end. `base` is the base address of the request. Throws `PageLinkProblem` for a next
   * address that is at neither the server that answered nor the vendor's.
   */
  next(answer: VendorAnswer, sent: Json, base: string): string | undefined
}

/** A run yields requests and is given their answers. It throws ToolFailure. */
export type Run<Output> = Generator<VendorRequest, Output, VendorAnswer>

/** A part of a base address that an account has several of, such as its sites: tools take it as an input or ask the vendor. */
export interface Place {
  readonly input: Inputs
  /** The values of the names in braces of the base address. */
  find(input: Json): Run<Readonly<Record<string, string>>>
}

export interface Tool {
  readonly effect: Effect
  readonly description: string
  readonly input: z.ZodObject
  readonly output: z.ZodObject
  /** The least OAuth scopes that it needs; undefined means those of its API for this effect. */
  readonly scopes: readonly string[] | undefined
  /** The reason why the vendor has nothing for it any more: every call answers NOT_SUPPORTED. */
  readonly unsupported?: string
  /** Present on tools that list. */
  readonly paging: Paging | undefined
  /** `key` is random and the same for all attempts of one call. */
  run(input: Json, key: string): Run<Json>
}
