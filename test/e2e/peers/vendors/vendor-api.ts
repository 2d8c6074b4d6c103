/**
 * The API of a vendor as its own description has it: what the description does not know is refused, and an answer is a sample of it.
 * Requests come below the address that stands for the vendor's own; those to its other hosts have the host as their first part.
 */
import { CONNECTORS, type Vendor as Connector } from '../../../../packages/connectors/src/index.ts'
import { isJson } from '../../../../packages/connectors/src/kit/shape.ts'
import { ROWS } from '../../../../packages/connectors/src/rows.ts'
import { descriptionOf } from '../../../connectors/descriptions.ts'
import { answer, drive, wireOf, type Wire } from '../../../connectors/drive.ts'
import { bearerOf, words, type Asked, type Said, type Vendor } from './vendor.ts'

export interface VendorApi extends Vendor {
  /** Requests that were let in. */
  readonly served: Wire[]
  /** Parts of requests that the description does not know. */
  readonly problems: string[]
  /** Given in place of a sample to requests of this path, those of health checks too. */
  next: { readonly path: string; readonly said: Said } | undefined
}

/** `opens`: whether an access token or a key is good now. */
export function createVendorApi(folder: string, connector: Connector, opens: (token: string) => boolean): VendorApi {
  const { id, whoami, auth } = connector
  const rows = ROWS[id]
  const [first] = drive(whoami, {}, () => answer({})).requests
  const account = first === undefined ? '' : wireOf(first).url.href
  const descriptions = (rows?.described ?? []).map((file) => descriptionOf(folder, file, account))
  const own = new URL(CONNECTORS[id]?.address ?? 'https://nowhere.example').host
  const refused = rows?.failures.find(({ word }) => word === 'NEEDS_AUTH')
  const refusal = said(refused ?? { status: 401, body: { message: 'Bad credentials' } })

  const api: VendorApi = {
    live: new Set(),
    served: [],
    problems: [],
    next: undefined,
    answer(asked) {
      if (asked.url.host !== own || asked.url.pathname === '/') return undefined
      const wire = wireAt(asked, own)
      const knowing = descriptions.find((one) => one.knows(wire))
      if (knowing === undefined && isOAuth(asked)) return undefined
      // A health check may come at any time, and Notion's description has no users.
      if (knowing === undefined && wire.url.href === account)
        return opens(credentialOf(asked)) ? words(200, {}) : refusal
      if (knowing === undefined) {
        api.problems.push(`no operation ${wire.method} ${wire.url.href}`)
        return words(404, { message: 'Not Found' })
      }
      if (!opens(credentialOf(asked))) return refusal
      const known = new Set(rows?.queries?.map((name) => `query ${name}: unknown`))
      const problems = knowing.problems(wire).filter((problem) => !known.has(problem))
      api.problems.push(...problems)
      if (problems.length > 0) return words(400, { message: problems.join('; ') })
      api.served.push(wire)
      const { next } = api
      if (next?.path === wire.url.pathname) return next.said
      return words(200, lastPage(knowing.answer(wire, true)))
    },
  }
  return api

  function credentialOf(asked: Asked): string {
    if (!('key' in auth)) return bearerOf(asked)
    const { in: place, name, prefix = '' } = auth.key
    if (place === 'body') return String(asked.json?.[name] ?? '')
    const value = asked.header(place === 'basic-user' ? 'authorization' : name) ?? ''
    if (place === 'header') return value.startsWith(prefix) ? value.slice(prefix.length) : ''
    return Buffer.from(value.replace(/^Basic /, ''), 'base64')
      .toString()
      .replace(/:$/, '')
  }
}

/** A sampled address of a next page leads nowhere. */
const lastPage = (body: unknown): unknown => {
  if (!isJson(body)) return body
  const { next: _, '@odata.nextLink': __, ...rest } = body
  return rest
}

const isOAuth = ({ url }: Asked): boolean => /oauth|token|authorize|revoke/i.test(url.pathname)

const said = ({ status, body, headers = {} }: { status: number; body: unknown; headers?: Said['headers'] }): Said => ({
  status,
  json: body,
  headers,
})

/** The request at the vendor's true address. */
function wireAt({ method, url, json, form }: Asked, own: string): Wire {
  const [, other, rest] = /^\/([a-z][\w-]*(?:\.[\w-]+)*\.[a-z]{2,})(\/.*)$/.exec(url.pathname) ?? []
  const at = new URL(other === undefined ? `https://${own}${url.pathname}` : `https://${other}${rest}`)
  at.search = url.search
  const body: unknown = json ?? (form.size === 0 ? undefined : Object.fromEntries(form))
  return { method, url: at, headers: {}, body }
}
