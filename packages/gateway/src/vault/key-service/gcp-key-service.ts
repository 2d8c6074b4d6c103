/**
 * Google Cloud KMS over its REST interface: `cryptoKeys.encrypt` and `cryptoKeys.decrypt` with additional authenticated data
 * (https://cloud.google.com/kms/docs/reference/rest/v1/projects.locations.keyRings.cryptoKeys). Credentials are the application
 * default ones: a file, a workload identity, the account of the machine.
 */
import { GoogleAuth } from 'google-auth-library'
import { z } from 'zod'
import { KEY_SERVICE_PATIENCE_MS, keyServiceFault, WRAPPED_FOR, type KeyService, type NamedKey } from './key-service.ts'

const ADDRESS = 'https://cloudkms.googleapis.com'
const SCOPE = 'https://www.googleapis.com/auth/cloudkms'
const Wrapped = z.object({ ciphertext: z.base64() })
const Plain = z.object({ plaintext: z.base64() })

export function createGcpKeyService({ name, key, TOOLWAY_KEY_SERVICE_ENDPOINT: endpoint }: NamedKey): KeyService {
  const auth = new GoogleAuth({ scopes: SCOPE, projectId: key.split('/')[1] ?? '' })
  const additionalAuthenticatedData = Buffer.from(WRAPPED_FOR.purpose).toString('base64')
  const post = async (method: 'encrypt' | 'decrypt', words: Readonly<Record<string, string>>): Promise<unknown> => {
    try {
      const { data } = await auth.request<unknown>({
        url: `${endpoint ?? ADDRESS}/v1/${key}:${method}`,
        method: 'POST',
        data: { ...words, additionalAuthenticatedData },
        timeout: KEY_SERVICE_PATIENCE_MS,
        responseType: 'json',
      })
      return data
    } catch (thrown) {
      throw keyServiceFault(name, thrown)
    }
  }
  return {
    name,
    async wrap(plain) {
      const { ciphertext } = Wrapped.parse(await post('encrypt', { plaintext: plain.toString('base64') }))
      return Buffer.from(ciphertext, 'base64')
    },
    async unwrap(wrapped) {
      const { plaintext } = Plain.parse(await post('decrypt', { ciphertext: wrapped.toString('base64') }))
      return Buffer.from(plaintext, 'base64')
    },
  }
}
