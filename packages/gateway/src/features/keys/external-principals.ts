/** The part that knows callers from elsewhere, built from the settings: a key of the environment, an issuer, a backend. */
import { Fault } from '@toolway/contract'
import { placeOutside, type OutsideParts } from '../../call/callers/outside-principal.ts'
import { ConfigFault, type Config } from '../../config.ts'
import {
  createExternalPrincipals,
  type ExternalPrincipals,
  type Source,
} from '../../identity/federated/external-principals.ts'
import { createIdentityEndpoint } from '../../identity/federated/identity-endpoint.ts'
import { createIssuerTokens, type Fetch } from '../../identity/federated/issuer-tokens.ts'
import type { Principal } from '../../identity/principal.ts'
import { DEFAULT_SLUG } from '../../organizations/organizations.ts'

export interface OutsidePrincipalsParts extends OutsideParts {
  readonly config: Config
  readonly fetch: Fetch
  isOwn(bearer: string): boolean
}

/** Undefined where nothing of the kind is set: then nobody is asked, at any request. */
export function createOutsidePrincipals(parts: OutsidePrincipalsParts): ExternalPrincipals | undefined {
  const sources = sourcesOf(parts)
  const environment = environmentOf(parts)
  if (sources.length === 0 && environment.length === 0) return undefined
  return createExternalPrincipals({ environment, sources, place: (vouched) => placeOutside(parts, vouched) })
}

interface KeyWords extends Pick<Principal, 'id' | 'limit' | 'toolset'> {
  readonly trusted: boolean
}

/** The key of everybody, and the one of the toolset `admin`, where the settings give them. */
function environmentOf({ config, find }: OutsidePrincipalsParts) {
  const { MCP_API_KEY: key, MCP_API_KEY_LIMIT: limit } = config
  const adminKey = config.TOOLWAY_PRESET === undefined ? undefined : config.MCP_ADMIN_API_KEY
  const name = config.DEFAULT_ORG_ID ?? DEFAULT_SLUG
  const principalWith =
    ({ trusted, ...words }: KeyWords) =>
    (): Principal => {
      const found = find({ id: name }) ?? find({ slug: name })
      if (found === undefined) throw new Fault('key.unknown')
      return {
        ...words,
        ...(trusted ? { trusted: true as const } : {}),
        kind: 'key',
        userId: undefined,
        organizationId: found.organization.id,
        keyId: undefined,
        role: 'tenant_member',
        resource: undefined,
        endpoint: undefined,
        client: undefined,
        signInId: undefined,
      }
    }
  const trusted = config.MCP_API_KEY_TRUSTED === 'on'
  const given = [
    { key, principal: principalWith({ id: 'environment key', limit, toolset: undefined, trusted }) },
    {
      key: adminKey,
      principal: principalWith({ id: 'environment admin key', limit: 'execute', toolset: 'admin', trusted }),
    },
  ]
  return given.flatMap(({ key: text, principal }) => (text === undefined ? [] : [{ key: text, principal }]))
}

/** A key that leads nowhere is a mistake, which a start says at once. */
export function refuseNoPlace({ DEFAULT_ORG_ID: name }: Config, find: OutsidePrincipalsParts['find']): void {
  if (name === undefined || find({ id: name }) !== undefined || find({ slug: name }) !== undefined) return
  throw new ConfigFault(
    `DEFAULT_ORG_ID refers to the organization "${name}", which does not exist: use its ID or slug, or declare it in the TOOLWAY_CONFIG file.`,
  )
}

function sourcesOf({ config, fetch, isOwn }: OutsidePrincipalsParts): Source[] {
  const { TOOLWAY_JWT_ISSUER: issuer, TOOLWAY_JWT_AUDIENCE: audience, TOOLWAY_IDENTITY_URL: url } = config
  const now = Date.now
  const tokens =
    issuer === undefined || audience === undefined
      ? []
      : [
          createIssuerTokens({
            issuer,
            audience,
            keysUrl: config.TOOLWAY_JWT_JWKS_URL,
            organizationClaim: config.TOOLWAY_JWT_ORGANIZATION_CLAIM,
            emailProof: config.TOOLWAY_JWT_EMAIL_PROOF,
            fetch,
            now,
          }),
        ]
  return [...tokens, ...(url === undefined ? [] : [createIdentityEndpoint({ url, fetch, isOwn, now })])]
}
