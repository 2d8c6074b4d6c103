/** The Range header of a download (RFC 9110, section 14.2): one range of bytes. Several at once, and other units, mean the whole file. */
import type { ByteRange } from '../../snapshot/ports/file-store.ts'

const ONE = /^bytes=(\d{1,15})-(\d{1,15})?$/

export function rangeOf(header: string | undefined): ByteRange | undefined {
  const [, start, end] = ONE.exec(header ?? '') ?? []
  if (start === undefined) return undefined
  const range = { start: Number(start), ...(end === undefined ? {} : { end: Number(end) }) }
  return range.end !== undefined && range.end < range.start ? undefined : range
}
