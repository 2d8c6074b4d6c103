/**
 * Addresses of one transfer: `/files/u/TOKEN` takes an upload in pieces (tus 1.0, core protocol) and `/files/d/TOKEN` gives one
 * download. They need no key, because the token is one; wrong, used and expired tokens get the same 404.
 *
 * Content is never shown by a browser: it is an attachment, of a type that is not guessed, in a sandbox.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Fault } from '@toolway/contract'
import type { FileTransfers, TransferOrigin, UploadPosition } from '../../features/files/index.ts'
import type { Log } from '../../lib/log.ts'
import { answerProblem } from '../answer-fault.ts'
import type { Clients } from '../client-address.ts'
import { correlationOf } from '../request-head.ts'
import { rangeOf } from './range.ts'
import { receivedBy } from './upload-body.ts'
import { sendFile } from './send-file.ts'

export interface FilesDoorParts {
  readonly transfers: FileTransfers
  readonly clients: Clients
  readonly log: Pick<Log, 'error'>
  newCorrelationId(): string
}

export interface FileAddress {
  readonly way: 'u' | 'd'
  readonly token: string
}

export interface FilesDoor {
  addressOf(path: string): FileAddress | undefined
  answer(request: IncomingMessage, response: ServerResponse, address: FileAddress): Promise<void>
}

const PATH = /^\/files\/([ud])\/([^/]+)$/
const TUS = '1.0.0'
const PIECE = 'application/offset+octet-stream'
const WHOLE = /^\d{1,15}$/

const HARDENED = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
} as const

export function createFilesDoor({ transfers, clients, log, newCorrelationId }: FilesDoorParts): FilesDoor {
  async function transfer(
    request: IncomingMessage,
    response: ServerResponse,
    address: FileAddress,
    correlationId: string,
  ) {
    const from: TransferOrigin = {
      address: clients.of(request).address,
      userAgent: request.headers['user-agent'],
      correlationId,
    }
    if (address.way === 'd') return download(request, response, address.token, from)
    response.setHeader('tus-resumable', TUS)
    const version = request.headers['tus-resumable']
    if (version !== undefined && version !== TUS) return refuseVersion(response)
    if (request.method === 'OPTIONS') return void response.writeHead(204, { 'tus-version': TUS }).end()
    if (request.method === 'HEAD') {
      const { offset, size } = await transfers.offset(address.token, from)
      return void response.writeHead(200, { 'upload-offset': offset, 'upload-length': size }).end()
    }
    if (request.method !== 'PATCH') throw refusedMethod(request, response, 'HEAD, PATCH, OPTIONS')
    const { offset } = await upload(request, address.token, from)
    // A body that was not asked for is not read.
    if (!request.complete) response.shouldKeepAlive = false
    response.writeHead(204, { 'upload-offset': offset }).end()
  }

  async function upload(request: IncomingMessage, token: string, from: TransferOrigin): Promise<UploadPosition> {
    const { 'content-type': type, 'upload-offset': input } = request.headers
    if (type !== PIECE)
      throw new Fault('request.media-type', {}, { mend: `Send the piece with Content-Type: ${PIECE}.` })
    if (typeof input !== 'string' || !WHOLE.test(input))
      throw new Fault('envelope.header', { header: 'Upload-Offset', problem: 'is not a number of bytes' })
    const { content, signal, close } = receivedBy(request)
    try {
      return await transfers.append(token, { offset: Number(input), content, signal }, from)
    } finally {
      close()
    }
  }

  async function download(request: IncomingMessage, response: ServerResponse, token: string, from: TransferOrigin) {
    if (request.method !== 'GET') throw refusedMethod(request, response, 'GET')
    const gone = new AbortController()
    response.once('close', () => gone.abort())
    const range = rangeOf(request.headers.range)
    const { file, content } = await transfers.take(token, range, from, gone.signal)
    await sendFile(response, file, range, content)
  }

  return {
    addressOf(path) {
      const [, direction, token] = PATH.exec(path) ?? []
      return direction === undefined || token === undefined ? undefined : { way: direction as 'u' | 'd', token }
    },
    async answer(request, response, address) {
      const correlationId = correlationOf(request) ?? newCorrelationId()
      for (const [name, value] of Object.entries(HARDENED)) response.setHeader(name, value)
      response.setHeader('x-correlation-id', correlationId)
      try {
        await transfer(request, response, address, correlationId)
      } catch (thrown) {
        // The client went away, or is not to wait for the rest of a file that does not come.
        if (response.headersSent || response.destroyed) return void response.destroy()
        const fault = Fault.of(thrown)
        if (fault.code === 'internal' || fault.row.http >= 500)
          log.error({ request_id: correlationId, err: fault.cause ?? fault }, 'a transfer of a file failed')
        // The rest of the body is not read.
        response.shouldKeepAlive = false
        answerProblem(response, fault, correlationId)
      }
    },
  }
}

function refuseVersion(response: ServerResponse): void {
  response.shouldKeepAlive = false
  response.writeHead(412, { 'tus-version': TUS }).end()
}

function refusedMethod({ method = '' }: IncomingMessage, response: ServerResponse, allowed: string): Fault {
  response.setHeader('allow', allowed)
  return new Fault('request.method', { method, allowed })
}
