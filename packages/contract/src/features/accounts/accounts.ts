/**
 * Accounts of connections over the admin interface: what lets us in at a server, for a member or for the organization (ledger U-24).
 *
 * Each member has its own and sees what is shared; who may change connections sees and changes all. A key goes in and never comes out.
 */
import { z } from 'zod'
import { AccountName, Replaces } from '../../connection-auth.ts'
import { Connection } from '../connections/connections.ts'
import { inOrganization, operation, pageOf, Paging } from '../../admin/operation.ts'
import { TENANT } from '../organizations/organizations.ts'

export const ACCOUNT_STATES = ['good', 'expiring', 'failing', 'lost'] as const

export const Account = z.strictObject({
  id: z.string(),
  /** Its name among those of its owner, or its id at a broker. */
  account: z.string().min(1),
  owner: z.enum(['member', 'organization']),
  /** Null for the organization's. */
  user_id: z.string().nullable(),
  /** `broker`: the server of the connection keeps it, as Composio does; nothing of it is stored here. */
  kind: z.enum(['oauth', 'key', 'broker']),
  /** Taken where a call names none. */
  is_default: z.boolean(),
  provider: z.string(),
  /** The identity at the provider, where that is known. */
  name: z.string().nullable(),
  scopes: z.array(z.string()),
  /** `expiring`: it runs out within a day and cannot renew itself; `failing`: its renewal fails for now; `lost`: a person has to connect it anew. */
  state: z.enum(ACCOUNT_STATES),
  problem: z.string().nullable(),
  problem_at: z.iso.datetime().nullable(),
  renewable: z.boolean(),
  expires_at: z.iso.datetime().nullable(),
  /** Null where it is not known here. */
  renewed_at: z.iso.datetime().nullable(),
  /** To within an hour; null: never. */
  used_at: z.iso.datetime().nullable(),
  created_at: z.iso.datetime().nullable(),
})
export type Account = z.output<typeof Account>

const Owner = z.enum(['member', 'organization'])

export const AccountKey = z.strictObject({
  /** Goes in and never comes out. */
  key: z
    .string()
    .trim()
    .regex(/^[\x21-\x7e]{1,8192}$/, 'is not a valid key: at most 8192 visible characters without spaces'),
  account: AccountName.optional(),
  replaces: Replaces.optional(),
  /** `organization`: all members use it. */
  owner: Owner.default('member'),
  /** Try it at the server first, and refuse it where that does not let it in. */
  check: z.boolean().default(false),
})

export const AccountInPlace = Account.extend({
  /** Alias of its connection. */
  connection: z.string(),
  /** The address of the member whose it is; null for the organization's. */
  email: z.string().nullable(),
})
export type AccountInPlace = z.output<typeof AccountInPlace>

/**
 * `needed`: calls wait for an account of one's own, or for a new sign-in; `no_app`: nobody can sign in there yet; `yours` and `shared`: an
 * account that calls use.
 */
export const OWN_ACCOUNT_KINDS = ['needed', 'no_app', 'yours', 'shared'] as const

export const OwnAccount = z.strictObject({
  kind: z.enum(OWN_ACCOUNT_KINDS),
  connection: Connection.pick({
    ...{ id: true, alias: true, title: true, enabled: true, auth: true, needs: true, status_reason: true },
  }),
  /** Null for what is needed and was never connected. */
  account: AccountInPlace.nullable(),
})
export type OwnAccount = z.output<typeof OwnAccount>

export const AccountChange = z
  .strictObject({ account: AccountName, is_default: z.literal(true) })
  .partial()
  .refine((input) => Object.keys(input).length > 0, 'says nothing')

/** The accounts that ended, and the objections of their authorization server: they are ended in the gateway all the same. */
export const AccountsEnded = z.strictObject({ ended: z.array(z.string()), problems: z.array(z.string()) })

export const Reliance = z.strictObject({
  days: z.int(),
  /** Members and keys that called tools of the connection, who called last first. */
  callers: z.array(
    z.strictObject({
      principal: z.string(),
      /** The name of that person or key; null where it is not known any more. */
      name: z.string().nullable(),
      key_id: z.string().nullable(),
      calls: z.int(),
      last_at: z.iso.datetime(),
    }),
  ),
  accounts: z.array(Account),
})

const ACCOUNTS = `${TENANT}/connectors/{connection}/accounts` as const

export const listAccounts = operation({
  id: 'listAccounts',
  at: `GET ${ACCOUNTS}`,
  summary:
    'List the accounts of a connection: all of them if you administer it, otherwise the shared ones and your own.',
  needs: inOrganization('connector_read'),
  query: Paging,
  answer: pageOf(Account),
})
export const listAllAccounts = operation({
  id: 'listAllAccounts',
  at: `GET ${TENANT}/accounts`,
  summary:
    'List the accounts of all connections of an organization: all of them if you administer connections, otherwise the shared ones and your own.',
  needs: inOrganization('connector_read'),
  query: Paging,
  answer: pageOf(AccountInPlace),
})
export const listOwnAccounts = operation({
  id: 'listOwnAccounts',
  at: `GET ${TENANT}/accounts/own`,
  summary:
    'List the accounts that your own calls use at the connections of an organization, and those that they still need, which come first.',
  needs: inOrganization('connector_read'),
  query: Paging.extend({
    kind: z.enum(OWN_ACCOUNT_KINDS).optional(),
    /** Part of the alias or the title of a connection. */
    search: z.string().max(100).optional(),
  }),
  answer: pageOf(OwnAccount).extend({
    /** How many there are of each kind, whatever kind is asked for. */
    by_kind: z.record(z.string(), z.int()),
  }),
})
export const addAccountKey = operation({
  id: 'addAccountKey',
  at: `POST ${ACCOUNTS}`,
  summary: 'Store a key for a connection that uses keys: your own, or a shared one for all members.',
  needs: inOrganization('connector_read'),
  body: AccountKey,
  answer: Account,
  status: 201,
})
export const listReliance = operation({
  id: 'listReliance',
  at: `GET ${ACCOUNTS}/reliance`,
  summary: 'List who uses a connection: callers of its tools in the last 30 days, and the state of its accounts.',
  needs: inOrganization('connector_update'),
  answer: Reliance,
})
export const changeAccount = operation({
  id: 'changeAccount',
  at: `PATCH ${ACCOUNTS}/{account}`,
  summary: 'Rename an account, or make it the default for calls that do not specify one.',
  needs: inOrganization('connector_read'),
  body: AccountChange,
  answer: Account,
})
export const removeAccount = operation({
  id: 'removeAccount',
  at: `DELETE ${ACCOUNTS}/{account}`,
  summary:
    'Disconnect an account: revoke it at its authorization server and delete it from the gateway, even if the revocation fails.',
  needs: inOrganization('connector_read'),
  answer: AccountsEnded,
})
