/** `toolway key …`: make, list and remove the keys of an organization. A key is printed once and kept nowhere. */
import { Slug } from '@toolway/contract'
import { LOCAL_KEY } from '../admin/first-run.ts'
import { addKey, hintOf, listKeys, mintKey, removeKey } from '../identity/keys.ts'
import { listToolsets } from '../toolsets/toolsets.ts'
import { CommandFault, EXIT, table, type Output } from './output.ts'
import { withStore } from './store.ts'

export const add = (organization: string, name: string, toolset: string | undefined, output: Output): Promise<number> =>
  withStore(organization, async ({ db, vault, organization: own }) => {
    if (toolset !== undefined && !Slug.safeParse(toolset).success)
      throw new CommandFault(`"${toolset}" is no toolset.`, EXIT.usage)
    const key = mintKey()
    const added = await db.organization(own.id, async (sql) => {
      const known =
        toolset === undefined || toolset === 'default' || (await listToolsets(sql)).some(({ slug }) => slug === toolset)
      if (!known)
        throw new CommandFault(
          `There is no toolset "${toolset}" in ${own.slug}: declare it in the file of TOOLWAY_CONFIG.`,
        )
      return addKey(sql, {
        organizationId: own.id,
        name,
        hint: hintOf(key),
        hash: vault.hash(key),
        toolset,
        origin: 'command line',
      })
    })
    if (added === undefined)
      throw new CommandFault(`A key named "${name}" exists already: choose another name, or remove that one first.`)
    output.result({ name, key, toolset: toolset ?? null }, [
      key,
      ...(output.json ? [] : ['It is shown only this once.']),
    ])
    return EXIT.ok
  })

export const list = (organization: string, output: Output): Promise<number> =>
  withStore(organization, async ({ db, organization: own }) => {
    const keys = await db.organization(own.id, listKeys)
    const values = keys.map(({ name, hint, toolset, origin, created_at }) => ({
      name,
      hint,
      toolset,
      origin,
      created: created_at.toISOString(),
    }))
    output.result(
      values,
      table(
        ['NAME', 'ENDS IN', 'TOOLSET', 'FROM', 'CREATED'],
        values.map(({ name, hint, toolset, origin, created }) => [name, hint, toolset ?? 'any', origin, created]),
      ),
    )
    return EXIT.ok
  })

export const remove = (organization: string, name: string, output: Output): Promise<number> =>
  withStore(organization, async ({ db, organization: own }) => {
    const removed = await db.organization(own.id, (sql) => removeKey(sql, name))
    if (!removed) throw new CommandFault(`There is no key named "${name}"; \`toolway key list\` shows them.`)
    const again =
      name === LOCAL_KEY
        ? ['The commands of this machine called with it; the next start gives them a new one, in the data directory.']
        : []
    output.result({ removed: name }, [`Removed the key "${name}": it is refused from now on.`, ...again])
    return EXIT.ok
  })
