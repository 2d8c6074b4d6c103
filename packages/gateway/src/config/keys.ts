/** The settings of keys and secrets that are kept elsewhere: a key service for the vault key, and the places that references lead to. */
import { z } from 'zod'
import { setting } from './setting.ts'
import { KEY_SERVICE_FORM } from '../vault/key-service/key-service.ts'

const http = z.url({ protocol: /^https?$/, error: 'it must start with http:// or https://' })
const text = z.string().min(1).optional()
/** A place of an organization: what follows its name must be nothing that a slug may go on with. */
const place = (form: RegExp, problem: string) => z.string().regex(form, `it must be ${problem}`).optional()

export const KEY_SETTINGS = {
  TOOLWAY_KEY_SERVICE: setting(
    z
      .string()
      .regex(
        KEY_SERVICE_FORM,
        'it must be aws-kms:KEY, gcp-kms:projects/…/cryptoKeys/KEY, azure-keyvault:https://NAME.vault.azure.net/keys/KEY or transit:https://HOST:8200/MOUNT/KEY',
      )
      .optional(),
    'Key service that wraps the vault key: aws-kms:KEY, gcp-kms:projects/…/cryptoKeys/KEY, azure-keyvault:https://NAME.vault.azure.net/keys/KEY, or transit:https://HOST:8200/MOUNT/KEY (HashiCorp Vault, OpenBao).',
  ),
  TOOLWAY_KEY_SERVICE_ENDPOINT: setting(
    http.optional(),
    'Address of AWS KMS or Google Cloud KMS, where it is another than the public one (a private endpoint); for Azure Key Vault that of the sign-in of a private cloud.',
  ),
  VAULT_TOKEN: setting(text, 'Token at HashiCorp Vault or OpenBao, for the key service and for secrets there.', true),
  VAULT_NAMESPACE: setting(text, 'Namespace at HashiCorp Vault or OpenBao.'),
  VAULT_ROLE_ID: setting(text, 'Role of the AppRole sign-in there, in place of VAULT_TOKEN.'),
  VAULT_SECRET_ID: setting(text, 'Secret of the AppRole sign-in there.', true),
  VAULT_KUBERNETES_ROLE: setting(text, 'Role of the sign-in there with the service account of the pod.'),
  TOOLWAY_SECRET_FOLDER: setting(
    place(/^\/(?:[^/{}]+\/)*\{organization\}$/, 'an absolute path that ends with /{organization}'),
    'Folder of secrets that secret://file/NAME refers to, one for each organization: /run/secrets/{organization}.',
  ),
  TOOLWAY_SECRET_VARIABLES: setting(
    place(/^[A-Z][A-Z0-9_]*_\{organization\}__$/, 'a beginning of names that ends with _{organization}__'),
    'Variables that secret://env/NAME refers to: SECRET_{organization}__ makes it SECRET_ACME__NAME for the organization acme.',
  ),
  TOOLWAY_SECRET_VAULT: setting(
    place(
      /^https?:\/\/[\w.:[\]-]+\/[\w-]+\/(?:[\w-]+\/)*\{organization\}$/,
      'https://HOST:8200/MOUNT/ and a path that ends with {organization}',
    ),
    'Secrets in HashiCorp Vault or OpenBao that secret://vault/NAME#FIELD refers to: https://HOST:8200/MOUNT/toolway/{organization} (key/value engine, version 2).',
  ),
  TOOLWAY_SECRET_AWS: setting(
    place(/^[\w/+=.@-]*\{organization\}[/_]$/, 'a beginning of names that ends with {organization}/'),
    'Secrets in AWS Secrets Manager that secret://aws/NAME refers to, by the beginning of their names: toolway/{organization}/.',
  ),
  TOOLWAY_SECRET_GCP: setting(
    place(
      /^projects\/[\w:.-]+\/secrets\/[\w-]*\{organization\}_$/,
      'projects/PROJECT/secrets/ and a beginning that ends with {organization}_',
    ),
    'Secrets in Google Cloud Secret Manager that secret://gcp/NAME refers to: projects/PROJECT/secrets/toolway-{organization}_.',
  ),
  TOOLWAY_SECRET_ENDPOINT: setting(
    http.optional(),
    'Address of the secret manager of AWS or Google Cloud, where it is another than the public one.',
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
    return 'VAULT_ROLE_ID and VAULT_SECRET_ID belong together: set both, or none.'
  if (asks && token === undefined && role === undefined && pod === undefined)
    return 'HashiCorp Vault or OpenBao is set without a way to sign in there: set VAULT_TOKEN, VAULT_ROLE_ID and VAULT_SECRET_ID, or VAULT_KUBERNETES_ROLE.'
  return undefined
}
