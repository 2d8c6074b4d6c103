/** Connections that are made together, from the settings file of an MCP client, and removed together. */
import { z } from 'zod'
import { Alias } from '../../connections.ts'
import { CONNECTIONS, NewConnection } from './connections.ts'
import { inOrganization, operation } from '../../admin/operation.ts'

const ToolNames = z.array(z.string().min(1).max(500)).max(2_000)

export const ImportedConnection = NewConnection.extend({
  /** The wish; one that is taken becomes another. */
  alias: Alias,
  /** Positions of arguments that hold a secret and are shown masked, besides those that look like one. */
  secret_args: z.array(z.int().min(0).max(200)).max(200).optional(),
  /** Its tools by the server's own names: `only` these are on, later ones are off too; without it, all but `except`. */
  tools: z.strictObject({ only: ToolNames.optional(), except: ToolNames.optional() }).optional(),
})
export type ImportedConnection = z.input<typeof ImportedConnection>

export const importConnections = operation({
  id: 'importConnections',
  at: `POST ${CONNECTIONS}/import`,
  summary:
    'Create several connections from a client’s settings file, all of them or none. Connections that already exist with the same address or command and the same secrets are skipped.',
  needs: inOrganization('connector_create'),
  body: z.strictObject({
    /** The file, for people. */
    source: z.string().min(1).max(4_096),
    connections: z.array(ImportedConnection).min(1).max(500),
    /** Only say what would be made. */
    dry_run: z.boolean().default(false),
  }),
  answer: z.strictObject({
    /** In the order of the request. */
    items: z.array(
      z.strictObject({
        alias: Alias,
        /** It exists already, under this alias, and is left out. */
        exists: z.boolean(),
      }),
    ),
  }),
})

export const undoImport = operation({
  id: 'undoImport',
  at: `POST ${CONNECTIONS}/import/undo`,
  summary: 'Undo the last import: delete what is left of its connections, with their secrets.',
  needs: inOrganization('connector_delete'),
  answer: z.strictObject({ source: z.string(), aliases: z.array(z.string()) }),
})
