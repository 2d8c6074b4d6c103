/** The places that secrets are read from by reference, as the settings of an installation name them. */
import type { PlaceSettings } from '../config.ts'
import { operatorFetch } from '../upstreams/http/guarded-fetch.ts'
import { createFileSource, createVariableSource } from '../vault/references/local-sources.ts'
import type { SecretSource, SourceName } from '../vault/references/secret-source.ts'
import { createVaultSource } from '../vault/references/vault-source.ts'

/** Libraries of cloud services are loaded by the first reference to them. */
export function sourcesOf(config: PlaceSettings, lookup: (name: string) => string | undefined) {
  const { TOOLWAY_SECRET_FOLDER: folder, TOOLWAY_SECRET_VARIABLES: variables, TOOLWAY_SECRET_VAULT: bao } = config
  const { TOOLWAY_SECRET_AWS: aws, TOOLWAY_SECRET_GCP: gcp, AWS_REGION: region } = config
  const endpoint = config.TOOLWAY_SECRET_ENDPOINT
  const sources: Partial<Record<SourceName, SecretSource>> = {
    ...(folder === undefined ? {} : { file: createFileSource(folder) }),
    ...(variables === undefined ? {} : { env: createVariableSource(variables, lookup) }),
    ...(bao === undefined ? {} : { vault: createVaultSource(bao, config, operatorFetch('secrets')) }),
    ...(aws === undefined
      ? {}
      : {
          aws: loadedLater(async () => {
            const { createAwsSource } = await import('../vault/references/aws-source.ts')
            return createAwsSource(aws, region, endpoint)
          }),
        }),
    ...(gcp === undefined
      ? {}
      : {
          gcp: loadedLater(async () => {
            const { createGcpSource } = await import('../vault/references/gcp-source.ts')
            return createGcpSource(gcp, endpoint)
          }),
        }),
  }
  return sources
}

function loadedLater(load: () => Promise<SecretSource>): SecretSource {
  let loaded: Promise<SecretSource> | undefined
  return { read: async (organization, reference) => (await (loaded ??= load())).read(organization, reference) }
}
