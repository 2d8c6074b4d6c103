/**
 * The vendors' own descriptions. They are not part of the repository: the folder is named by `TOOLWAY_VENDORS`, or stands beside the
 * checkout as `shared/data/vendors`.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { graphqlDescription } from './graphql-description.ts'
import { openApiDescription, type Description } from './openapi-description.ts'

const shared = join(import.meta.dirname, '../../../shared')
const given = process.env['TOOLWAY_VENDORS'] ?? join(shared, 'data/vendors')

/** Undefined where there are no descriptions. Throws where there should be. */
export function descriptionsFolder(): string | undefined {
  if (existsSync(given)) return given
  if (process.env['TOOLWAY_VENDORS'] !== undefined || existsSync(shared))
    throw new Error(
      `The vendors' descriptions are not in ${given}, though that folder or its parent is named or there.`,
    )
  return undefined
}

export const descriptionOf = (folder: string, file: string, graphqlAddress: string): Description =>
  file.endsWith('.graphql')
    ? graphqlDescription(join(folder, file), graphqlAddress)
    : openApiDescription(join(folder, file))
