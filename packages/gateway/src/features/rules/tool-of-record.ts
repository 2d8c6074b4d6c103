/**
 * The tool that a call on record was made to: by its connection and its server's own name. Endpoints give tools other names, which a
 * toolset may have changed since, so the name that the caller used counts only where the record does not say more.
 */
import type { Snapshot } from '../../snapshot/snapshot.ts'
import type { CallRecord } from '../../records/call-records.ts'
import { allToolsOf, type KnownTool, type ToolPlace } from '../../snapshot/tools-of.ts'

export type CalledIn = ToolPlace & Pick<Snapshot, 'toolListing'>

export type Called = Pick<CallRecord, 'toolset' | 'connection' | 'target' | 'tool'>

/** Undefined for a tool that is not there any more. Found once for each name. */
export type FindTool = (called: Called) => KnownTool | undefined

export async function createFindTool(snapshot: CalledIn): Promise<FindTool> {
  const tools = await allToolsOf(snapshot)
  const found = new Map<string, KnownTool | undefined>()

  function find({ toolset, connection, target, tool }: Called): KnownTool | undefined {
    if (connection !== null && tool !== null) return tools.own(connection, tool)
    const name = target ?? ''
    if (toolset === null) return tools.own(connection ?? '', name)
    const isThere = (item: KnownTool | undefined) =>
      item !== undefined && (connection === null || item.connection.alias === connection) ? item : undefined
    const joined = isThere(tools.joined(name))
    if (joined !== undefined) return joined
    const listed = snapshot.toolListing(toolset, undefined, 'execute')?.tool(name)
    const there = listed === undefined ? undefined : isThere(tools.own(listed.alias, listed.name))
    if (there !== undefined) return there
    const named = tools.called(name).filter(isThere)
    return named.length === 1 ? named[0] : undefined
  }

  return (called) => {
    const { toolset, connection, target, tool } = called
    const key = JSON.stringify([toolset, connection, target, tool])
    if (!found.has(key)) found.set(key, find(called))
    return found.get(key)
  }
}
