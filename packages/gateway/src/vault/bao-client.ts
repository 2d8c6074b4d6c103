/**
 * A client of the HTTP interface of HashiCorp Vault and OpenBao (https://developer.hashicorp.com/vault/api-docs), as far as keys and
 * secrets are read: with a token, as an AppRole, or with the service account of a pod.
 *
 * A token that was signed in for is used until the server refuses it; then there is one new sign-in. The guarded fetch that it is
 * handed bounds answers and waits; nothing of an answer is in an error.
 */
import { readFile } from 'node:fs/promises'
import { z } from 'zod'

export interface BaoSettings {
  readonly VAULT_TOKEN?: string | undefined
  readonly VAULT_NAMESPACE?: string | undefined
  readonly VAULT_ROLE_ID?: string | undefined
  readonly VAULT_SECRET_ID?: string | undefined
  readonly VAULT_KUBERNETES_ROLE?: string | undefined
}

/** The guarded `fetch`, as a noun is handed it. */
export type ServiceFetch = (
  url: string,
  options: {
    readonly method: string
    readonly headers: Readonly<Record<string, string>>
    readonly body?: string
  },
) => Promise<Response>

export interface BaoClientParts {
  readonly origin: string
  readonly fetch: ServiceFetch
  readonly settings: BaoSettings
  /** Of a pod; a test has its own. */
  readonly accountFile?: string
}

export interface BaoClient {
  /** A path below `/v1/`. Throws BaoFault for every other status than 200, and what the network throws. */
  get(path: string): Promise<unknown>
  post(path: string, body: object): Promise<unknown>
}

export class BaoFault extends Error {
  readonly status: number
  constructor(status: number) {
    super(`the server responded with HTTP ${status}`)
    this.status = status
  }
}

const ACCOUNT_FILE = '/var/run/secrets/kubernetes.io/serviceaccount/token'
const SignedIn = z.object({ auth: z.object({ client_token: z.string().min(1) }) })

export function createBaoClient({
  origin,
  settings,
  fetch: send,
  accountFile = ACCOUNT_FILE,
}: BaoClientParts): BaoClient {
  const { VAULT_TOKEN: configuredToken, VAULT_NAMESPACE: namespace } = settings
  let token: string | undefined = configuredToken

  async function exchange(method: 'GET' | 'POST', path: string, body: object | undefined, sent: string | undefined) {
    const response = await send(`${origin}/v1/${path}`, {
      method,
      headers: {
        'content-type': 'application/json',
        'x-vault-request': 'true',
        ...(sent === undefined ? {} : { 'x-vault-token': sent }),
        ...(namespace === undefined ? {} : { 'x-vault-namespace': namespace }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    if (response.status !== 200) throw new BaoFault(response.status)
    return response.json()
  }

  async function signIn(): Promise<string> {
    const { VAULT_ROLE_ID: role_id, VAULT_SECRET_ID: secret_id, VAULT_KUBERNETES_ROLE: role } = settings
    const [path, words] =
      role === undefined
        ? ['auth/approle/login', { role_id, secret_id }]
        : ['auth/kubernetes/login', { role, jwt: (await readFile(accountFile, 'utf8')).trim() }]
    token = SignedIn.parse(await exchange('POST', path, words, undefined)).auth.client_token
    return token
  }

  async function ask(method: 'GET' | 'POST', path: string, body?: object): Promise<unknown> {
    const used = token ?? (await signIn())
    try {
      return await exchange(method, path, body, used)
    } catch (thrown) {
      // A token that has run out is refused with 403, as is one without the right: one new sign-in tells.
      if (configuredToken !== undefined || !(thrown instanceof BaoFault) || thrown.status !== 403) throw thrown
      return exchange(method, path, body, await signIn())
    }
  }

  return { get: (path) => ask('GET', path), post: (path, body) => ask('POST', path, body) }
}
