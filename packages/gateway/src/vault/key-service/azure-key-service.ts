/**
 * Azure Key Vault and Managed HSM: `wrapkey` and `unwrapkey` with RSA-OAEP-256
 * (https://learn.microsoft.com/rest/api/keyvault/keys/wrap-key/wrap-key). The version of the key that wrapped is kept with the
 * wrapped key, because a newer version does not open it. Credentials are the default ones of the library: variables, workload
 * identity, managed identity.
 */
import { DefaultAzureCredential } from '@azure/identity'
import { CryptographyClient, KeyClient } from '@azure/keyvault-keys'
import {
  KEY_SERVICE_PATIENCE_MS,
  KeyServiceFault,
  keyServiceFault,
  type KeyService,
  type NamedKey,
} from './key-service.ts'

const ALGORITHM = 'RSA-OAEP-256'

/** The library waits as long as Retry-After says, and has no limit of its own: the signal of each request is one. */
const RETRIES = { retryOptions: { maxRetries: 2, retryDelayInMs: 250, maxRetryDelayInMs: 1_000 } }
const inTime = () => ({ abortSignal: AbortSignal.timeout(KEY_SERVICE_PATIENCE_MS) })

/** The endpoint is the sign-in of a private cloud, which the public list of clouds does not have. */
export function createAzureKeyService({ name, key, TOOLWAY_KEY_SERVICE_ENDPOINT: authority }: NamedKey): KeyService {
  const { origin, pathname } = new URL(key)
  const [, , keyName = '', version] = pathname.split('/')
  const credential = new DefaultAzureCredential({
    ...RETRIES,
    ...(authority === undefined ? {} : { authorityHost: authority, disableInstanceDiscovery: true }),
  })
  const keys = new KeyClient(origin, credential, RETRIES)
  const newest = async () => {
    const { id } = await keys.getKey(keyName, { ...inTime(), ...(version === undefined ? {} : { version }) })
    if (id === undefined) throw new KeyServiceFault(name, 'does not know the key')
    return id
  }
  const resultOf = <T>(work: () => Promise<T>): Promise<T> =>
    work().catch((thrown: unknown) => {
      throw keyServiceFault(name, thrown)
    })
  return {
    name,
    wrap: (plain) =>
      resultOf(async () => {
        const client = new CryptographyClient(await newest(), credential, RETRIES)
        const { result, keyID } = await client.wrapKey(ALGORITHM, plain, inTime())
        return Buffer.from(JSON.stringify({ key: keyID, wrapped: Buffer.from(result).toString('base64') }))
      }),
    unwrap: (wrapped) =>
      resultOf(async () => {
        const parsed = heldIn(wrapped)
        // The name comes from the database: another vault than the one that was set is never asked.
        if (parsed === undefined || !parsed.key.startsWith(`${origin}/keys/${keyName}/`))
          throw new KeyServiceFault(name, 'did not wrap this key')
        const client = new CryptographyClient(parsed.key, credential, RETRIES)
        const { result } = await client.unwrapKey(ALGORITHM, Buffer.from(parsed.wrapped, 'base64'), inTime())
        return Buffer.from(result)
      }),
  }
}

function heldIn(wrapped: Buffer): { key: string; wrapped: string } | undefined {
  try {
    const { key, wrapped: bytes } = JSON.parse(wrapped.toString('utf8')) as { key?: unknown; wrapped?: unknown }
    return typeof key === 'string' && typeof bytes === 'string' ? { key, wrapped: bytes } : undefined
  } catch {
    return undefined
  }
}
