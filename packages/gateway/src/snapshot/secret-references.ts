/** Secrets that are kept in other places: the places that the settings name, and what refers to them. */
import { ConnectionSecrets, Fault, type ConnectionId } from '@toolway/contract'
import type { ConnectionReferences } from './snapshot.ts'
import type { ConnectionRow } from '../connections/connections.ts'
import type { KeepSnapshots } from './keep-snapshots.ts'
import { sourcesOf } from '../base/secret-sources.ts'
import { INSTALLATION } from './installation.ts'
import { createSecretReferences, type SecretReferences } from '../vault/references/references.ts'
import { hasReference, SecretFault } from '../vault/references/secret-source.ts'
import { connectionSealContext } from '../vault/sealed-columns.ts'
import type { Base } from '../base/base.ts'

export interface SnapshotReferences extends ConnectionReferences {
  /** Read what these connections refer to, before they are opened. */
  prepare(organization: string, connections: readonly ConnectionRow[]): Promise<void>
}

/** The name in place of `{organization}` for what belongs to the whole installation. No slug begins like it. */
const OF_INSTALLATION = '_installation'

export interface SecretReferencesParts {
  /** Reads a variable of the environment. */
  readonly lookup?: ((name: string) => string | undefined) | undefined
  readonly snapshots: () => Pick<KeepSnapshots, 'findAny' | 'signal'>
}

export function startSecretReferences({ config, vault, log, opened }: Base, parts: SecretReferencesParts) {
  const { lookup = () => undefined, snapshots } = parts
  const sources = sourcesOf(config, lookup)
  const references = createSecretReferences({
    sources,
    onChange(slug) {
      // No snapshot holds a secret of the installation.
      if (slug !== OF_INSTALLATION) snapshots().signal(snapshots().findAny({ slug })?.organization.id)
    },
    log,
  })
  opened.defer(() => references.close())
  const slugOf = (id: string) =>
    id === INSTALLATION ? OF_INSTALLATION : (snapshots().findAny({ id })?.organization.slug ?? '')
  const reveal = async (id: string, text: string): Promise<string> => {
    if (!hasReference(text)) return text
    try {
      return await references.resolve(slugOf(id), text)
    } catch (thrown) {
      throw unresolved(thrown, 'the organization')
    }
  }
  const isUsed = Object.keys(sources).length > 0
  return { reveal, ofConnections: createConnectionReferences({ references, isUsed, open: vault.open }) }
}

interface ConnectionReferencesParts {
  readonly references: SecretReferences
  /** Whether there is any place for secrets: without one, nothing is opened to look for references. */
  readonly isUsed: boolean
  open(sealed: Uint8Array, row: string): string
}

/** The changes of a connection's values are counted in this process. */
interface Counted {
  stamp: string
  count: number
}

function createConnectionReferences({ references, isUsed, open }: ConnectionReferencesParts): SnapshotReferences {
  const texts = new Map<ConnectionId, { version: number; texts: readonly string[]; organization: string }>()
  const counted = new Map<ConnectionId, Counted>()

  function textsOf(organization: string, { id, sealed, updated_at }: ConnectionRow): readonly string[] {
    const version = updated_at.getTime()
    const known = texts.get(id)
    if (known?.version === version && known.organization === organization) return known.texts
    const found = sealed === null ? [] : referencesOf(openedOrNone(sealed, id))
    if (found.length > 0 || known !== undefined) texts.set(id, { version, texts: found, organization })
    return found
  }

  function openedOrNone(sealed: Uint8Array, id: ConnectionId): ConnectionSecrets {
    try {
      return ConnectionSecrets.parse(JSON.parse(open(sealed, connectionSealContext(id))))
    } catch {
      // Told by whoever opens it.
      return ConnectionSecrets.parse({})
    }
  }

  return {
    async prepare(organization, connections) {
      if (!isUsed) return
      await references.prepare(
        organization,
        connections.flatMap((connection) => (connection.enabled ? textsOf(organization, connection) : [])),
      )
    },
    resolved(organization, connection, secrets) {
      if (referencesOf(secrets).length === 0) return secrets
      const of = (text: string) => references.current(organization, text)
      try {
        return {
          ...secrets,
          headers: Object.fromEntries(Object.entries(secrets.headers).map(([name, value]) => [name, of(value)])),
          environment: Object.fromEntries(
            Object.entries(secrets.environment).map(([name, value]) => [name, of(value)]),
          ),
          ...(secrets.url === undefined ? {} : { url: of(secrets.url) }),
          ...(secrets.args === undefined ? {} : { args: secrets.args.map(of) }),
          ...(secrets.addresses === undefined
            ? {}
            : {
                addresses: Object.fromEntries(
                  Object.entries(secrets.addresses).map(([name, value]) => [name, of(value)]),
                ),
              }),
        }
      } catch (thrown) {
        throw unresolved(thrown, connection.alias)
      }
    },
    version(connection) {
      const known = texts.get(connection.id)
      if (known === undefined || known.texts.length === 0) return ''
      const stamp = references.stamp(known.organization, known.texts)
      const before = counted.get(connection.id)
      const count = before === undefined ? 0 : before.count + (before.stamp === stamp ? 0 : 1)
      counted.set(connection.id, { stamp, count })
      return `+${String(count).padStart(8, '0')}`
    },
  }
}

const unresolved = (thrown: unknown, whose: string): unknown =>
  thrown instanceof SecretFault
    ? new Fault('secret.unresolved', { connection: whose, problem: thrown.message }, { cause: thrown })
    : thrown

const referencesOf = ({
  headers,
  environment,
  url = '',
  args = [],
  addresses = {},
}: ConnectionSecrets): readonly string[] =>
  [headers, environment, addresses]
    .flatMap(Object.values<string>)
    .concat(url, args)
    .filter(hasReference)
