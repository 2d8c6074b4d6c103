/**
 * AWS KMS: `Encrypt` and `Decrypt` with an encryption context
 * (https://docs.aws.amazon.com/kms/latest/APIReference/API_Encrypt.html). Credentials come from the SDK's own chain: variables, web
 * identity of a pod, the role of the machine.
 */
import { KMSClient, DecryptCommand, EncryptCommand } from '@aws-sdk/client-kms'
import {
  KEY_SERVICE_PATIENCE_MS,
  KeyServiceFault,
  keyServiceFault,
  WRAPPED_FOR,
  type KeyService,
  type NamedKey,
} from './key-service.ts'

const ARN = /^arn:[^:]+:kms:([^:]+):/

export function createAwsKeyService(settings: NamedKey): KeyService {
  const { name, key: KeyId, AWS_REGION, TOOLWAY_KEY_SERVICE_ENDPOINT: endpoint } = settings
  const region = ARN.exec(KeyId)?.[1] ?? AWS_REGION
  const client = new KMSClient({
    ...(region === undefined ? {} : { region }),
    ...(endpoint === undefined ? {} : { endpoint }),
    maxAttempts: 3,
    requestHandler: { connectionTimeout: 5_000, requestTimeout: KEY_SERVICE_PATIENCE_MS, throwOnRequestTimeout: true },
  })
  const resultOf = async (work: () => Promise<Uint8Array | undefined>): Promise<Buffer> => {
    try {
      const bytes = await work()
      if (bytes === undefined) throw new KeyServiceFault(name, 'returned no key')
      return Buffer.from(bytes)
    } catch (thrown) {
      throw keyServiceFault(name, thrown)
    }
  }
  const context = { KeyId, EncryptionContext: WRAPPED_FOR }
  return {
    name,
    wrap: (Plaintext) =>
      resultOf(async () => (await client.send(new EncryptCommand({ ...context, Plaintext }))).CiphertextBlob),
    unwrap: (CiphertextBlob) =>
      resultOf(async () => (await client.send(new DecryptCommand({ ...context, CiphertextBlob }))).Plaintext),
  }
}
