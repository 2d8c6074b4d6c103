/**
 * A request's body, whole and bounded: its size is checked before it is read and while it is. Bytes that come without a length count
 * for the bound of all calls as they come; the others are counted by then (`intake/take-in.ts`).
 */
import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { Fault } from '@toolway/contract'
import { placeOf } from './intake/take-in.ts'

export function readBody(request: IncomingMessage, limit: number): Promise<Buffer> {
  const stated = Number(request.headers['content-length'] ?? 0)
  if (stated > limit) return Promise.reject(new Fault('request.too-large', { limit }))
  if (request.destroyed) return Promise.reject(new Fault('request.cut-off'))
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    const requestPlace = request.headers['content-length'] === undefined ? placeOf(request) : undefined
    const giveUp = (fault: Fault) => {
      request.removeAllListeners('data').resume()
      reject(fault)
    }
    request.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > limit) return giveUp(new Fault('request.too-large', { limit }))
      try {
        requestPlace?.hold(chunk.length)
        chunks.push(chunk)
      } catch (thrown) {
        giveUp(Fault.of(thrown))
      }
    })
    request.on('end', () => resolve(chunks.length === 1 ? (chunks[0] ?? Buffer.alloc(0)) : Buffer.concat(chunks)))
    request.on('error', () => reject(new Fault('request.cut-off')))
  })
}

const SLOW = 500

/** Whether a key may have been removed while a body was still coming: from so many milliseconds after its request began. */
export const arrivedSlowly = (begun: number): boolean => performance.now() - begun > SLOW

/** Text of a body. Bytes that are not UTF-8 (RFC 8259, section 8.1) are refused: no two readers may differ on them. */
export function textOf(body: Buffer): string {
  if (!isUtf8(body)) throw new Fault('request.not-json', { problem: `it is not UTF-8 at byte ${beginningOf(body)}.` })
  return body.toString('utf8')
}

/** How many bytes are a beginning of UTF-8: found by halving, because a decoder says that it breaks and not where. */
function beginningOf(body: Buffer): number {
  let [good, most] = [0, body.length]
  while (good < most) {
    const middle = Math.ceil((good + most) / 2)
    if (begins(body.subarray(0, middle))) good = middle
    else most = middle - 1
  }
  return good
}

function begins(bytes: Buffer): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true })
    return true
  } catch {
    return false
  }
}
