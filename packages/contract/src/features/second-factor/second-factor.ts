/** Second factors of a person: passkeys, authenticator apps and recovery codes (ADR 0143). */
import { z } from 'zod'
import { anyone, inOrganization, operation, platform, signedIn } from '../../admin/operation.ts'
import { Password, TokenPair } from '../people/auth.ts'
import { PasskeyOptions } from '../people/second-step.ts'

const AUTH = '/api/v1/auth'
const OWN = `${AUTH}/second-factor`

const Base64Url = (most: number) =>
  z
    .string()
    .max(most)
    .regex(/^[\w-]*$/)
const Extensions = z.record(z.string().max(100), z.unknown()).optional()
const Attachment = z.enum(['platform', 'cross-platform']).nullish()

/** What a browser answers to `navigator.credentials.create` (WebAuthn Level 3, section 5.1, `toJSON`). */
export const NewPasskey = z.strictObject({
  id: Base64Url(1400),
  rawId: Base64Url(1400),
  type: z.literal('public-key'),
  authenticatorAttachment: Attachment,
  clientExtensionResults: Extensions,
  response: z.strictObject({
    clientDataJSON: Base64Url(8_192),
    attestationObject: Base64Url(65_536),
    authenticatorData: Base64Url(65_536).optional(),
    publicKey: Base64Url(8_192).nullish(),
    publicKeyAlgorithm: z.int().optional(),
    transports: z.array(z.string().max(32)).max(10).optional(),
  }),
})

/** What a browser answers to `navigator.credentials.get`. */
export const PasskeyAnswer = z.strictObject({
  id: Base64Url(1400),
  rawId: Base64Url(1400),
  type: z.literal('public-key'),
  authenticatorAttachment: Attachment,
  clientExtensionResults: Extensions,
  response: z.strictObject({
    clientDataJSON: Base64Url(8_192),
    authenticatorData: Base64Url(8_192),
    signature: Base64Url(8_192),
    userHandle: Base64Url(128).nullish(),
  }),
})

/** Six digits of an app, or a recovery code. */
const Code = z.string().min(1).max(40)
/** A sealed text of the gateway's, which goes back as it came. */
const Challenge = z.string().min(1).max(8_192)
const Name = z.string().trim().min(1).max(100)

const ProofByCode = z.strictObject({ code: Code })
const ProofByPasskey = z.strictObject({ challenge: Challenge, passkey: PasskeyAnswer })

export const finishLogin = operation({
  id: 'finishLogin',
  at: `POST ${AUTH}/login/second-factor`,
  summary: 'Finish a sign-in with a code or a passkey, when the login asked for a second step.',
  needs: anyone,
  body: z.union([
    z.strictObject({ challenge: Challenge, code: Code, cookies: z.boolean().optional() }),
    z.strictObject({ challenge: Challenge, passkey: PasskeyAnswer, cookies: z.boolean().optional() }),
  ]),
  answer: TokenPair,
})

const SecondFactor = z.strictObject({
  id: z.string(),
  kind: z.enum(['passkey', 'app']),
  name: z.string(),
  /** The passkey is on more than one device of the person; null for apps. */
  synced: z.boolean().nullable(),
  created_at: z.iso.datetime(),
  used_at: z.iso.datetime().nullable(),
})
export type SecondFactor = z.output<typeof SecondFactor>

/** Null where the person still has codes. */
const Codes = z.array(z.string())
const Added = z.strictObject({ second_factor: SecondFactor, recovery_codes: Codes.nullable() })

export const listSecondFactors = operation({
  id: 'listSecondFactors',
  at: `GET ${OWN}`,
  summary: 'List your passkeys and authenticator apps, and how many recovery codes are left.',
  needs: signedIn,
  answer: z.strictObject({
    items: z.array(SecondFactor),
    recovery_codes: z.int(),
    /** The last one cannot be removed. */
    required: z.boolean(),
    /** Passkeys need a public address with a host name. */
    passkeys: z.boolean(),
  }),
})

export const beginPasskey = operation({
  id: 'beginPasskey',
  at: `POST ${OWN}/passkeys/begin`,
  summary: 'Begin to add a passkey: get the options for the browser.',
  needs: signedIn,
  lasting: true,
  answer: z.strictObject({ challenge: z.string(), options: PasskeyOptions }),
})

export const addPasskey = operation({
  id: 'addPasskey',
  at: `POST ${OWN}/passkeys`,
  summary: 'Add a passkey that the browser created. The first second factor comes with recovery codes.',
  needs: signedIn,
  lasting: true,
  body: z.strictObject({ challenge: Challenge, passkey: NewPasskey, name: Name }),
  answer: Added,
  status: 201,
})

export const beginAuthenticatorApp = operation({
  id: 'beginAuthenticatorApp',
  at: `POST ${OWN}/apps/begin`,
  summary: 'Begin to add an authenticator app: get the secret for it.',
  needs: signedIn,
  lasting: true,
  /** `uri` is for a QR code. */
  answer: z.strictObject({ challenge: z.string(), secret: z.string(), uri: z.string() }),
})

export const addAuthenticatorApp = operation({
  id: 'addAuthenticatorApp',
  at: `POST ${OWN}/apps`,
  summary: 'Add an authenticator app, with a code that it shows. The first second factor comes with recovery codes.',
  needs: signedIn,
  lasting: true,
  body: z.strictObject({ challenge: Challenge, code: Code, name: Name }),
  answer: Added,
  status: 201,
})

export const renameSecondFactor = operation({
  id: 'renameSecondFactor',
  at: `PATCH ${OWN}/{factor}`,
  summary: 'Rename one of your passkeys or authenticator apps.',
  needs: signedIn,
  lasting: true,
  body: z.strictObject({ name: Name }),
  answer: SecondFactor,
})

export const removeSecondFactor = operation({
  id: 'removeSecondFactor',
  at: `DELETE ${OWN}/{factor}`,
  summary: 'Remove one of your passkeys or authenticator apps. The last one stays where an organization requires it.',
  needs: signedIn,
})

export const newRecoveryCodes = operation({
  id: 'newRecoveryCodes',
  at: `POST ${OWN}/recovery-codes`,
  summary: 'Create new recovery codes. The previous ones become invalid.',
  needs: signedIn,
  lasting: true,
  answer: z.strictObject({ recovery_codes: Codes }),
  status: 201,
})

export const beginProof = operation({
  id: 'beginProof',
  at: `POST ${AUTH}/proof/begin`,
  summary: 'Show how you can confirm that it is you, and get the options for a passkey.',
  needs: signedIn,
  harmless: true,
  answer: z.strictObject({
    by: z.array(z.enum(['password', 'code', 'passkey'])),
    challenge: z.string().nullable(),
    options: PasskeyOptions.nullable(),
  }),
})

export const proveAgain = operation({
  id: 'proveAgain',
  at: `POST ${AUTH}/proof`,
  summary: 'Confirm that it is you, for actions that need a recent proof.',
  needs: signedIn,
  lasting: true,
  body: z.union([z.strictObject({ password: Password }), ProofByCode, ProofByPasskey]),
})

export const resetSecondFactor = operation({
  id: 'resetSecondFactor',
  at: 'DELETE /api/v1/admin/users/{user}/second-factor',
  summary: 'Remove all second factors of a user and end their sign-ins.',
  needs: platform('user_manage'),
})

export const resetMemberSecondFactor = operation({
  id: 'resetMemberSecondFactor',
  at: 'DELETE /api/v1/admin/tenants/{organization}/members/{user}/second-factor',
  summary: 'Remove all second factors of a member who belongs to this organization only, and end their sign-ins.',
  needs: inOrganization('user_manage'),
})
