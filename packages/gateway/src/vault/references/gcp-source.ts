/**
 * Secrets in Google Cloud Secret Manager
 * (https://cloud.google.com/secret-manager/docs/reference/rest/v1/projects.secrets.versions/access): the latest version, with the
 * application default credentials.
 */
import { GoogleAuth } from 'google-auth-library'
import { z } from 'zod'
import { placeOf, SecretFault, SecretGone, valueIn, type SecretSource } from './secret-source.ts'

const ADDRESS = 'https://secretmanager.googleapis.com'
const Read = z.object({ payload: z.object({ data: z.base64() }) })

/** @param template `projects/PROJECT/secrets/PREFIX{organization}_` */
export function createGcpSource(template: string, endpoint = ADDRESS): SecretSource {
  const auth = new GoogleAuth({
    scopes: 'https://www.googleapis.com/auth/cloud-platform',
    projectId: template.split('/')[1] ?? '',
  })
  return {
    async read(organization, reference) {
      const name = `${placeOf(template, organization)}${reference.path}`
      const url = `${endpoint}/v1/${name}/versions/latest:access`
      const { data } = await auth
        .request<unknown>({ url, timeout: 10_000, responseType: 'json' })
        .catch(({ status, code }: { readonly status?: number; readonly code?: string }) => {
          const words = `gcp responded with ${status ?? code ?? 'nothing'} for ${name}`
          throw status === 404 ? new SecretGone(words) : new SecretFault(words)
        })
      return valueIn(Buffer.from(Read.parse(data).payload.data, 'base64').toString('utf8'), reference)
    },
  }
}
