/** Signing in over HTTP: tokens for programs, cookies for browsers (ledger S0-AUT, U-02, U-03). */
import { z } from 'zod'
import { LIMITS } from '../../effects.ts'
import { SecondStep } from './second-step.ts'
import { ROLES } from '../../roles.ts'
import { anyone, listOf, operation, signedIn } from '../../admin/operation.ts'

const AUTH = '/api/v1/auth'

export const Email = z.email().max(254)
export const PersonName = z.string().trim().min(1).max(100)
export const Password = z.string().min(1).max(1024)

export const Person = z.strictObject({
  id: z.string(),
  email: z.string(),
  name: z.string(),
  platform_admin: z.boolean(),
})

/** How tokens are wanted: for one organization (slug or id), and in cookies that scripts cannot read instead of the answer. */
const signInOptions = { organization: z.string().min(1).max(64).optional(), cookies: z.boolean().optional() }

export const TokenPair = z.strictObject({
  token_type: z.literal('Bearer'),
  /** Absent where cookies were asked for. */
  access_token: z.string().optional(),
  refresh_token: z.string().optional(),
  /** Seconds. */
  expires_in: z.int(),
  refresh_expires_in: z.int(),
  /** The organization that the tokens are bound to. */
  organization: z.string().nullable(),
  user: Person,
})
export type TokenPair = z.output<typeof TokenPair>

export const Whoami = z.strictObject({
  kind: z.enum(['user', 'key', 'operator']),
  id: z.string(),
  user: Person.nullable(),
  /** The only organization that may be addressed; null for all that are listed below. */
  organization: z.string().nullable(),
  limit: z.enum(LIMITS),
  /** The role in each organization. */
  organizations: z.array(z.strictObject({ id: z.string(), slug: z.string(), name: z.string(), role: z.enum(ROLES) })),
})
export type Whoami = z.output<typeof Whoami>

export const SignInEntry = z.strictObject({
  id: z.string(),
  client: z.string(),
  organization: z.string().nullable(),
  current: z.boolean(),
  /** RFC 8176. */
  methods: z.array(z.string()),
  /** The network address that it was used from last. */
  address: z.string().nullable(),
  created_at: z.iso.datetime(),
  used_at: z.iso.datetime(),
  expires_at: z.iso.datetime(),
})

export const verifyAuth = operation({
  id: 'verifyAuth',
  at: `POST ${AUTH}/verify`,
  summary: 'Show who the key or token of this request belongs to, and its permissions.',
  needs: signedIn,
  answer: Whoami,
  harmless: true,
})

export const showMe = operation({
  id: 'showMe',
  at: `GET ${AUTH}/me`,
  summary: 'Show the caller, and their role in each organization.',
  needs: signedIn,
  answer: Whoami,
})

export const register = operation({
  id: 'register',
  at: `POST ${AUTH}/register`,
  summary: 'Register the first user of an installation, with the setup code shown at its first start.',
  needs: anyone,
  body: z.strictObject({
    setup_code: z.string().min(1).max(100),
    email: Email,
    name: PersonName,
    password: Password,
    ...signInOptions,
  }),
  answer: TokenPair,
  status: 201,
})

export const login = operation({
  id: 'login',
  at: `POST ${AUTH}/login`,
  summary:
    'Sign in with an email address and password, or with a token from the identity provider. A person with a second factor is asked for it.',
  needs: anyone,
  body: z.union([
    z.strictObject({ email: z.string().min(1).max(254), password: Password, ...signInOptions }),
    z.strictObject({ provider_token: z.string().min(1).max(16_384), ...signInOptions }),
  ]),
  answer: z.union([TokenPair, SecondStep]),
})

export const refresh = operation({
  id: 'refresh',
  at: `POST ${AUTH}/refresh`,
  summary: 'Exchange a refresh token or its cookie for a new pair of tokens. Each refresh token can be used only once.',
  needs: anyone,
  body: z.strictObject({ refresh_token: z.string().min(1).max(200) }).optional(),
  answer: TokenPair,
})

export const logout = operation({
  id: 'logout',
  at: `POST ${AUTH}/logout`,
  summary: 'Sign out: revoke the refresh token (or the one in the cookie) and all access tokens from the same sign-in.',
  needs: anyone,
  body: z.strictObject({ refresh_token: z.string().min(1).max(200) }).optional(),
})

export const changePassword = operation({
  id: 'changePassword',
  at: `POST ${AUTH}/password`,
  summary: 'Change your own password. All your other sign-ins end.',
  needs: signedIn,
  lasting: true,
  body: z.strictObject({ current_password: Password, new_password: Password }),
  answer: TokenPair,
})

export const choosePassword = operation({
  id: 'choosePassword',
  at: `POST ${AUTH}/password-code`,
  summary: 'Set a password with a one-time code from an administrator.',
  needs: anyone,
  body: z.strictObject({ code: z.string().min(1).max(100), password: Password }),
})

export const findCodeOwner = operation({
  id: 'findCodeOwner',
  at: `POST ${AUTH}/password-code/owner`,
  summary: 'Show whose account a one-time code is for, without using the code.',
  needs: anyone,
  body: z.strictObject({ code: z.string().min(1).max(100) }),
  answer: z.strictObject({ email: z.string() }),
  reads: true,
})

export const listSignIns = operation({
  id: 'listSignIns',
  at: `GET ${AUTH}/sign-ins`,
  summary: 'List your active sign-ins.',
  needs: signedIn,
  answer: listOf(SignInEntry),
})

export const endSignIns = operation({
  id: 'endSignIns',
  at: `DELETE ${AUTH}/sign-ins`,
  summary: 'End all your other sign-ins, those of MCP clients included.',
  needs: signedIn,
  answer: z.strictObject({ ended: z.int() }),
  status: 200,
})

export const endSignIn = operation({
  id: 'endSignIn',
  at: `DELETE ${AUTH}/sign-ins/{id}`,
  summary: 'End one of your sign-ins.',
  needs: signedIn,
})
