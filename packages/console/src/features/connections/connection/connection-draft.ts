/**
 * A connection as it stands in the form of its settings, what of it is a change, and what that change ends. Pure.
 *
 * Secrets are never in it but as they are typed: what is kept is named, and said to be kept, replaced or taken away.
 */
import type { ConnectionAuth } from '@toolway/contract'
import type { Connection, ConnectionChange } from '@toolway/contract/admin'
import { accessDraftOf, accessWords, type AccessDraft } from '../../../parts/child-access/access-draft.ts'

/** A header or a variable. `kept`: its value stays as it is, unknown to us; `gone`: it is taken away. */
export interface PairDraft {
  readonly id: number
  readonly name: string
  readonly value: string
  readonly state: 'kept' | 'typed' | 'gone'
  /** It was there before. */
  readonly known: boolean
}

export interface Draft {
  readonly title: string
  readonly description: string
  readonly url: string
  readonly private: boolean
  readonly command: string
  /** One on each line. */
  readonly args: string
  /** Of a program: its network, hosts and paths. */
  readonly access: AccessDraft
  readonly pairs: readonly PairDraft[]
  readonly auth: ConnectionAuth | undefined
  readonly revision: Connection['revision']
  readonly checks: Connection['checks']
  readonly timeout: number
}

/** A program without accounts, for which some may be set up. */
const NO_ACCOUNTS: ConnectionAuth = {
  kind: 'none',
  owners: ['member'],
  accounts: 'one',
  brought: false,
  header: 'authorization',
  prefix: '',
}

export function draftOf(connection: Connection): Draft {
  const { header_names: headers, environment_names: names, args } = connection
  return {
    title: connection.title,
    description: connection.description ?? '',
    url: connection.url ?? '',
    private: connection.private,
    command: connection.command ?? '',
    args: (args ?? []).join('\n'),
    access: accessDraftOf(connection),
    pairs: [...headers, ...names].map((name, id) => ({ id, name, value: '', state: 'kept', known: true })),
    auth: connection.auth ?? (connection.command === null ? undefined : NO_ACCOUNTS),
    revision: connection.revision,
    checks: connection.checks,
    timeout: connection.timeout,
  }
}

const same = (first: unknown, other: unknown): boolean => JSON.stringify(first) === JSON.stringify(other)

/** Returns the fields that differ from the stored connection, and no others, so that nothing else is changed. */
export function changeOf(connection: Connection, draft: Draft): ConnectionChange {
  const was = draftOf(connection)
  const { auth } = draft
  const isProcess = connection.command !== null
  const pairs = pairsOf(draft.pairs)
  return {
    ...(draft.title === was.title ? {} : { title: draft.title }),
    ...(draft.description === was.description
      ? {}
      : { description: draft.description === '' ? null : draft.description }),
    ...(draft.url === was.url ? {} : { url: draft.url }),
    ...(draft.private === was.private ? {} : { private: draft.private }),
    ...(draft.command === was.command ? {} : { command: draft.command }),
    ...(draft.args === was.args ? {} : { args: draft.args.split('\n').filter((line) => line !== '') }),
    ...(same(draft.access, was.access) ? {} : accessWords(draft.access)),
    ...(auth === undefined || same(auth, was.auth) ? {} : { auth }),
    ...(draft.revision === was.revision ? {} : { revision: draft.revision }),
    ...(draft.checks === was.checks ? {} : { checks: draft.checks }),
    ...(draft.timeout === was.timeout ? {} : { timeout: draft.timeout }),
    ...(Object.keys(pairs).length === 0 ? {} : isProcess ? { environment: pairs } : { headers: pairs }),
  }
}

const pairsOf = (pairs: readonly PairDraft[]): Record<string, string | null> =>
  Object.fromEntries(
    pairs.flatMap(({ name, value, state, known }): [string, string | null][] => {
      if (name === '' || state === 'kept') return []
      if (state === 'gone') return known ? [[name, null]] : []
      return [[name, value]]
    }),
  )

/** The things that a change ends: accounts end with the address or the authentication method that they were connected for. */
export type Ends = 'accounts' | 'process'

export function endsOf(connection: Connection, change: ConnectionChange): readonly Ends[] {
  const { auth, url, command } = connection
  const moved = change.url !== undefined && originOf(change.url) !== originOf(url ?? '')
  const letIn =
    change.auth !== undefined &&
    (change.auth.kind !== auth?.kind ||
      change.auth.provider !== auth?.provider ||
      change.auth.tenant !== auth?.tenant ||
      change.auth.header !== auth?.header ||
      change.auth.variable !== auth?.variable ||
      change.auth.prefix !== auth?.prefix)
  const runsAnew = command !== null && Object.keys(change).some((name) => !QUIET.has(name))
  return [
    ...(auth !== null && (moved || letIn) ? (['accounts'] as const) : []),
    ...(runsAnew ? (['process'] as const) : []),
  ]
}

const QUIET = new Set(['title', 'description'])

function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : url
}

/** Fields of which what they were is known and may be said again: nothing ended with them. */
const BACK = ['title', 'description', 'revision', 'checks', 'timeout', 'openapi', 'contract'] as const

/** The change that takes a change back; undefined where that would not be the same again. */
export function backOf(connection: Connection, change: ConnectionChange): ConnectionChange | undefined {
  const names = Object.keys(change)
  if (names.length === 0 || names.some((name) => !(BACK as readonly string[]).includes(name))) return undefined
  const { title, description, revision, checks, timeout, openapi, contract } = connection
  const before = {
    ...{ title, description, revision, checks, timeout },
    contract: contract ?? undefined,
    openapi: openapi === null ? undefined : { select: openapi.select, effects: openapi.effects },
  }
  return Object.fromEntries(Object.entries(before).filter(([name]) => names.includes(name)))
}
