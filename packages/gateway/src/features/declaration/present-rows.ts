/** The state of an organization as a start compares it with its declaration: read in the transaction that changes it. */
import { ConnectionSecrets, isOpenApi } from '@toolway/contract'
import { listConnections, type ConnectionRow } from '../../connections/connections.ts'
import { findDocument, unpackDocument } from '../../connections/openapi-documents.ts'
import type { OrgSql, SystemSql } from '../../db/db.ts'
import type { OrganizationRow } from '../../organizations/organizations.ts'
import { identityProviderSealContext } from '../../vault/sealed-columns.ts'
import { listDomains, listProviders, settingsOf } from '../identity-providers/index.ts'
import { listGroups } from '../../organizations/groups.ts'
import { listOrganizationRules } from '../../policy/stored/organization-rules.ts'
import { settingsSealContext } from '../../snapshot/snapshot.ts'
import { listToolsets } from '../../toolsets/toolsets.ts'
import type { Vault } from '../../vault/vault.ts'
import { withMembers } from '../people/index.ts'
import { toOrganizationRule } from '../rules/index.ts'
import { listWebhooks } from '../webhooks/index.ts'
import type { KnownProvider } from './plan-sign-in.ts'
import type { KnownConnection, KnownContent } from './present.ts'

export async function readContent(
  sql: OrgSql,
  vault: Pick<Vault, 'open'>,
  { id: organizationId }: Pick<OrganizationRow, 'id'>,
): Promise<KnownContent> {
  const connections: KnownConnection[] = []
  for (const row of await listConnections(sql)) connections.push(await knownConnection(sql, vault, row))
  const groups = await listGroups(sql)
  return {
    connections,
    toolsets: await listToolsets(sql),
    groups: groups.length === 0 ? [] : await withMembers(sql, groups),
    rules: (await listOrganizationRules(sql)).map(toOrganizationRule),
    webhooks: await listWebhooks(sql),
    identityProviders: await readProviders(sql, vault, organizationId),
    identityDomains: await listDomains(sql),
  }
}

/** Of an organization, or of the installation. */
export async function readProviders(
  sql: OrgSql | SystemSql,
  vault: Pick<Vault, 'open'>,
  owner: string,
): Promise<KnownProvider[]> {
  return (await listProviders(sql, owner)).map((row) => {
    const { id, slug, title, enabled, private: reach, origin, sealed_secret: sealed } = row
    return {
      ...{ slug, title, enabled, private: reach, origin, settings: settingsOf(row), has_secret: sealed !== null },
      isSecret: (secret) => sealed !== null && vault.open(sealed, identityProviderSealContext(id)) === secret,
    }
  })
}

async function knownConnection(
  sql: OrgSql,
  vault: Pick<Vault, 'open'>,
  { id, alias, origin, settings, sealed, trusted, tool_lock: lock }: ConnectionRow,
): Promise<KnownConnection> {
  const secrets = ConnectionSecrets.parse(
    sealed === null ? {} : JSON.parse(vault.open(sealed, settingsSealContext(id))),
  )
  const isGiven = isOpenApi(settings) && settings.document === undefined
  const stored = isGiven ? await findDocument(sql, id) : undefined
  return {
    ...{ alias, origin, connector: settings.connector, trusted, lock },
    private: 'private' in settings && settings.private,
    header_names: Object.keys(secrets.headers),
    environment_names: Object.keys(secrets.environment),
    document: stored === undefined ? undefined : await unpackDocument(stored.packed),
  }
}
