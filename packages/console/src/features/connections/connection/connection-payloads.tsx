/** Whether arguments and results of a connection's calls are kept with their records. Set at once, and apart from the other settings. */
import { Switch } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { getPayloadSetting, setPayloadSetting, type Connection } from '@toolway/contract/admin'
import { call } from '../../../data/call.ts'
import { useMay } from '../../../data/me.ts'
import { ask } from '../../../data/queries.ts'
import { texts } from '../../../texts/texts.ts'
import { Allowed } from '../../../ui/allowed.tsx'
import { Loaded } from '../../../ui/loaded.tsx'
import { sayDone } from '../../../ui/say.tsx'
import { Section } from '../../../ui/section.tsx'
import { usePath } from './connection-ways.tsx'
import { sayProblem } from '../../../parts/say-problem.ts'

const t = texts.connection.settings

export function ConnectionPayloads({ connection }: { connection: Connection }) {
  const path = usePath(connection)
  const may = useMay('connector_update')
  const queries = useQueryClient()
  const setting = useQuery(ask('settings', getPayloadSetting, { path }))
  const set = useMutation({
    mutationFn: (keep: boolean) => call(setPayloadSetting, { path, body: { keep } }),
    onSuccess: ({ keep }) => {
      sayDone(keep ? t.payloadsOn : t.payloadsOff)
      return queries.invalidateQueries({ queryKey: ['settings'] })
    },
    onError: sayProblem,
  })
  return (
    <Section title={t.records}>
      <Loaded query={setting} lines={2}>
        {({ keep, days }) => (
          <Allowed may={may} why={texts.connection.notYours}>
            <Switch
              label={t.payloads}
              description={t.payloadsHint({ days })}
              checked={keep}
              disabled={!may || set.isPending || days === 0}
              onChange={(event) => set.mutate(event.currentTarget.checked)}
            />
          </Allowed>
        )}
      </Loaded>
    </Section>
  )
}
