/** A native connector as its upstream uses it, whether its tools run here or in a process of their own. */
import {
  acceptsInput,
  callOf,
  definitionOf,
  scopesOf,
  templatesOf,
  type Json,
  type Run,
  type Tool,
  type Vendor,
  type VendorAnswer,
  type VendorRequest,
} from '@toolway/connectors'
import type { Effect } from '@toolway/contract'
import type { JsonObject } from '@toolway/protocol'

/** A call of a tool that answers the content of a resource. */
export interface ResourceCall {
  /** As its server knows it. */
  readonly name: string
  readonly arguments: JsonObject
}

/** Requests, and at last an output. */
export type Steps = Run<Json> | AsyncGenerator<VendorRequest, Json, VendorAnswer>

export interface LoadedTool {
  readonly effect: Effect
  readonly scopes: readonly string[]
  /** `key` is random and the same for all attempts of one call. */
  run(input: JsonObject, key: string): Steps
}

export interface LoadedVendor {
  readonly id: string
  readonly auth: Vendor['auth']
  readonly whoami: LoadedTool
  readonly tools: ReadonlyMap<string, LoadedTool>
  definitions(): JsonObject[]
  templates(): JsonObject[]
  callFor(uri: string): ResourceCall | undefined
  /** Ends what runs for it. */
  close(): Promise<void>
}

export function loadedOf(vendor: Vendor): LoadedVendor {
  const loadedTool = (tool: Tool): LoadedTool => ({
    effect: tool.effect,
    scopes: scopesOf(vendor, tool),
    run: (input, key) => tool.run(input, key),
  })
  return {
    id: vendor.id,
    auth: vendor.auth,
    whoami: loadedTool(vendor.whoami),
    tools: new Map([...vendor.tools].map(([name, tool]) => [name, loadedTool(tool)])),
    definitions: () => [...vendor.tools].map(([name, tool]) => definitionOf(name, tool) as JsonObject),
    templates: () => templatesOf(vendor) as JsonObject[],
    callFor: (uri) => callOf(vendor, uri, acceptsInput) as ResourceCall | undefined,
    close: () => Promise.resolve(),
  }
}
