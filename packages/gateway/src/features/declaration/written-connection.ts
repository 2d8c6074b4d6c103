/**
 * A connection as a declaration file writes it. Secrets become references to environment variables; members that have their default
 * are left out, so that the same state is always the same text.
 */
import {
  type Backend,
  BACKENDS,
  type BackendWords,
  backendWordsOf,
  ConnectionAuth,
  firstLockOf,
  kindOf,
} from '@toolway/contract'
import { CONNECTORS } from '@toolway/connectors'
import type { Connection } from '@toolway/contract/admin'
import { isDeepStrictEqual } from 'node:util'
import { namesPrivate } from '../../kinds/remote.ts'
import { MASK } from '@toolway/contract/secret-marks'
import type { PresentConnection } from './present.ts'
import { without } from './without.ts'

/** Gives the reference that stands in the file for a secret: of a connection, and of one of its values by name. */
export type Refer = (...names: readonly string[]) => { readonly env: string }

/** Named where neither `url` nor `command` tells the kind. */
const typeOf = ({ connector }: Connection): string | undefined => (kindOf(connector).speaksMcp ? undefined : connector)

export function writtenConnection(connection: PresentConnection, rules: readonly object[], refer: Refer): object {
  const { alias, connector, title, description, enabled, revision, checks, timeout } = connection
  return without(
    {
      type: typeOf(connection),
      title,
      description: description ?? undefined,
      enabled,
      trusted: connection.trusted,
      lock: connection.lock,
      ...openApi(connection, refer),
      ...server(connection, refer),
      revision,
      checks,
      timeout,
      rules: rules.length === 0 ? undefined : rules,
    },
    {
      ...{
        title: alias,
        enabled: true,
        trusted: false,
        lock: firstLockOf(connector),
        revision: 'auto',
        checks: 'none',
      },
      timeout: kindOf(connector).timeout,
    },
  )
}

const nonEmptyList = (all: readonly string[] | null) => (all === null || all.length === 0 ? undefined : all)

/** Gives a text as it is, or a reference where it is masked. */
const visibleWith =
  (refer: Refer, alias: string) =>
  (text: string, ...names: readonly string[]) =>
    text.includes(MASK) ? refer(alias, ...names) : text

/** Where it is, and what it is given to be let in. */
function server(connection: PresentConnection, refer: Refer): object {
  const { alias, url, command, args, programs, network, allow_hosts: hosts, allow_paths: paths } = connection
  const visible = visibleWith(refer, alias)
  const references = (names: readonly string[]) =>
    names.length === 0 ? undefined : Object.fromEntries(names.toSorted().map((name) => [name, refer(alias, name)]))
  if (command !== null) {
    const words = (args ?? []).map((arg, at) => visible(arg, 'arg', String(at + 1)))
    return {
      command,
      args: words.length === 0 ? undefined : words,
      programs: nonEmptyList(programs),
      ...{ network: network === 'public' ? undefined : network, allow_hosts: nonEmptyList(hosts) },
      allow_paths: nonEmptyList(paths),
      environment: references(connection.environment_names),
      auth:
        connection.auth === null
          ? undefined
          : without(connection.auth, ConnectionAuth.parse({ kind: 'key', prefix: '' })),
    }
  }
  return {
    vendor: connection.native?.vendor,
    source: connection.native?.source ?? undefined,
    scopes_for: connection.native?.scopes_for === 'execute' ? undefined : connection.native?.scopes_for,
    url: url === null || isOwnAddress(connection) ? undefined : visible(url, 'url'),
    private: connection.private === impliedPrivate(connection) ? undefined : connection.private,
    headers: references(connection.header_names),
    auth: connection.auth === null ? undefined : nonEmpty(without(connection.auth, ConnectionAuth.parse({}))),
    ...backendWords(connection, refer),
  }
}

/** A native connector of the product, at its vendor. A connector of one's own always says where its requests go. */
const isOwnAddress = ({ native, url }: Pick<Connection, 'native' | 'url'>): boolean =>
  native !== null && !native.supplied && url === CONNECTORS[native.vendor]?.address

/** Whether its main address names a private place in so many words; a further one is judged by itself. */
export const impliedPrivate = ({ url }: Pick<Connection, 'url'>): boolean => namesPrivate(url ?? '')

function openApi({ alias, openapi, document }: PresentConnection, refer: Refer): object {
  if (openapi === null) return {}
  const { select, effects, key, document: address } = openapi
  const text = document === undefined ? undefined : { text: document }
  return {
    document: address === null ? text : visibleWith(refer, alias)(address, 'document'),
    select: nonEmpty(without(select, { exclude: [] })),
    effects: nonEmpty(effects),
    key: key ?? undefined,
  }
}

const SOMEWHERE = 'https://backend.invalid'

/** Returns the default settings that only that kind of backend has. */
export function backendDefaultsOf<Name extends Backend>(connector: Name): BackendWords<Name> {
  const { settings } = kindOf(connector)
  return backendWordsOf(connector, settings.parse({ connector, url: SOMEWHERE }))
}

function backendWords(connection: PresentConnection, refer: Refer): object {
  const kind = BACKENDS.find(({ connector }) => connector === connection.connector)
  const words = kind && connection[kind.own.member]
  if (kind === undefined || words === null || words === undefined) return {}
  const visible = visibleWith(refer, connection.alias)
  return Object.fromEntries(
    Object.entries(without(words, backendDefaultsOf(kind.connector))).map(([name, value]) => [
      name,
      name in kind.addresses && typeof value === 'string' ? visible(value, name) : value,
    ]),
  )
}

const nonEmpty = (value: object): object | undefined => (isDeepStrictEqual(value, {}) ? undefined : value)
