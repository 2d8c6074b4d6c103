/** Switching tools on and off, one, several or all, each with a way back to exactly what was before. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import {
  disableAllTools,
  enableAllTools,
  listTools,
  switchTools,
  type Connection,
  type Tool,
} from '@toolway/contract/admin'
import { call } from '../../../data/call.ts'
import { texts } from '../../../texts/texts.ts'
import { sayDone } from '../../../ui/say.tsx'
import { askAgain, usePath } from './connection-ways.tsx'
import { sayProblem } from '../../../parts/say-problem.ts'

const t = texts.connection.tools
const PAGE = 200

type Switched = Pick<Tool, 'name' | 'enabled'>
type Path = Readonly<Record<'organization' | 'connection', string>>

export interface Switches {
  readonly busy: boolean
  /** Ends when the tools have been read again; never rejects. */
  several(tools: readonly Switched[], enabled: boolean): Promise<void>
  /** Those that appear later, too. */
  all(enabled: boolean): void
}

export function useSwitches(connection: Connection): Switches {
  const path = usePath(connection)
  const queries = useQueryClient()
  const asking = { onSettled: () => askAgain(queries), onError: sayProblem }
  const change = useMutation({ mutationFn: (work: () => Promise<void>) => work(), ...asking })

  const put = (tools: readonly Switched[]) =>
    tools.length === 0
      ? Promise.resolve()
      : call(switchTools, { path, body: { tools: tools.map(({ name, enabled }) => ({ name, enabled })) } })
  const several = async (tools: readonly Switched[], enabled: boolean) => {
    const back = () => change.mutate(async () => void (await put(tools)))
    const work = async () => {
      await put(tools.map(({ name }) => ({ name, enabled })))
      sayDone(enabled ? t.switchedOn({ count: tools.length }) : t.switchedOff({ count: tools.length }), back)
    }
    await Promise.allSettled([change.mutateAsync(work)])
  }
  const all = (enabled: boolean) =>
    change.mutate(async () => {
      const before = await everyTool(path)
      const later = connection.tools_enabled
      await call(enabled ? enableAllTools : disableAllTools, { path })
      sayDone(enabled ? t.allSwitchedOn : t.allSwitchedOff, () =>
        change.mutate(async () => {
          await call(later ? enableAllTools : disableAllTools, { path })
          await put(before.filter((tool) => tool.enabled !== later))
        }),
      )
    })
  return { busy: change.isPending, several, all }
}

async function everyTool(path: Path): Promise<Tool[]> {
  const tools: Tool[] = []
  for (;;) {
    const { items, total } = await call(listTools, { path, query: { limit: PAGE, offset: tools.length } })
    tools.push(...items)
    if (items.length === 0 || tools.length >= total) return tools
  }
}
