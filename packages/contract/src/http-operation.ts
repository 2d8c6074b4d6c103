/**
 * An HTTP operation as the executor of the gateway runs it: the position of each argument, without its schema. Operations are read
 * from OpenAPI documents and made by the tools of connectors. An operation is small and shared by all callers.
 */
export type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export type Style = 'simple' | 'label' | 'matrix' | 'form' | 'spaceDelimited' | 'pipeDelimited' | 'deepObject'

/** One argument that goes into the address or the head (OpenAPI 3.1, parameter object). */
export interface Placed {
  readonly argument: string
  readonly name: string
  readonly in: 'path' | 'query' | 'header' | 'cookie'
  readonly style: Style
  readonly explode: boolean
  /** Characters with a meaning in addresses go as they are. */
  readonly reserved: boolean
  /** It goes as JSON. */
  readonly json: boolean
}

/** How a body is written. `bytes` are a file, which is an argument in base64. */
export type BodyKind = 'json' | 'form' | 'multipart' | 'text' | 'bytes'

export interface Body {
  readonly kind: BodyKind
  readonly media: string
  readonly required: boolean
  /** The argument that is the whole body; else its members, by the arguments that they are. */
  readonly whole: string | undefined
  readonly members: readonly { readonly argument: string; readonly name: string; readonly deep: boolean }[]
}

export interface Operation {
  /** The name of its tool. */
  readonly name: string
  readonly method: Method
  /** Begins with a slash; names in braces are those of `placed`, everything else is as it goes out. */
  readonly path: string
  /** Sent with every call, before the arguments: `beta=true`. */
  readonly query?: string
  readonly placed: readonly Placed[]
  readonly body: Body | undefined
  readonly accept: string
  /** Its tool says what an answer looks like: there has to be one, and an object. */
  readonly structured: boolean
}
