/** The one question about a server that was just connected: whether what it says of its tools is believed. Remembered with it. */
import { Switch } from '@mantine/core'
import { getToolLock, setToolLock } from '@toolway/contract/admin'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { call } from '../../data/call.ts'
import { useMay, useOrganization } from '../../data/me.ts'
import { Problem } from '../../data/problem.ts'
import { ask } from '../../data/queries.ts'
import { texts } from '../../texts/texts.ts'
import { sayFailed } from '../../ui/say.tsx'

export function Trust({ alias }: { alias: string }) {
  const path = { organization: useOrganization(), connection: alias }
  const queries = useQueryClient()
  const may = useMay('connector_update')
  const lock = useQuery({ ...ask('tools', getToolLock, { path }), enabled: may })
  const set = useMutation({
    mutationFn: (trusted: boolean) => call(setToolLock, { path, body: { mode: lock.data?.mode ?? 'off', trusted } }),
    onError: (thrown) => sayFailed(Problem.of(thrown)),
    onSettled: () => queries.invalidateQueries({ queryKey: ['tools'] }),
  })
  if (lock.data === undefined) return null
  return (
    <Switch
      label={texts.connection.changes.trusted}
      description={texts.connection.changes.trustedHint}
      checked={lock.data.trusted}
      disabled={set.isPending}
      onChange={({ currentTarget: { checked } }) => set.mutate(checked)}
    />
  )
}
