/** `toolway lock trust` and `toolway lock effect`: whose word counts for what tools do, on the local store. */
import type { Effect } from '@toolway/contract'
import { presentTools } from '../../admin/connections/settle-lock.ts'
import { lockConnection, setToolLock } from '../../connections/connections.ts'
import { sayEffect } from '../../connections/tool-states.ts'
import { recordChange } from '../../records/change.ts'
import { ownActor } from '../own-actor.ts'
import { CommandFault, EXIT, type Output } from '../terminal/output.ts'
import { inStore, noConnection, type Place } from './lock.ts'

export interface TrustWords extends Place {
  readonly off?: boolean
}

export const trust = (alias: string, words: TrustWords, output: Output): Promise<number> =>
  inStore(words, async (sql, { organization }) => {
    const connection = await lockConnection(sql, alias)
    if (connection === undefined) throw noConnection(alias)
    const trusted = words.off !== true
    const mode = connection.tool_lock
    await setToolLock(sql, connection.id, { mode, trusted })
    await recordChange(sql, ownActor(), organization.id, {
      action: 'lock.set',
      resource: 'connection',
      id: connection.id,
      detail: { alias, mode, trusted },
    })
    output.result({ alias, trusted }, [
      trusted
        ? `The effects that the server of ${alias} states count from now on.`
        : `The server of ${alias} is not trusted: what it states can only make a tool more dangerous.`,
    ])
    return EXIT.ok
  })

interface SaidEffect {
  readonly tool: string
  readonly effect: Effect | 'stated'
}

export const say = (alias: string, { tool, effect }: SaidEffect, place: Place, output: Output): Promise<number> =>
  inStore(place, async (sql, { organization }) => {
    const connection = await lockConnection(sql, alias)
    if (connection === undefined) throw noConnection(alias)
    if (!(await presentTools(sql, connection.id)).some((one) => one.tool === tool))
      throw new CommandFault(`${alias} has no tool "${tool}"; \`toolway lock show ${alias}\` shows them.`)
    const said = effect === 'stated' ? null : effect
    const actor = ownActor()
    await sayEffect(sql, organization.id, connection.id, { tool, effect: said, by: actor.id })
    await recordChange(sql, actor, organization.id, {
      action: 'tool.effect',
      resource: 'tool',
      id: `${alias}/${tool}`,
      detail: { effect: said },
    })
    output.result({ alias, tool, effect: said }, [
      said === null ? `What ${tool} does is as its server or connection says.` : `${tool} counts as ${said}.`,
    ])
    return EXIT.ok
  })
