/**
 * A double of Azure Key Vault and of the sign-in at Microsoft Entra ID, made after their published HTTP interfaces
 * (https://learn.microsoft.com/rest/api/keyvault/keys, https://learn.microsoft.com/entra/identity-platform/v2-oauth2-client-creds-grant-flow):
 * get a key, wrap and unwrap with RSA-OAEP-256, versions of a key, the challenge without a token, and throttling. It refuses what the
 * service refuses. The certificate and its key are of this double alone.
 */
import { constants, generateKeyPairSync, privateDecrypt, publicEncrypt, randomUUID, type KeyObject } from 'node:crypto'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { selfSigned } from '../authorities/self-signed.ts'

const own = selfSigned(['*.vault.azure.net'])
export const AZURE_CERTIFICATE = own.cert

const TENANT = '11111111-2222-3333-4444-555555555555'
const RESOURCE = 'https://vault.azure.net'

interface Answer {
  readonly status: number
  readonly body: object
  readonly headers?: Readonly<Record<string, string>>
}
const refusal = (status: number, code: string, headers?: Readonly<Record<string, string>>): Answer => ({
  status,
  body: { error: { code, message: 'refused by the double' } },
  ...(headers === undefined ? {} : { headers }),
})

interface KeyVersion {
  readonly version: string
  readonly open: KeyObject
  readonly seal: KeyObject
}

export type AzureServer = Awaited<ReturnType<typeof startAzureServer>>

export async function startAzureServer() {
  const tokens = new Set<string>()
  const versions: KeyVersion[] = []
  /** Answered before anything else, one for each request. */
  const troubles: Answer[] = []
  let rights: readonly string[] = ['get', 'wrapKey', 'unwrapKey']
  const asked: string[] = []
  const server = createServer({ cert: own.cert, key: own.key }, (request, response) => {
    void read(request).then((text) => {
      const { status, body, headers = {} } = answer(request, text)
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const vault = `https://toolway.vault.azure.net:${port}`
  const authority = `https://127.0.0.1:${port}`

  function addVersion(): void {
    const { privateKey: open, publicKey: seal } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    versions.unshift({ version: randomUUID().replaceAll('-', ''), open, seal })
  }
  addVersion()

  function answer({ url = '', method, headers }: IncomingMessage, text: string): Answer {
    const path = url.replace(/\?.*$/, '')
    if (path.startsWith(`/${TENANT}/`)) return signIn(path, text)
    const token = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1]
    if (token === undefined || !tokens.has(token))
      return refusal(401, 'Unauthorized', {
        'www-authenticate': `Bearer authorization="${authority}/${TENANT}", resource="${RESOURCE}"`,
      })
    asked.push(`${method} ${path}`)
    return troubles.shift() ?? answerKey(method, path, text)
  }

  function signIn(path: string, text: string): Answer {
    if (path.endsWith('/.well-known/openid-configuration'))
      return { status: 200, body: metadataOf(`${authority}/${TENANT}`) }
    const form = new URLSearchParams(text)
    if (!path.endsWith('/oauth2/v2.0/token')) return refusal(404, 'NotFound')
    if (form.get('client_secret') !== 'azure-client-secret')
      return {
        status: 401,
        body: { error: 'invalid_client', error_description: 'AADSTS7000215: Invalid client secret' },
      }
    if (!form.get('scope')?.includes(`${RESOURCE}/.default`)) return { status: 400, body: { error: 'invalid_scope' } }
    const access_token = randomUUID()
    tokens.add(access_token)
    return { status: 200, body: { token_type: 'Bearer', expires_in: 3600, ext_expires_in: 3600, access_token } }
  }

  function answerKey(method: string | undefined, path: string, text: string): Answer {
    const [, keys, name, version = versions[0]?.version, action] = path.replace(/\/$/, '').split('/')
    const held = versions.find((one) => one.version === version)
    if (keys !== 'keys' || name !== 'toolway' || held === undefined) return refusal(404, 'KeyNotFound')
    const right = { wrapkey: 'wrapKey', unwrapkey: 'unwrapKey' }[action ?? ''] ?? 'get'
    if (!rights.includes(right)) return refusal(403, 'Forbidden')
    const kid = `${vault}/keys/toolway/${held.version}`
    if (action === undefined && method === 'GET') return { status: 200, body: bundleOf(kid, held) }
    const { alg, value } = JSON.parse(text) as { alg?: string; value?: string }
    if (alg !== 'RSA-OAEP-256' || value === undefined) return refusal(400, 'BadParameter')
    const padding = { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' }
    const bytes = Buffer.from(value, 'base64url')
    try {
      const done =
        action === 'wrapkey'
          ? publicEncrypt({ key: held.seal, ...padding }, bytes)
          : privateDecrypt({ key: held.open, ...padding }, bytes)
      return { status: 200, body: { kid, value: done.toString('base64url') } }
    } catch {
      return refusal(400, 'BadParameter')
    }
  }

  return {
    vault,
    authority,
    asked,
    /** As an operator sets them; the library reads them itself. */
    variables: {
      AZURE_TENANT_ID: TENANT,
      AZURE_CLIENT_ID: '99999999-2222-3333-4444-555555555555',
      AZURE_CLIENT_SECRET: 'azure-client-secret',
    },
    addVersion,
    removeOldVersions: () => void versions.splice(1),
    allow: (...named: readonly string[]) => void (rights = named),
    /** Answers the next requests for keys with these. */
    trouble: (...next: readonly { status: number; after?: string }[]) =>
      void troubles.push(
        ...next.map(({ status, after }) =>
          refusal(status, 'Throttled', after === undefined ? undefined : { 'retry-after': after }),
        ),
      ),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

const bundleOf = (kid: string, { seal }: KeyVersion) => ({
  key: { ...seal.export({ format: 'jwk' }), kid, key_ops: ['wrapKey', 'unwrapKey'] },
  attributes: { enabled: true, created: 1_700_000_000, updated: 1_700_000_000, recoveryLevel: 'Recoverable' },
})

const metadataOf = (issuer: string) => ({
  issuer: `${issuer}/v2.0`,
  authorization_endpoint: `${issuer}/oauth2/v2.0/authorize`,
  token_endpoint: `${issuer}/oauth2/v2.0/token`,
  end_session_endpoint: `${issuer}/oauth2/v2.0/logout`,
  jwks_uri: `${issuer}/discovery/v2.0/keys`,
})

async function read(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}
