/**
 * Secrets in AWS Secrets Manager (https://docs.aws.amazon.com/secretsmanager/latest/apireference/API_GetSecretValue.html), with the
 * SDK's own chain of credentials.
 */
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager'
import { placeOf, SecretFault, SecretGone, valueIn, type SecretSource } from './secret-source.ts'

/** @param template the beginning of the names of an organization's secrets, such as `toolway/{organization}/` */
export function createAwsSource(template: string, region: string, endpoint?: string): SecretSource {
  const client = new SecretsManagerClient({
    region,
    ...(endpoint === undefined ? {} : { endpoint }),
    maxAttempts: 3,
    requestHandler: { connectionTimeout: 5_000, requestTimeout: 10_000, throwOnRequestTimeout: true },
  })
  return {
    async read(organization, reference) {
      const SecretId = `${placeOf(template, organization)}${reference.path}`
      const { SecretString } = await client.send(new GetSecretValueCommand({ SecretId })).catch((thrown: Error) => {
        const words = `aws responded with ${thrown.name} for ${SecretId}`
        throw thrown.name === 'ResourceNotFoundException' ? new SecretGone(words) : new SecretFault(words)
      })
      if (SecretString === undefined) throw new SecretFault(`${SecretId} of aws is not text`)
      return valueIn(SecretString, reference)
    },
  }
}
