/** The arguments of a call, field by field: what would be sent, and what rules made of what the caller wrote. */
import { visible } from '@toolway/contract'

export type Arguments = Readonly<Record<string, unknown>>

/** `changed`, `added` and `removed` are what a rule did to it. */
export interface ArgumentField {
  readonly name: string
  readonly how: 'same' | 'changed' | 'added' | 'removed'
  /** As text; of what is not sent, what was written. */
  readonly text: string
  /** The value that the caller wrote, where a different one is sent. */
  readonly before: string | undefined
}

/** @param input as the caller wrote them; null where nothing was changed */
export function fieldsOf(sent: Arguments, input: Arguments | null): ArgumentField[] {
  const written = input ?? sent
  const names = [...new Set([...Object.keys(sent), ...Object.keys(written)])]
  return names.map((name) => {
    const isSent = Object.hasOwn(sent, name)
    const isWritten = Object.hasOwn(written, name)
    const text = textOf(isSent ? sent[name] : written[name])
    const before = isSent && isWritten ? textOf(written[name]) : undefined
    const how = !isSent ? 'removed' : !isWritten ? 'added' : before === text ? 'same' : 'changed'
    return { name: visible(name), how, text, before: how === 'changed' ? before : undefined }
  })
}

/** A text as it is, anything else as JSON; what the eye does not see stands as its code point. */
export function textOf(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value, undefined, 2) ?? 'undefined')
  return text.split('\n').map(visible).join('\n')
}
