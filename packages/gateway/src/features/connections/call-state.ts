/**
 * The state of a connection, which is the state of what a call of one caller needs: an OAuth app, an account, a credential that its server
 * takes, and a server that responds. Pure, and the only place where it is derived: lists, cards, Home, the wizard and `toolway doctor`
 * show what it says, and a call comes to the same (`oauth/outgoing/credentials/call-credentials.ts`).
 *
 * The last contact alone says little: the tools of a native connector and of an OpenAPI document are known without asking its server
 * anything, and one member's account is nothing to another. What nobody has tried yet is not called connected.
 */
import { authOf, kindOf, runsHere, type ConnectionAuth } from '@toolway/contract'
import type { Connection } from '@toolway/contract/admin'
import type { ConnectionRow } from '../../connections/connections.ts'
import type { CallAccount } from '../../credentials/call-accounts.ts'

export interface CallFacts {
  readonly row: Pick<ConnectionRow, 'settings' | 'enabled' | 'status' | 'status_reason'>
  /** It proves itself by a header of its own. */
  readonly hasOwnHeader: boolean
  /** It sends a header that has the name of a key, such as `X-API-Key`: where its server asks for more, that one is refused. */
  readonly hasOwnKey?: boolean
  /** The caller's and the organization's (`listCallAccounts`). */
  readonly accounts: readonly CallAccount[]
  /** Members with an account of their own that serves, and all members. */
  readonly people: number
  readonly members: number
  /** Whether an OAuth app is there, or none is needed. */
  readonly hasApp: boolean
}

export type CallState = Pick<Connection, 'status' | 'needs' | 'people'> & { readonly reason: string | null }

const state = (status: string, needs: Connection['needs'], reason: string | null) => ({ status, needs, reason })

export function callStateOf(facts: CallFacts): CallState {
  const { row, people, members } = facts
  const auth = facts.hasOwnHeader ? undefined : authOf(row.settings)
  const isPersonal = auth?.owners.includes('member') === true && wantsAccount(auth, facts)
  return { ...derive(facts, auth), people: isPersonal ? { connected: people, members } : null }
}

function derive(facts: CallFacts, auth: ConnectionAuth | undefined) {
  const { row } = facts
  const { status, status_reason: reason } = row
  // The notes of a connected one are hints about its sandbox, which are not for everybody.
  if (!row.enabled) return state('disabled', null, status === 'connected' ? null : reason)
  if (auth === undefined || !wantsAccount(auth, facts))
    return status === 'needs_auth' ? state(status, 'credential', reason) : state(status, null, reason)
  // A program that has no account is started all the same, without its variable.
  if (runsHere(row.settings) && status !== 'needs_auth' && status !== 'connected') return state(status, null, reason)
  const chosen = chosenIn(auth, facts.accounts)
  if (chosen === undefined)
    return facts.hasApp
      ? state('needs_auth', 'account', lackOf(auth, facts))
      : state('needs_auth', 'app', 'No OAuth app is set up for this service, so nobody can sign in there.')
  if (chosen.problem !== null)
    return state(
      'needs_auth',
      'credential',
      `The account "${chosen.account}" must be reconnected: ${withoutStop(chosen.problem)}.`,
    )
  // The gateway's own requests use a shared account: its loss says nothing of the caller's own.
  const isOther = chosen.own && facts.accounts.some(({ own, problem }) => !own && problem !== null)
  if (status === 'needs_auth' && !isOther) return state(status, 'credential', reason)
  const seen = status === 'needs_auth' ? 'connected' : status
  return seen === 'connected' && !chosen.proven && kindOf(row.settings.connector).toolsKnownUnasked === true
    ? state('new', null, null)
    : state(seen, null, reason)
}

/** Whether a call is made with an account: as it is set, or as it has turned out where nobody said. */
const wantsAccount = ({ kind }: ConnectionAuth, { row, accounts, people, hasOwnKey = false }: CallFacts): boolean =>
  kind === 'oauth' ||
  kind === 'key' ||
  (kind === 'auto' && ((row.status === 'needs_auth' && !hasOwnKey) || accounts.length > 0 || people > 0))

/** The one that a call uses that names none (`chooseCredential`). */
function chosenIn({ kind, owners }: ConnectionAuth, accounts: readonly CallAccount[]): CallAccount | undefined {
  const accountKind = kind === 'key' ? 'key' : 'oauth'
  const accountsFor = (isOwn: boolean) =>
    accounts.filter((account) => account.own === isOwn && account.kind === accountKind)
  const own = owners.includes('member') ? accountsFor(true) : []
  return own[0] ?? (owners.includes('organization') ? accountsFor(false)[0] : undefined)
}

function lackOf({ kind, owners }: ConnectionAuth, { people, members }: CallFacts): string {
  const what = kind === 'key' ? 'key' : 'account'
  if (!owners.includes('member')) return `The organization has not connected a shared ${what}.`
  const each = `Each person connects their own ${what} (${people} of ${members})`
  return owners.includes('organization') ? `${each}, or an administrator connects a shared one.` : `${each}.`
}

/** Problems come as sentences of others, with their full stop or without. */
const withoutStop = (problem: string): string => problem.replace(/\.+$/, '')
