/** The key service that the settings name: its library is loaded here, and nowhere else. */
import type { ServiceFetch } from '../bao-client.ts'
import type { KeyService, KeyServiceSettings } from './key-service.ts'

const FORM = /^(aws-kms|gcp-kms|azure-keyvault|transit):(.+)$/

/** Loads the library of the service. */
export async function createKeyService(
  settings: KeyServiceSettings & { readonly TOOLWAY_KEY_SERVICE: string },
  fetch: ServiceFetch,
): Promise<KeyService> {
  const address = settings.TOOLWAY_KEY_SERVICE
  const [, kind, key = ''] = FORM.exec(address) ?? []
  const named = { ...settings, key, name: address, fetch }
  switch (kind) {
    case 'aws-kms':
      return (await import('./aws-key-service.ts')).createAwsKeyService(named)
    case 'gcp-kms':
      return (await import('./gcp-key-service.ts')).createGcpKeyService(named)
    case 'azure-keyvault':
      return (await import('./azure-key-service.ts')).createAzureKeyService(named)
    case 'transit':
      return (await import('./transit-key-service.ts')).createTransitKeyService(named)
    default:
      throw new RangeError(`${address} is not a key service`)
  }
}
