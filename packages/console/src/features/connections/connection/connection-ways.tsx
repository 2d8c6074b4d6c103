/** Actions that several tabs of a connection share: test, switch, restart, and the reason why a user may not. */
import { useMutation, useQueryClient, type QueryClient } from '@tanstack/react-query'
import type { Permission } from '@toolway/contract'
import { restartProcess, syncTools, toggleConnection, type Connection } from '@toolway/contract/admin'
import { call } from '../../../data/call.ts'
import { useMay, useOrganization } from '../../../data/me.ts'
import type { Noun } from '../../../data/queries.ts'
import { sayProblem } from '../../../parts/say-problem.ts'
import { texts } from '../../../texts/texts.ts'
import { sayDone } from '../../../ui/say.tsx'

const t = texts.connection

const CONCERNED: readonly Noun[] = ['connections', 'accounts', 'tools', 'toolsets', 'runtime', 'alerts', 'stats']
/** Asks everything about a connection again. */
export const askAgain = (queries: QueryClient) =>
  Promise.all(CONCERNED.map((noun) => queries.invalidateQueries({ queryKey: [noun] })))

/** Why it cannot be changed here; undefined where it can. */
export function useWhyNot(connection: Pick<Connection, 'origin'>, permission: Permission): string | undefined {
  const may = useMay(permission)
  if (!may) return t.notYours
  return connection.origin === 'file' ? t.fromFile : undefined
}

export const usePath = (connection: Pick<Connection, 'id'>) => ({
  organization: useOrganization(),
  connection: connection.id,
})

export function useTest(connection: Connection) {
  const path = usePath(connection)
  const queries = useQueryClient()
  return useMutation({
    // Shared by name: the button is in the head of the screen, what came of it below.
    mutationKey: ['test', connection.id],
    mutationFn: () => call(syncTools, { path }),
    onSettled: () => void askAgain(queries),
    onError: sayProblem,
  })
}

export function useToggle(connection: Connection) {
  const path = usePath(connection)
  const queries = useQueryClient()
  const toggle = useMutation({
    mutationFn: (enabled: boolean) => call(toggleConnection, { path, body: { enabled } }),
    onSuccess: ({ enabled, title }) => {
      sayDone(enabled ? t.switchedOn({ title }) : t.switchedOff({ title }), () => toggle.mutate(!enabled))
      return askAgain(queries)
    },
    onError: sayProblem,
  })
  return toggle
}

export function useRestart(connection: Connection) {
  const path = usePath(connection)
  const queries = useQueryClient()
  return useMutation({
    mutationFn: () => call(restartProcess, { path }),
    onSuccess: ({ connector }) => {
      sayDone(t.restarted({ alias: connector }))
      return askAgain(queries)
    },
    onError: sayProblem,
  })
}
