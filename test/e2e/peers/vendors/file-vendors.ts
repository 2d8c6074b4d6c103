/**
 * The parts of Gmail and Slack that take files, from their reference pages: Gmail's upload address (`/upload/gmail/v1/…` with
 * `uploadType`), and Slack's `files.getUploadURLExternal`, a signed address over TLS, and `files.completeUploadExternal`. Each refuses
 * what its vendor refuses.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { selfSigned } from '../authorities/self-signed.ts'

export const TOKEN = 'token-0123456789abcdef'

export interface FileVendor extends AsyncDisposable {
  readonly url: string
}

export interface GmailDouble extends FileVendor {
  readonly mails: { readonly path: string; readonly type: string; readonly length: number; readonly body: Buffer }[]
}

export interface SlackDouble extends FileVendor {
  /** Files that were sent whole, by id. */
  readonly files: Map<string, { readonly name: string; bytes: Buffer | undefined; posted: boolean }>
  readonly messages: Record<string, unknown>[]
  /** Headers of the requests to signed addresses. */
  readonly signed: IncomingMessage['headers'][]
  /** Of the server that the signed addresses are of; to be trusted by the process that asks. */
  readonly certificate: string
}

const MOST_MAIL = 36_700_160

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

const say = (response: ServerResponse, status: number, body: unknown) =>
  void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

const closing =
  (...servers: Server[]) =>
  async () => {
    await Promise.all(
      servers.map(
        (one) => new Promise<void>((resolve) => void (one.closeAllConnections(), one.close(() => resolve()))),
      ),
    )
  }

export async function startGmail(): Promise<GmailDouble> {
  const mails: GmailDouble['mails'] = []
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const url = new URL(request.url ?? '/', 'http://gmail')
    if (request.headers.authorization !== `Bearer ${TOKEN}`)
      return say(response, 401, { error: { code: 401, status: 'UNAUTHENTICATED' } })
    if (request.method === 'GET')
      return say(response, 200, { labels: [], id: 'm', threadId: 't', payload: { headers: [] } })
    const [, upload = ''] = /^\/upload\/gmail\/v1\/users\/me\/(messages\/send|drafts)$/.exec(url.pathname) ?? []
    if (upload === '') return say(response, 404, { error: { code: 404 } })
    const type = String(request.headers['content-type'])
    const wanted =
      url.searchParams.get('uploadType') === 'media' ? /^message\/rfc822$/ : /^multipart\/related; boundary=/
    const body = await bodyOf(request)
    const length = Number(request.headers['content-length'])
    if (!wanted.test(type) || length !== body.length) return say(response, 400, { error: { code: 400 } })
    if (length > MOST_MAIL) return say(response, 413, { error: { code: 413 } })
    mails.push({ path: `${upload}${url.search}`, type, length, body })
    return say(response, 200, { id: 'm1', threadId: 't1', labelIds: ['SENT'], message: { id: 'm1', threadId: 't1' } })
  }
  const server = createServer((request, response) => void answer(request, response))
  const port = await listen(server)
  return { url: `http://127.0.0.1:${port}`, mails, [Symbol.asyncDispose]: closing(server) }
}

export async function startSlack(): Promise<SlackDouble> {
  const files: SlackDouble['files'] = new Map()
  const lengths = new Map<string, number>()
  const messages: SlackDouble['messages'] = []
  const signed: SlackDouble['signed'] = []
  const { key, cert } = selfSigned()
  let uploads = ''

  function begin(response: ServerResponse, form: URLSearchParams): void {
    const [name, length] = [form.get('filename'), Number(form.get('length'))]
    if (name === null || !Number.isInteger(length) || length < 1)
      return say(response, 200, refusal('invalid_arguments'))
    const id = `F${files.size + 1}`
    files.set(id, { name, bytes: undefined, posted: false })
    lengths.set(id, length)
    return say(response, 200, { ok: true, upload_url: `${uploads}/upload/v1/${id}?sig=s3cr3t`, file_id: id })
  }

  function complete(
    response: ServerResponse,
    said: { files?: { id: string; title?: string }[]; channel_id?: string },
  ): void {
    const posted = said.files ?? []
    if (posted.length === 0 || posted.some(({ id }) => files.get(id)?.bytes === undefined))
      return say(response, 200, refusal('file_not_found'))
    for (const { id } of posted) Object.assign(files.get(id) ?? {}, { posted: true })
    messages.push(said)
    return say(response, 200, { ok: true, files: posted })
  }

  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    if (request.headers.authorization !== `Bearer ${TOKEN}`) return say(response, 200, refusal('invalid_auth'))
    const text = (await bodyOf(request)).toString()
    const isForm = request.headers['content-type']?.startsWith('application/x-www-form-urlencoded') === true
    if (request.url === '/api/files.getUploadURLExternal')
      return isForm ? begin(response, new URLSearchParams(text)) : say(response, 200, refusal('invalid_arguments'))
    if (request.url === '/api/files.completeUploadExternal') return complete(response, JSON.parse(text) as object)
    return say(response, 200, { ok: true, user: 'ada', team: 'acme' })
  }

  const upload = async (request: IncomingMessage, response: ServerResponse) => {
    signed.push(request.headers)
    const [, id = ''] = /^\/upload\/v1\/(F\d+)\?sig=s3cr3t$/.exec(request.url ?? '') ?? []
    const file = files.get(id)
    const bytes = await bodyOf(request)
    if (request.method !== 'POST' || file === undefined || bytes.length !== lengths.get(id))
      return void response.writeHead(400).end()
    file.bytes = bytes
    return void response.writeHead(200).end(`OK - ${bytes.length}`)
  }

  const server = createServer((request, response) => void answer(request, response))
  const storage = createTlsServer({ key, cert }, (request, response) => void upload(request, response))
  const port = await listen(server)
  uploads = `https://127.0.0.1:${await listen(storage)}`
  const url = `http://127.0.0.1:${port}`
  return { url, files, messages, signed, certificate: cert, [Symbol.asyncDispose]: closing(server, storage) }
}

const refusal = (error: string) => ({ ok: false, error })
