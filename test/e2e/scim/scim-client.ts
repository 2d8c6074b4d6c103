/** What an identity provider has: a token of an organization, and requests as it writes them. */
import type { Answered, Ask } from '../peers/people/administrators.ts'

const SCIM = 'application/scim+json'
export const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'
export const USER = 'urn:ietf:params:scim:schemas:core:2.0:User'
export const GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group'
export const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'

export type Scim = (at: string, body?: unknown, headers?: Record<string, string>) => Promise<Answered>

export const createScim =
  (address: string, organization: string, token: string | undefined): Scim =>
  async (at, body, headers = {}) => {
    const [method = 'GET', path = ''] = at.split(/ (.*)/s)
    const response = await fetch(`${address}/scim/v2/${organization}${path}`, {
      method,
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': SCIM }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.includes('json') === true && text !== ''
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: isJson ? (JSON.parse(text) as Answered['body']) : {},
    }
  }

/** A new token's secret. */
export async function tokenFor(ask: Ask, organization: string, name = 'okta'): Promise<string> {
  const made = await ask(`POST /api/v1/admin/tenants/${organization}/scim/tokens`, { name })
  if (made.status !== 201) throw new Error(made.text)
  return String(made.body['secret'])
}

export const patch = (...operations: object[]) => ({ schemas: [PATCH], Operations: operations })
