/** Settings of identity providers of either kind: how they come in, and what is compared in them. */
import { Fault } from '@toolway/contract'
import { SamlSettings, type IdentityProviderInput, type ProviderSettings } from '@toolway/contract/admin'
import { certificateProblem, readSamlMetadata, type SamlMetadata } from '../../identity/federated/saml-metadata.ts'

/** The settings to store. Throws `body.shape`. */
export function checkSettings(settings: IdentityProviderInput['settings']): ProviderSettings {
  if (settings.kind === 'oidc') return settings
  const saml = settings.kind === 'saml' ? settings : fromMetadata(settings)
  for (const [at, pem] of saml.certificates.entries()) {
    const problem = certificateProblem(pem)
    if (problem !== undefined) throw new Fault('body.shape', { place: `/settings/certificates/${at}`, problem })
  }
  return saml
}

function fromMetadata({
  kind: _,
  metadata,
  ...more
}: Extract<IdentityProviderInput['settings'], { kind: 'saml_metadata' }>): SamlSettings {
  const parsed = SamlSettings.safeParse({ kind: 'saml', ...more, ...readMetadata(metadata) })
  if (parsed.success) return parsed.data
  const { path, message } = parsed.error.issues[0] ?? { path: [], message: 'are not valid' }
  return refuseMetadata(`cannot be used: ${path.join('/')} ${message}`)
}

function readMetadata(text: string): SamlMetadata {
  try {
    return readSamlMetadata(text)
  } catch (thrown) {
    return refuseMetadata(`cannot be read: ${thrown instanceof Error ? thrown.message.slice(0, 200) : ''}`)
  }
}

const refuseMetadata = (problem: string): never => {
  throw new Fault('body.shape', { place: '/settings/metadata', problem })
}

/** Whose word a provider passes on. */
const sourceOf = (settings: ProviderSettings): string =>
  settings.kind === 'oidc' ? settings.issuer : settings.entity_id

export const hasSameSource = (a: ProviderSettings, b: ProviderSettings): boolean =>
  a.kind === b.kind && sourceOf(a) === sourceOf(b)

/** The claims, or attributes, that contain groups. */
export const groupClaimsOf = (settings: ProviderSettings): readonly string[] =>
  settings.kind === 'oidc' ? settings.group_claims : settings.attributes.groups
