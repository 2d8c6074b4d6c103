/** What `toolway connection add` says of how a connection is let in at its server. */
import { ConnectionAuthChange } from '@toolway/contract'
import { CommandFault, EXIT } from '../terminal/output.ts'

export interface AuthWords {
  readonly auth?: string | undefined
  readonly owners?: string | undefined
  readonly accounts?: string | undefined
  readonly scope?: readonly string[] | undefined
  readonly provider?: string | undefined
}

/** Undefined where nothing is said of it. Throws CommandFault. */
export function authOf({
  auth: kind,
  owners,
  accounts,
  scope = [],
  provider,
}: AuthWords): ConnectionAuthChange | undefined {
  const said = {
    ...(kind === undefined ? {} : { kind }),
    ...(owners === undefined ? {} : { owners: owners.split(',').map((owner) => owner.trim()) }),
    ...(accounts === undefined ? {} : { accounts }),
    ...(scope.length === 0 ? {} : { scopes: [...scope] }),
    ...(provider === undefined ? {} : { provider }),
  }
  if (Object.keys(said).length === 0) return undefined
  const parsed = ConnectionAuthChange.safeParse(said)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw new CommandFault(
    `The --${String(issue?.path[0] ?? 'auth')
      .replace(/^kind$/, 'auth')
      .replace(/^scopes$/, 'scope')} of this connection does not fit: ${issue?.message ?? ''}.`,
    EXIT.usage,
  )
}
