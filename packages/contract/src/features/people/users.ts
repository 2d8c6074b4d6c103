/** People of the whole installation; platform administrators keep them. */
import { z } from 'zod'
import { Email, Password, PersonName } from './auth.ts'
import { Flag, operation, pageOf, platform, sortedBy } from '../../admin/operation.ts'

const USERS = '/api/v1/admin/users'

export const USER_SORTS = ['email', 'name', 'created_at', 'signed_in_at', 'last_seen_at'] as const

/** How somebody came: with a password or an invitation, by an identity provider, or by SCIM in any organization. */
export const USER_SOURCES = ['local', 'provider', 'scim'] as const

export const User = z.strictObject({
  id: z.string(),
  email: z.string(),
  name: z.string(),
  provider: z.string(),
  platform_admin: z.boolean(),
  is_active: z.boolean(),
  created_at: z.iso.datetime(),
  signed_in_at: z.iso.datetime().nullable(),
})
export type User = z.output<typeof User>

export const ListedUser = User.extend({
  source: z.enum(USER_SOURCES),
  /** The last use of a sign-in. */
  last_seen_at: z.iso.datetime().nullable(),
})
export type ListedUser = z.output<typeof ListedUser>

/** A one-time code with which a person chooses a password at /sign-in/code. */
export const PasswordCode = z.strictObject({ code: z.string(), expires_at: z.iso.datetime() })

export const listUsers = operation({
  id: 'listUsers',
  at: `GET ${USERS}`,
  summary: 'List the users of this installation, by email unless sorted otherwise.',
  needs: platform('user_manage'),
  /** `search`: part of an email or a name. */
  query: sortedBy(USER_SORTS).extend({
    is_active: Flag.optional(),
    platform_admin: Flag.optional(),
    source: z.enum(USER_SOURCES).optional(),
    /** A slug: only members of that organization. */
    organization: z.string().min(1).max(64).optional(),
    seen_after: z.iso.datetime().optional(),
    /** People who were never seen are among them. */
    seen_before: z.iso.datetime().optional(),
  }),
  answer: pageOf(ListedUser),
})

export const addUser = operation({
  id: 'addUser',
  at: `POST ${USERS}`,
  summary: 'Add a user. If no password is given, the response contains a one-time code to set one.',
  needs: platform('user_manage'),
  body: z.strictObject({
    email: Email,
    name: PersonName.optional(),
    platform_admin: z.boolean().optional(),
    password: Password.optional(),
  }),
  /** The invitation is null where a password was given. */
  answer: z.strictObject({ user: User, invitation: PasswordCode.nullable() }),
  status: 201,
})

export const changeUser = operation({
  id: 'changeUser',
  at: `PATCH ${USERS}/{user}`,
  summary: 'Update a user: name, whether they may sign in, whether they administer the platform.',
  needs: platform('user_manage'),
  body: z.strictObject({
    name: PersonName.optional(),
    is_active: z.boolean().optional(),
    platform_admin: z.boolean().optional(),
  }),
  answer: User,
})

export const removeUser = operation({
  id: 'removeUser',
  at: `DELETE ${USERS}/{user}`,
  summary: 'Delete a user with their memberships, keys and sign-ins.',
  needs: platform('user_manage'),
})

export const addPasswordCode = operation({
  id: 'addPasswordCode',
  at: `POST ${USERS}/{user}/password-code`,
  summary: 'Create a one-time code that lets a user set a new password.',
  needs: platform('user_manage'),
  answer: PasswordCode,
  status: 201,
})

export const setPassword = operation({
  id: 'setPassword',
  at: `PUT ${USERS}/{user}/password`,
  summary: 'Set a new password for a user. All their sign-ins end.',
  needs: platform('user_manage'),
  body: z.strictObject({ password: Password }),
})

export const addSetUpCode = operation({
  id: 'addSetUpCode',
  at: `POST ${USERS}/set-up-code`,
  summary: 'Create a new setup code for the first user. The previous one becomes invalid.',
  needs: platform('user_manage'),
  answer: z.strictObject({ code: z.string() }),
  status: 201,
})
