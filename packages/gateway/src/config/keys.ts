/** The settings of keys and secrets that are kept elsewhere: a key service for the vault key, and the places that references lead to. */
import { z } from 'zod'
import { defineSetting } from './setting.ts'
import { KEY_SERVICE_FORM } from '../vault/key-service/key-service.ts'

const http = z.url({ protocol: /^https?$/, error: 'it must start with http:// or https://' })
const text = z.string().min(1).optional()
/** A place of an organization: what follows its name must be nothing that a slug may go on with. */
const placeSetting = (form: RegExp, problem: string) => z.string().regex(form, `it must be ${problem}`).optional()

export const KEY_SETTINGS = {
  TOOLWAY_KEY_SERVICE: defineSetting(
    z
      .string()
      .regex(
        KEY_SERVICE_FORM,
        'it must be aws-kms:KEY, gcp-kms:projects/…/cryptoKeys/KEY, azure-keyvault:https://NAME.vault.azure.net/keys/KEY or transit:https://HOST:8200/MOUNT/KEY',
      )
      .optional(),
    'Key service that wraps the vault key: aws-kms:KEY, gcp-kms:projects/…/cryptoKeys/KEY, azure-keyvault:https://NAME.vault.azure.net/keys/KEY, or transit:https://HOST:8200/MOUNT/KEY (HashiCorp Vault, OpenBao).',
  ),
  TOOLWAY_KEY_SERVICE_ENDPOINT: defineSetting(
    http.optional(),
    'Private endpoint of AWS KMS or Google Cloud KMS, if not the public one. For Azure Key Vault: sign-in URL of a private cloud.',
  ),
  VAULT_TOKEN: defineSetting(
    text,
    'HashiCorp Vault or OpenBao token, for the key service and for secret references.',
    true,
  ),
  VAULT_NAMESPACE: defineSetting(text, 'HashiCorp Vault or OpenBao namespace.'),
  VAULT_ROLE_ID: defineSetting(text, 'AppRole role ID, instead of VAULT_TOKEN.'),
  VAULT_SECRET_ID: defineSetting(text, 'AppRole secret ID.', true),
  VAULT_KUBERNETES_ROLE: defineSetting(text, 'Vault role for authentication with the pod’s service account.'),
  TOOLWAY_SECRET_FOLDER: defineSetting(
    placeSetting(/^\/(?:[^/{}]+\/)*\{organization\}$/, 'an absolute path that ends with /{organization}'),
    'Folder for secret://file/NAME references, one per organization: /run/secrets/{organization}.',
  ),
  TOOLWAY_SECRET_VARIABLES: defineSetting(
    placeSetting(/^[A-Z][A-Z0-9_]*_\{organization\}__$/, 'a name prefix that ends with _{organization}__'),
    'Variable prefix for secret://env/NAME references: with SECRET_{organization}__, the organization acme reads SECRET_ACME__NAME.',
  ),
  TOOLWAY_SECRET_VAULT: defineSetting(
    placeSetting(
      /^https?:\/\/[\w.:[\]-]+\/[\w-]+\/(?:[\w-]+\/)*\{organization\}$/,
      'https://HOST:8200/MOUNT/ and a path that ends with {organization}',
    ),
    'Path for secret://vault/NAME#FIELD references in HashiCorp Vault or OpenBao: https://HOST:8200/MOUNT/toolway/{organization} (key/value engine, version 2).',
  ),
  TOOLWAY_SECRET_AWS: defineSetting(
    placeSetting(/^[\w/+=.@-]*\{organization\}[/_]$/, 'a name prefix that ends with {organization}/'),
    'Name prefix for secret://aws/NAME references in AWS Secrets Manager: toolway/{organization}/.',
  ),
  TOOLWAY_SECRET_GCP: defineSetting(
    placeSetting(
      /^projects\/[\w:.-]+\/secrets\/[\w-]*\{organization\}_$/,
      'projects/PROJECT/secrets/ and a name prefix that ends with {organization}_',
    ),
    'Name prefix for secret://gcp/NAME references in Google Cloud Secret Manager: projects/PROJECT/secrets/toolway-{organization}_.',
  ),
  TOOLWAY_SECRET_ENDPOINT: defineSetting(
    http.optional(),
    'Private endpoint of AWS Secrets Manager or Google Cloud Secret Manager, if not the public one.',
  ),
} as const

/** The reason why these settings do not fit together; undefined where they do. */
export function keySettingsProblem(config: {
  readonly [Name in keyof typeof KEY_SETTINGS]?: string | undefined
}): string | undefined {
  const { TOOLWAY_KEY_SERVICE: service = '', TOOLWAY_SECRET_VAULT: bao, VAULT_TOKEN: token } = config
  const { VAULT_ROLE_ID: role, VAULT_SECRET_ID: secret, VAULT_KUBERNETES_ROLE: pod } = config
  const asks = service.startsWith('transit:') || bao !== undefined
  if ((role === undefined) !== (secret === undefined))
    return 'VAULT_ROLE_ID and VAULT_SECRET_ID belong together: set both or neither.'
  if (asks && token === undefined && role === undefined && pod === undefined)
    return 'HashiCorp Vault or OpenBao is configured without credentials: set VAULT_TOKEN, VAULT_ROLE_ID and VAULT_SECRET_ID, or VAULT_KUBERNETES_ROLE.'
  return undefined
}
