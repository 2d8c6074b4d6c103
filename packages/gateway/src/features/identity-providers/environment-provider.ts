/** The provider that environment variables set (TOOLWAY_OIDC_…), as lists show it beside those that are rows. */
import type { ProviderSettings } from '@toolway/contract/admin'
import { providerOf } from '../../config.ts'

export interface EnvironmentProvider {
  readonly title: string
  readonly issuer: string
  readonly clientId: string | undefined
  readonly hasSecret: boolean
  readonly newcomers: ProviderSettings['newcomers']
}

/** Undefined where none is set. Throws ConfigFault where half of one is. */
export function environmentProviderOf(config: Parameters<typeof providerOf>[0]): EnvironmentProvider | undefined {
  const found = providerOf(config)
  if (found === undefined) return undefined
  const { title, issuer, clientId, clientSecret } = found
  return { title, issuer, clientId, hasSecret: clientSecret !== undefined, newcomers: config.TOOLWAY_OIDC_NEW }
}
