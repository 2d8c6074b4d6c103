/**
 * Ways to connect an account, over the admin interface: a link for a person's browser, and the source system's routes for vendors
 * (ledger S3-OAU-01; connectors.md, section 7, rows 51, 55 and 59).
 *
 * An address of a vendor is only given to a browser, which gets the cookie of its flow with it; a program gets a link of ours, at which
 * a person has to sign in as whom it is for.
 */
import { z } from 'zod'
import { AccountName, ProviderName, Replaces } from '../../connection-auth.ts'
import { CONNECTION } from '../connections/connections.ts'
import { anyone, inOrganization, operation, signedIn } from '../../admin/operation.ts'

const Owner = z.enum(['member', 'organization'])

export const ConnectWords = z.strictObject({
  /** The owner of the new account; absent: the caller, or the organization where the caller is not a member. */
  owner: Owner.optional(),
  account: AccountName.optional(),
  replaces: Replaces.optional(),
  /** To be asked for besides what is asked for anyway. */
  scopes: z.array(z.string().min(1).max(200)).max(100).optional(),
})

export const ConnectLink = z.strictObject({
  url: z.url(),
  /** To ask with how it went, once (`readConnectSession`); a key that is entered at the link is not told there. */
  session_id: z.string(),
  expires_at: z.iso.datetime(),
  owner: Owner,
})

export const linkConnection = operation({
  id: 'linkConnection',
  at: `POST ${CONNECTION}/link`,
  summary: 'Create a link that lets a person connect an account or enter a key within ten minutes.',
  needs: inOrganization('connector_read'),
  body: ConnectWords.optional(),
  answer: ConnectLink,
})

const Begun = z.strictObject({
  /** Where the person's browser goes. */
  authorization_url: z.url(),
  /** To ask with how it went, once. */
  session_id: z.string(),
  expires_at: z.iso.datetime(),
})

const OAuthRedirect = z.strictObject({
  owner: Owner.optional(),
  account: AccountName.optional(),
  replaces: Replaces.optional(),
  /** One connection (alias or id) instead of all that use the vendor. */
  connection: z.string().min(1).max(100).optional(),
  /** Where the browser goes in the end: a program of the same machine, `http://127.0.0.1:…`. */
  custom_redirect_uri: z.string().max(2_000).optional(),
  /** Handed back there as `state`. */
  custom_state: z.string().max(500).optional(),
})

export const beginProviderAuth = operation({
  id: 'beginProviderAuth',
  at: 'GET /api/v1/oauth/{organization}/auth/{provider}',
  summary: 'Start connecting an account with a provider: returns a link for the person, or redirects a browser.',
  needs: inOrganization('connector_read'),
  query: OAuthRedirect,
  answer: Begun,
})

export const beginOwnProviderAuth = operation({
  id: 'beginOwnProviderAuth',
  at: 'POST /api/v1/oauth/{provider}/auth',
  summary:
    'Start connecting an account with a provider in the caller’s own organization. A signed-in browser receives the provider’s address.',
  needs: signedIn,
  body: OAuthRedirect.extend({ organization: z.string().min(1).max(100).optional() }).optional(),
  answer: Begun,
})

export const listProviders = operation({
  id: 'listProviders',
  at: 'GET /api/v1/oauth/providers',
  summary: 'List the known providers. Signed-in users also see which ones are configured.',
  needs: anyone,
  answer: z.strictObject({
    items: z.array(
      z.strictObject({
        id: ProviderName,
        name: z.string(),
        scopes: z.array(z.string()),
        documentation: z.url(),
        /** Null for strangers. */
        configured: z.boolean().nullable(),
      }),
    ),
  }),
})

export const readConnectSession = operation({
  id: 'readConnectSession',
  at: 'GET /api/v1/oauth/cli-sessions/{session}',
  summary:
    'Get the result of an attempt by this caller to connect an account. It is available only once, within five minutes of completion.',
  needs: signedIn,
  answer: z.strictObject({
    status: z.enum(['pending', 'success', 'error']),
    provider: z.string().nullable(),
    connection: z.string().nullable(),
    /** Why not, in a sentence's code. */
    error: z.string().nullable(),
    /** The reason that the authorization server gave. */
    reason: z.string().nullable(),
  }),
})

/** Served beside the others, as what is signed are the bytes of the body. */
export const hearBroker = operation({
  id: 'hearBroker',
  at: 'POST /api/v1/organizations/{organization}/connections/{connection}/events',
  summary:
    'Receive an event from the server that stores users’ accounts, such as an expired account. The event must be signed with the connection’s webhook secret (headers `webhook-id`, `webhook-timestamp`, `webhook-signature`) and sent within five minutes.',
  needs: anyone,
  body: z.looseObject({ type: z.string().max(200) }),
  answer: z.strictObject({
    /** False for an event that nothing is done about here. */
    taken: z.boolean(),
  }),
})
