/**
 * Azure Key Vault and Managed HSM: `wrapkey` and `unwrapkey` with RSA-OAEP-256
 * (https://learn.microsoft.com/rest/api/keyvault/keys/wrap-key/wrap-key). The version of the key that wrapped is kept with the
 * wrapped key, because a newer version does not open it. Credentials are the default ones of the library: variables, workload
 * identity, managed identity.
 */
import { DefaultAzureCredential } from '@azure/identity'
import { CryptographyClient, KeyClient } from '@azure/keyvault-keys'
import { KeyServiceFault, keyServiceFault, type KeyService, type NamedKey } from './key-service.ts'

const ALGORITHM = 'RSA-OAEP-256'

export function createAzureKeyService({ name, key }: NamedKey): KeyService {
  const { origin, pathname } = new URL(key)
  const [, , keyName = '', version] = pathname.split('/')
  const credential = new DefaultAzureCredential()
  const keys = new KeyClient(origin, credential)
  const newest = async () => {
    const { id } = await keys.getKey(keyName, version === undefined ? {} : { version })
    if (id === undefined) throw new KeyServiceFault(name, 'does not know the key')
    return id
  }
  const asked = <T>(work: () => Promise<T>): Promise<T> =>
    work().catch((thrown: unknown) => {
      throw keyServiceFault(name, thrown)
    })
  return {
    name,
    wrap: (plain) =>
      asked(async () => {
        const { result, keyID } = await new CryptographyClient(await newest(), credential).wrapKey(ALGORITHM, plain)
        return Buffer.from(JSON.stringify({ key: keyID, wrapped: Buffer.from(result).toString('base64') }))
      }),
    unwrap: (wrapped) =>
      asked(async () => {
        const held = heldIn(wrapped)
        // The name comes from the database: another vault than the one that was set is never asked.
        if (held === undefined || !held.key.startsWith(`${origin}/keys/${keyName}/`))
          throw new KeyServiceFault(name, 'did not wrap this key')
        const client = new CryptographyClient(held.key, credential)
        const { result } = await client.unwrapKey(ALGORITHM, Buffer.from(held.wrapped, 'base64'))
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
