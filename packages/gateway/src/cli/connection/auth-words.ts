/** The options of `toolway connection add` that say how a connection is let in at its server. */
import { ConnectionAuthChange } from '@toolway/contract'
import { Option } from 'commander'
import { CommandFault, EXIT } from '../terminal/output.ts'

export interface AuthWords {
  readonly auth?: string | undefined
  readonly owners?: string | undefined
  readonly accounts?: string | undefined
  readonly scope?: readonly string[] | undefined
  readonly provider?: string | undefined
  readonly tenant?: string | undefined
  readonly accountVariable?: string | undefined
}

const collect = (value: string, before: string[] = []) => [...before, value]

export const AUTH_OPTIONS = [
  new Option('--auth <kind>', 'authentication: oauth (people connect an account), key, none, or auto').choices([
    ...['auto', 'none', 'oauth', 'key'],
  ]),
  new Option('--owners <owners>', 'who can own an account: member, organization, or both, separated by a comma'),
  new Option('--accounts <number>', 'maximum number of accounts per member').choices(['one', 'many']),
  new Option('--scope <scope>', 'OAuth scope to request instead of those that the server specifies; can be repeated')
    .argParser(collect)
    .default([]),
  new Option('--provider <name>', 'vendor whose OAuth the connection uses, such as github'),
  new Option('--tenant <id>', 'Microsoft Entra directory whose accounts are connected, by its ID or a domain'),
  new Option(
    '--account-variable <name>',
    'for a server that the gateway starts: environment variable that contains the key or token of the calling account; each account gets its own process',
  ),
]

/** Undefined where nothing is said of it. Throws CommandFault. */
export function authOf({
  auth: kind,
  owners,
  accounts,
  scope = [],
  provider,
  tenant,
  accountVariable: variable,
}: AuthWords): ConnectionAuthChange | undefined {
  const auth = {
    ...(kind === undefined ? {} : { kind }),
    ...(owners === undefined ? {} : { owners: owners.split(',').map((owner) => owner.trim()) }),
    ...(accounts === undefined ? {} : { accounts }),
    ...(scope.length === 0 ? {} : { scopes: [...scope] }),
    ...(provider === undefined ? {} : { provider }),
    ...(tenant === undefined ? {} : { tenant }),
    ...(variable === undefined ? {} : { variable }),
  }
  if (Object.keys(auth).length === 0) return undefined
  const parsed = ConnectionAuthChange.safeParse(auth)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw new CommandFault(
    `The value of --${String(issue?.path[0] ?? 'auth')
      .replace(/^kind$/, 'auth')
      .replace(/^scopes$/, 'scope')
      .replace(/^variable$/, 'account-variable')} is not valid: ${issue?.message ?? ''}.`,
    EXIT.usage,
  )
}
