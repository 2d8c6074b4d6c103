/**
 * The document of a connection, ready for its calls: the one that is kept, else the one at its address, which is then kept.
 *
 * Nothing here holds a caller or a credential: a document is fetched without one.
 */
import { isOpenApi, Fault, type OpenApiSettings } from '@toolway/contract'
import type { ConnectionRow } from '../../connections/connections.ts'
import { findDocument, packDocument, putDocument, unpackDocument } from '../../connections/openapi-documents.ts'
import type { Db } from '../../db/db.ts'
import { readApart, type ReadApart, type ReadFor } from '../../upstreams/openapi/document/read-apart.ts'
import type { Documents } from '../../snapshot/ports/documents.ts'
import { fetchDocument, type Fetching } from './fetch-document.ts'

/** How a document is read for a connection as it is set up. `document`: its address in full. */
export const readWith = (
  text: string,
  { select, effects, url, document }: ReadingSettings,
  whose: ReadFor,
): Promise<ReadApart> => {
  const from = document === undefined ? undefined : withoutQuery(document)
  return readApart(text, { select, effects, base: url, from }, whose)
}

/** A query may hold the secret that a document is fetched with: addresses relative to the document do not take it over. */
const withoutQuery = (address: string): string => address.replace(/[?#][^]*$/, '')
type ReadingSettings = Pick<OpenApiSettings, 'select' | 'effects' | 'document'> & { readonly url?: string | undefined }

const loadOf = ({ organization_id: share }: ConnectionRow): ReadFor => ({ share, lane: 'load' })

export function createDocuments({ db }: { db: Pick<Db, 'organization'> }): Documents {
  async function textOf(
    connection: ConnectionRow,
    settings: OpenApiSettings,
    reach: Pick<Fetching, 'privateOrigins' | 'exceptions'>,
  ): Promise<string> {
    const { id, organization_id: organizationId, alias } = connection
    const kept = await db.organization(organizationId, (sql) => findDocument(sql, id))
    if (kept !== undefined) return unpackDocument(kept.packed)
    if (settings.document === undefined) throw new Fault('openapi.missing', { connection: alias })
    const text = await fetchDocument(settings.document, { alias, ...reach, whose: loadOf(connection) })
    // Only what can be read is kept: a page that says "try later" is none.
    await readWith(text, settings, loadOf(connection))
    const packed = await packDocument(text)
    await db.organization(organizationId, (sql) => putDocument(sql, organizationId, id, packed))
    return text
  }

  return {
    async read(connection, { settings, ...reach }) {
      if (!isOpenApi(settings)) throw new TypeError('no connection of a document')
      return readWith(await textOf(connection, settings, reach), settings, loadOf(connection))
    },
  }
}
