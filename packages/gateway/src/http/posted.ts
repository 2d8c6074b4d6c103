/** The JSON value that a POST carries: bounded, strictly read, and only from whoever is still admitted once it has come. */
import type { IncomingMessage } from 'node:http'
import { parseJson, type Json } from '@toolway/protocol'
import type { Trail } from '../call/trail.ts'
import { readBody, textOf } from './body.ts'

/** Milliseconds after which a key may have been removed while the body was still coming. */
const SLOW_BODY = 500

export interface Posted {
  readonly request: IncomingMessage
  readonly trail: Trail
  /** Bytes that a body may have. */
  readonly limit: number
  /** Throws, or rejects, when the caller would not be admitted any more. */
  readmit(): unknown
}

export async function readPosted({ request, trail, limit, readmit }: Posted): Promise<Json> {
  const body = await readBody(request, limit)
  trail.bytesIn = body.length
  if (performance.now() - trail.begun > SLOW_BODY) await readmit()
  return parseJson(textOf(body))
}
