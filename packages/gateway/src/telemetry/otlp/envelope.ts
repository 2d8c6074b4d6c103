/**
 * The frame of an export request: the resource (this gateway) and the scope (the code that records) around the items of one signal.
 *
 * All three signals have the same form: `{ resource_x = 1 { resource = 1, scope_x = 2 { scope = 1, items = 2, schema_url = 3 } } }`
 * (opentelemetry/proto/collector).
 */
import { encodeAttributes, textsOf } from './attributes.ts'
import { ProtoWriter } from './proto-writer.ts'

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
  const described = message((to) => to.raw(encodeAttributes(1, textsOf(resource))))
  const scoped = message((to) => {
    to.text(1, scope.name)
    to.text(2, scope.version)
  })
  return (items) => {
    const inner = new ProtoWriter(items.length + 512)
    inner.bytes(1, scoped)
    inner.raw(items)
    inner.text(3, SCHEMA_URL)
    const outer = new ProtoWriter(items.length + described.length + 1_024)
    outer.bytes(1, described)
    outer.bytes(2, inner.take())
    const whole = new ProtoWriter(items.length + described.length + 1_040)
    whole.bytes(1, outer.take())
    return whole.take()
  }
}

function message(write: (to: ProtoWriter) => void): Buffer {
  const writer = new ProtoWriter(1_024)
  write(writer)
  return writer.take()
}
