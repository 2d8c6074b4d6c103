/**
 * Attributes as OTLP writes them (opentelemetry/proto/common/v1/common.proto): `KeyValue { key = 1, value = 2 }` with
 * `AnyValue { string_value = 1, bool_value = 2, int_value = 3 }`.
 *
 * Keys stand in the code and are few, so each is encoded once. Values may be a client's: they are cut, and hold no half of a
 * surrogate pair.
 */
import type { AttributeSink, SameAttributes, WriteAttributes } from '../../lib/span-scope.ts'
import { ProtoWriter, SMALL } from './proto-writer.ts'

/** Characters of one value; one of content may have more. */
const MOST_CHARACTERS = 1_024
const LONGEST_CONTENT = 32_768
/** Keys that hold arguments and results, where those are asked for. */
const CONTENT = /^gen_ai\.tool\.call\.(?:arguments|result)$/

const encodedKeys = new Map<string, Buffer>()

/** The field `key`, with its tag. */
function encodedKey(key: string): Buffer {
  const known = encodedKeys.get(key)
  if (known !== undefined) return known
  const writer = new ProtoWriter(key.length * 3 + 16)
  writer.text(1, key)
  const encoded = writer.take()
  encodedKeys.set(key, encoded)
  return encoded
}

/** Writes attributes as the field of the message that is being written. */
export class AttributeWriter implements AttributeSink {
  readonly #writer
  readonly #field

  constructor(writer: ProtoWriter, field: number) {
    this.#writer = writer
    this.#field = field
  }

  text(key: string, value: string | undefined): void {
    if (value === undefined) return
    const from = this.#begin(key)
    const inner = this.#writer.open(2, SMALL)
    this.#writer.text(1, value.length <= MOST_CHARACTERS ? value : cutValue(key, value))
    this.#writer.close(inner, SMALL)
    this.#writer.close(from, SMALL)
  }

  whole(key: string, value: number | undefined): void {
    if (value === undefined) return
    const from = this.#begin(key)
    const inner = this.#writer.open(2, SMALL)
    this.#writer.whole(3, value)
    this.#writer.close(inner, SMALL)
    this.#writer.close(from, SMALL)
  }

  flag(key: string, value: boolean | undefined): void {
    if (value === undefined) return
    const from = this.#begin(key)
    const inner = this.#writer.open(2, SMALL)
    this.#writer.whole(2, value ? 1 : 0)
    this.#writer.close(inner, SMALL)
    this.#writer.close(from, SMALL)
  }

  /** Of spans alone, so that the field is always the same. */
  same(attributes: SameAttributes): void {
    this.#writer.encoded((attributes.encoded ??= encodeAttributes(this.#field, attributes.write)))
  }

  #begin(key: string): number {
    const from = this.#writer.open(this.#field, SMALL)
    this.#writer.encoded(encodedKey(key))
    return from
  }
}

const cutValue = (key: string, value: string): string =>
  value.slice(0, CONTENT.test(key) ? LONGEST_CONTENT : MOST_CHARACTERS)

/** Attributes as bytes that can stand in a message whose attributes have that field number. */
export function encodeAttributes(field: number, write: WriteAttributes): Buffer {
  const writer = new ProtoWriter(512)
  write(new AttributeWriter(writer, field))
  return writer.take()
}

/** A set of texts as attributes. */
export const textsOf =
  (texts: Readonly<Record<string, string>>): WriteAttributes =>
  (to) => {
    for (const [key, value] of Object.entries(texts)) to.text(key, value)
  }
