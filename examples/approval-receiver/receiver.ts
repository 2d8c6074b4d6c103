/**
 * A webhook receiver that approves or denies calls. It verifies the signature of each message (Standard Webhooks), decides, and
 * sends its answer signed with the same secret. Calls that `decide` leaves open wait for a person.
 */
import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'

const { TOOLWAY_URL = 'http://localhost:8787', WEBHOOK_SECRET = '', PORT = '8790' } = process.env
if (!WEBHOOK_SECRET.startsWith('whsec_')) throw new Error('Set WEBHOOK_SECRET to the secret of the webhook.')
const secret = Buffer.from(WEBHOOK_SECRET.slice('whsec_'.length), 'base64')
const MAX_AGE = 300 // seconds

interface Message {
  readonly type: string
  readonly data: { readonly detail: { readonly approval: string; readonly tool: string } }
}

/** Your decision. Undefined leaves the call to people. */
function decide(tool: string): 'grant' | 'deny' | undefined {
  if (tool === 'write_note') return 'grant'
  return /^(?:delete|drop)_/.test(tool) ? 'deny' : undefined
}

const signatureOf = (id: string, seconds: string, body: string) =>
  `v1,${createHmac('sha256', secret).update(`${id}.${seconds}.${body}`).digest('base64')}`

function isGenuine({ headers }: IncomingMessage, body: string): boolean {
  const [id, seconds, signatures] = ['id', 'timestamp', 'signature'].map((name) => String(headers[`webhook-${name}`]))
  if (id === undefined || seconds === undefined || !(Math.abs(Date.now() / 1000 - Number(seconds)) < MAX_AGE))
    return false
  const own = Buffer.from(signatureOf(id, seconds, body))
  const given = (signatures ?? '').split(' ').map((one) => Buffer.from(one))
  return given.some((one) => one.length === own.length && timingSafeEqual(one, own))
}

async function answer(approval: string, said: 'grant' | 'deny'): Promise<void> {
  const [id, seconds] = [`msg_${randomUUID()}`, String(Math.floor(Date.now() / 1000))]
  const body = JSON.stringify({ approval, answer: said })
  const response = await fetch(`${TOOLWAY_URL}/api/v1/approvals/${approval}/answer`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': seconds,
      'webhook-signature': signatureOf(id, seconds, body),
    },
    body,
  })
  console.log(`${said} ${approval}: ${response.status}`)
}

async function take(message: string): Promise<void> {
  const { type, data } = JSON.parse(message) as Message
  const said = type === 'approval.requested' ? decide(data.detail.tool) : undefined
  if (said !== undefined) await answer(data.detail.approval, said)
}

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await text(request)
  const genuine = isGenuine(request, body)
  // The gateway repeats a message that is not taken within ten seconds: take it first, answer afterwards.
  response.writeHead(genuine ? 204 : 401).end()
  if (genuine) await take(body)
}

const server = createServer((request, response) => void serve(request, response).catch(console.error))
server.listen(Number(PORT), '127.0.0.1', () => console.log(`Listening on ${JSON.stringify(server.address())}`))
