/** A server that is all vendors at once: `/github.com/login/…` of it stands for `https://github.com/login/…`. */
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Asked, Said, Vendor } from './vendor.ts'

export interface Vendors {
  /** Where an address of a vendor's is here. */
  map(address: string): string
  /** The requests received, as `POST github.com/login/oauth/access_token`. */
  readonly asked: string[]
  /** Answered to everything, while it is set. */
  outage: Said | undefined
  [Symbol.asyncDispose](): Promise<void>
}

export async function startVendors(vendors: readonly Vendor[]): Promise<Vendors> {
  const asked: string[] = []
  const state: { outage: Said | undefined } = { outage: undefined }
  const server = createServer((request, response) => {
    void readAsked(request).then((one) => {
      asked.push(`${one.method} ${one.url.host}${one.url.pathname}`)
      const said = state.outage ?? firstOf(vendors, one)
      const body = said.form === undefined ? JSON.stringify(said.json) : new URLSearchParams(said.form).toString()
      response.writeHead(said.status, {
        'content-type':
          said.form === undefined ? 'application/json; charset=utf-8' : 'application/x-www-form-urlencoded',
        ...(said.location === undefined ? {} : { location: said.location }),
        ...said.headers,
      })
      response.end(said.status === 204 ? undefined : body)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return Object.assign(state, {
    asked,
    map: (address: string) => address.replace(/^https:\//, `http://127.0.0.1:${port}`),
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => void (server.closeAllConnections(), server.close(() => resolve()))),
  })
}

function firstOf(vendors: readonly Vendor[], asked: Asked): Said {
  for (const vendor of vendors) {
    const said = vendor.answer(asked)
    if (said !== undefined) return said
  }
  return { status: 404, json: { error: 'not_found' } }
}

async function readAsked(request: IncomingMessage): Promise<Asked> {
  let body = ''
  for await (const chunk of request) body += String(chunk)
  let json: unknown
  try {
    json = JSON.parse(body)
  } catch {
    // It is a form, or nothing.
  }
  return {
    method: request.method ?? '',
    url: new URL(`https:/${request.url ?? ''}`),
    header: (name) => request.headers[name]?.toString(),
    form: new URLSearchParams(json === undefined ? body : ''),
    json: typeof json === 'object' && json !== null ? (json as Record<string, unknown>) : undefined,
  }
}
