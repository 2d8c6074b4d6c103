/** Messages as they are on the wire, for who draws them: nothing of a server's is trusted to be more than JSON. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject
export interface JsonObject {
  readonly [name: string]: Json | undefined
}

export interface RpcError {
  readonly code: number
  readonly message: string
  readonly data?: Json
}

export interface Message {
  readonly jsonrpc: '2.0'
  readonly id?: string | number | null
  readonly method?: string
  readonly params?: JsonObject
  readonly result?: JsonObject
  readonly error?: RpcError
}

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
