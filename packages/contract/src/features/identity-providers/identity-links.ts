/** One's own identities at providers: which of them sign the account in, and how a person adds another one. */
import { z } from 'zod'
import { operation, signedIn } from '../../admin/operation.ts'

const OWN = '/api/v1/auth/identities'

/** A provider that an account can be linked to. */
const LinkProvider = z.strictObject({
  provider: z.string(),
  title: z.string(),
  /** Slug of the organization whose provider it is; null: the installation's. */
  organization: z.string().nullable(),
})
export type LinkProvider = z.output<typeof LinkProvider>

const IdentityLink = LinkProvider.extend({
  linked_at: z.iso.datetime(),
  signed_in_at: z.iso.datetime().nullable(),
  /** Without it, nothing would sign the account in. */
  last: z.boolean(),
})
export type IdentityLink = z.output<typeof IdentityLink>

export const listIdentityLinks = operation({
  id: 'listIdentityLinks',
  at: `GET ${OWN}`,
  summary: 'List the identity providers that your account is linked to, and those that it can be linked to.',
  needs: signedIn,
  answer: z.strictObject({ items: z.array(IdentityLink), offered: z.array(LinkProvider) }),
})

export const beginIdentityLink = operation({
  id: 'beginIdentityLink',
  at: `POST ${OWN}/{provider}/begin`,
  summary: 'Get an address that signs in at an identity provider in this browser and links it to your account.',
  needs: signedIn,
  lasting: true,
  /** To open in the browser of this sign-in within ten minutes. */
  answer: z.strictObject({ url: z.string() }),
})

export const removeIdentityLink = operation({
  id: 'removeIdentityLink',
  at: `DELETE ${OWN}/{provider}`,
  summary: 'Unlink your account from an identity provider, with what came by it. The last way to sign in stays.',
  needs: signedIn,
})
