/** The OAuth provider of a native connector, and the scopes that an account is asked for at first. */
import { CONNECTORS, scopesOf, type Vendor } from '@toolway/connectors'
import { PROVIDERS, reaches, type Limit, type Provider } from '@toolway/contract'

/** Undefined where its tools take keys alone. */
export const providerOf = (vendor: string): Provider | undefined =>
  CONNECTORS[vendor]?.keyOnly === true ? undefined : PROVIDERS.find(({ connectors }) => connectors.includes(vendor))

/** The scopes of all tools within the limit that need no administrator's consent, and those that tell whose account it is. */
export function leastScopes(vendor: Vendor, limit: Limit): readonly string[] {
  const provider = providerOf(vendor.id)
  const granted = new Set(provider?.grantedByAdministrators)
  const ofTools = [...vendor.tools.values()]
    .filter(({ effect }) => reaches(limit, effect))
    .flatMap((tool) => scopesOf(vendor, tool).filter((scope) => !granted.has(scope)))
  return [...new Set([...(provider?.scopes.filter((scope) => IDENTITY.has(scope)) ?? []), ...ofTools])]
}

/** Scopes for who somebody is, and for tokens that can be renewed. */
const IDENTITY: ReadonlySet<string> = new Set([
  'openid',
  'profile',
  'email',
  'offline_access',
  'User.Read',
  'account',
  'read_user',
  'team:read',
  'users:read',
  'user:email',
  'user:read:user',
  'https://www.googleapis.com/auth/userinfo.email',
  'https://www.googleapis.com/auth/userinfo.profile',
])
