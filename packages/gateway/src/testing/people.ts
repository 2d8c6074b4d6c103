/** People of a test gateway, and their browser. */
import { type OrganizationId, type Role } from '@toolway/contract'
import { z } from 'zod'
import type { Db } from '../db/db.ts'
import { createPasswords } from '../identity/passwords.ts'
import { addUser, type UserRow } from '../identity/users.ts'

export const PASSWORD = 'correct horse battery'

export interface TestPerson {
  readonly email: string
  readonly platformAdmin?: boolean
  readonly roles?: readonly (readonly [OrganizationId, Role])[]
}

/** Somebody with `PASSWORD`. */
export async function addPerson(db: Db, { email, platformAdmin = false, roles = [] }: TestPerson): Promise<UserRow> {
  const password = await createPasswords({ shortest: 12 }).hash(PASSWORD)
  const user = await db.system((sql) => addUser(sql, { email, name: email, password, platformAdmin }))
  if (user === undefined) throw new Error(`${email} is there already`)
  for (const [organization, role] of roles)
    await db.system(
      (sql) =>
        sql(
          z.object({}),
        )`insert into members (organization_id, user_id, role) values (${organization}, ${user.id}, ${role})`,
    )
  return user
}

/** Somebody who keeps cookies as browsers do, paths and `Max-Age=0` included. */
export function createBrowser(address: string) {
  const jar = new Map<string, { value: string; path: string; text: string }>()
  const cookiesFor = (path: string) =>
    [...jar]
      .filter(([, cookie]) => path.startsWith(cookie.path))
      .map(([name, { value }]) => `${name}=${value}`)
      .join('; ')
  async function ask(path: string, { headers, ...init }: RequestInit = {}): Promise<Response> {
    const cookie = cookiesFor(new URL(path, address).pathname)
    const response = await fetch(new URL(path, address), {
      redirect: 'manual',
      ...init,
      headers: { ...(cookie === '' ? {} : { cookie }), ...(headers as Record<string, string>) },
    })
    for (const text of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(text) ?? []
      if (/max-age=0\b/i.test(text)) jar.delete(name)
      else jar.set(name, { value, path: /path=([^;]+)/i.exec(text)?.[1] ?? '/', text })
    }
    return response
  }
  return {
    jar,
    ask,
    submit: (path: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
      ask(path, { method: 'POST', body: new URLSearchParams(fields), headers: { origin: address, ...headers } }),
  }
}

export interface Told {
  readonly status: number
  // eslint-disable-next-line typescript/no-explicit-any -- a test looks into whatever came
  readonly body: any
  readonly headers: Headers
}

/** One request to the admin interface, with a token or key if there is one. */
export async function askAdmin(
  address: string,
  at: `${'GET' | 'POST' | 'PATCH' | 'DELETE' | 'PUT'} /${string}`,
  { token, body, headers = {} }: { token?: string | undefined; body?: unknown; headers?: Record<string, string> } = {},
): Promise<Told> {
  const [method = '', path = ''] = at.split(' ')
  const response = await fetch(`${address}/api/v1${path}`, {
    method,
    headers: {
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text), headers: response.headers }
}

/** The pair of tokens of somebody with `PASSWORD`. */
export async function signIn(address: string, email: string, more: object = {}) {
  const { status, body } = await askAdmin(address, 'POST /auth/login', { body: { email, password: PASSWORD, ...more } })
  if (status !== 200) throw new Error(`signing in answered ${status}: ${JSON.stringify(body)}`)
  return body as { access_token: string; refresh_token: string; user: { id: string }; organization: string | null }
}
