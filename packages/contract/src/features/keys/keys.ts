/**
 * Keys over the admin interface (ledger S3-ADM-38 to -40, S0-AUT-11 to -14): those of the platform, of an organization, and one's
 * own. The text of a key is in the answer that makes it, and in that of `revealMyKey`, and in no other.
 */
import { z } from 'zod'
import { Slug } from '../../connections.ts'
import { LIMITS } from '../../effects.ts'
import { ROLES } from '../../roles.ts'
import { inOrganization, listOf, operation, pageOf, platform, signedIn, sortedBy } from '../../admin/operation.ts'

/** The roles that can be requested; the source system calls a member a user. */
const ROLE_NAMES = [...ROLES, 'tenant_user'] as const
const Scope = z.enum(ROLE_NAMES).transform((name) => (name === 'tenant_user' ? 'tenant_member' : name))

/** By which a list of keys can be sorted; `created_at` unless said otherwise. `search`: part of a name, an ending or the email of its member. */
export const KEY_SORTS = ['created_at', 'name', 'last_used_at', 'expires_at'] as const

const Name = z.string().trim().min(1).max(255)

export const Key = z.strictObject({
  id: z.string(),
  name: z.string(),
  /** `uru`: hexadecimal; `scoped`: its beginning says its role. */
  family: z.enum(['uru', 'scoped']),
  /** How its text begins; null for keys that were made before beginnings were kept. */
  prefix: z.string().nullable(),
  /** How its text ends. */
  hint: z.string(),
  /** The most that it may be; a member's key is never more than its member. */
  scope: z.enum(ROLES),
  limit: z.enum(LIMITS),
  toolset: z.string().nullable(),
  /** Whether it was made to call on behalf of members. */
  trusted: z.boolean(),
  /** Whether it may not do so yet, because no platform administrator has allowed it. */
  trust_waits: z.boolean(),
  /** Id of its organization; null for a platform key. */
  tenant_id: z.string().nullable(),
  /** The member whose own key it is; null for keys of an organization or of the platform. */
  user_id: z.string().nullable(),
  /** Email of that member, in lists. */
  user_email: z.string().nullable().optional(),
  /** The interface that created it: the admin interface, the command line, a file, the first run. */
  origin: z.string(),
  created_at: z.iso.datetime(),
  expires_at: z.iso.datetime().nullable(),
  /** Up to a minute old; null while it has not been used. */
  last_used_at: z.iso.datetime().nullable(),
})
export type Key = z.output<typeof Key>

/** A key with its text, which is told once. */
export const MadeKey = Key.extend({ key: z.string() })

/** The fields that every request for a new key may set. */
export const KeyWish = z.strictObject({
  name: Name,
  scope: Scope.default('tenant_member'),
  limit: z.enum(LIMITS).default('execute'),
  toolset: Slug.optional(),
  expires_at: z.iso.datetime({ offset: true }).optional(),
})
export type KeyWish = z.output<typeof KeyWish>

const Family = z.enum(['uru', 'scoped']).default('scoped')
const OrganizationKeyWish = KeyWish.extend({ family: Family, trusted: z.boolean().default(false) })

/** One of the caller's organizations: its id or slug; optional for a caller with only one. */
const Organization = z.string().min(1).max(64).optional()

const KEYS = '/api/v1/auth/keys'
const MY_KEYS = '/api/v1/auth/my-keys'
const TENANT_KEYS = '/api/v1/admin/tenants/{organization}/keys'

export const addPlatformKey = operation({
  id: 'addPlatformKey',
  at: `POST ${KEYS}`,
  summary: 'Create a platform key, or with tenant_id (id or slug) a key of that organization.',
  needs: platform('key_manage'),
  body: OrganizationKeyWish.extend({ tenant_id: z.string().min(1).max(64).nullish() }),
  answer: MadeKey,
  status: 201,
})

export const listPlatformKeys = operation({
  id: 'listPlatformKeys',
  at: `GET ${KEYS}`,
  summary: 'List the keys of the platform and of all organizations.',
  needs: platform('key_manage'),
  query: sortedBy(KEY_SORTS).extend({ tenant_id: z.string().min(1).max(64).optional() }),
  answer: pageOf(Key),
})

export const importKeys = operation({
  id: 'importKeys',
  at: `POST ${KEYS}/import`,
  summary: 'Import keys from another system with their bcrypt hashes, all of them or none.',
  needs: platform('key_manage'),
  body: z.strictObject({
    /** JSON lines of name, hash, prefix, role, limit, organization and expires_at. */
    lines: z.string().max(5_000_000),
  }),
  answer: z.strictObject({ imported: z.int() }),
})

export const trustKey = operation({
  id: 'trustKey',
  at: `POST ${KEYS}/{key}/trust`,
  summary: 'Allow a key that an organization’s administrator made for calls on behalf of members to make such calls.',
  needs: platform('key_manage'),
  answer: Key,
})

export const removePlatformKey = operation({
  id: 'removePlatformKey',
  at: `DELETE ${KEYS}/{key}`,
  summary: 'Revoke a key. All gateways refuse it within a second.',
  needs: platform('key_manage'),
})

export const addOrganizationKey = operation({
  id: 'addOrganizationKey',
  at: `POST ${TENANT_KEYS}`,
  summary: 'Create an organization key. It cannot have more access than its creator.',
  needs: inOrganization('key_manage'),
  body: OrganizationKeyWish,
  answer: MadeKey,
  status: 201,
})

export const listOrganizationKeys = operation({
  id: 'listOrganizationKeys',
  at: `GET ${TENANT_KEYS}`,
  summary: 'List the keys of the organization and of its members, without their values.',
  needs: inOrganization('key_manage'),
  query: sortedBy(KEY_SORTS).extend({ owner: z.enum(['organization', 'member']).optional() }),
  answer: pageOf(Key),
})

export const removeOrganizationKey = operation({
  id: 'removeOrganizationKey',
  at: `DELETE ${TENANT_KEYS}/{key}`,
  summary: 'Revoke a key of the organization or of one of its members.',
  needs: inOrganization('key_manage'),
})

export const listMyKeys = operation({
  id: 'listMyKeys',
  at: `GET ${MY_KEYS}`,
  summary: 'List your own keys.',
  needs: signedIn,
  query: z.strictObject({ organization: Organization }),
  answer: listOf(Key),
})

export const addMyKey = operation({
  id: 'addMyKey',
  at: `POST ${MY_KEYS}`,
  summary:
    'Create a key of your own: a scoped key or, with family uru, your personal key. You can have only one personal key (a request for a second one returns 409).',
  needs: signedIn,
  lasting: true,
  body: KeyWish.partial({ name: true }).extend({ scope: Scope.optional(), family: Family, organization: Organization }),
  answer: MadeKey,
  status: 201,
})

export const regenerateMyKey = operation({
  id: 'regenerateMyKey',
  at: `POST ${MY_KEYS}/regenerate`,
  summary: 'Regenerate your personal key. The old one stops working immediately.',
  needs: signedIn,
  lasting: true,
  body: z.strictObject({ organization: Organization }).optional(),
  answer: MadeKey,
})

export const revealMyKey = operation({
  id: 'revealMyKey',
  at: `POST ${MY_KEYS}/reveal`,
  summary: 'Show your personal key again: within five minutes after signing in, or with your password.',
  needs: signedIn,
  lasting: true,
  body: z.strictObject({ organization: Organization, password: z.string().min(1).max(1024).optional() }).optional(),
  answer: z.strictObject({ id: z.string(), key: z.string() }),
})

export const removeMyKey = operation({
  id: 'removeMyKey',
  at: `DELETE ${MY_KEYS}/{key}`,
  summary: 'Revoke one of your keys.',
  needs: signedIn,
})
