/**
 * The frame of an export request: the resource (this gateway) and the scope (the code that records) around the items of one signal.
 *
 * All three signals have the same form: `{ resource_x = 1 { resource = 1, scope_x = 2 { scope = 1, items = 2, schema_url = 3 } } }`
 * (opentelemetry/proto/collector).
 */
import { encodeAttributes, textsOf } from './attributes.ts'
import { LARGE, ProtoWriter } from './proto-writer.ts'

/** The version of the semantic conventions that the names of attributes and metrics are of. */
export const SCHEMA_URL = 'https://opentelemetry.io/schemas/1.43.0'

/** The field number of the items: spans, log records and metrics. */
export const ITEM = 2

/** Puts the frame around items, each of which is a whole field already. */
export type Frame = (items: Uint8Array) => Buffer

export function createFrame(
  resource: Readonly<Record<string, string>>,
  scope: { name: string; version: string },
): Frame {
  const described = message((to) => to.encoded(encodeAttributes(1, textsOf(resource))))
  const scoped = message((to) => {
    to.text(1, scope.name)
    to.text(2, scope.version)
  })
  const to = new ProtoWriter()
  return (items) => {
    const outer = to.open(1, LARGE)
    to.bytes(1, described)
    const inner = to.open(2, LARGE)
    to.bytes(1, scoped)
    to.encoded(items)
    to.text(3, SCHEMA_URL)
    to.close(inner, LARGE)
    to.close(outer, LARGE)
    return to.take()
  }
}

function message(write: (to: ProtoWriter) => void): Buffer {
  const writer = new ProtoWriter(1_024)
  write(writer)
  return writer.take()
}
