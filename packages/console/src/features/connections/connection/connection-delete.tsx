/** Asks before a connection is deleted, and says what goes with it and who will miss it. */
import { List, Stack, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import {
  listOrganizationRules,
  listReliance,
  listToolsets,
  removeConnection,
  type Connection,
} from '@toolway/contract/admin'
import { call } from '../../../data/call.ts'
import { askAll } from '../../../data/pages.ts'
import { ask } from '../../../data/queries.ts'
import { texts } from '../../../texts/texts.ts'
import { Confirm } from '../../../ui/confirm.tsx'
import { sayDone } from '../../../ui/say.tsx'
import { namedBy } from './connection-names.ts'
import { askAgain, usePath } from './connection-ways.tsx'
import { sayProblem } from '../../../parts/say-problem.ts'
import { keepOrganization } from '../../../ui/keep-organization.ts'

const t = texts.connection.deletion

export function ConnectionDelete({
  connection,
  opened,
  onClose,
}: {
  connection: Connection
  opened: boolean
  onClose: () => void
}) {
  const path = usePath(connection)
  const queries = useQueryClient()
  const navigate = useNavigate()
  const remove = useMutation({
    mutationFn: () => call(removeConnection, { path }),
    onSuccess: async () => {
      sayDone(t.done({ title: connection.title }))
      await navigate({ to: '/connections', search: keepOrganization } as never)
      await askAgain(queries)
    },
    onError: sayProblem,
  })
  return (
    <Confirm
      opened={opened}
      onClose={onClose}
      title={t.title({ title: connection.title })}
      verb={t.verb}
      busy={remove.isPending}
      onConfirm={() => remove.mutate()}
    >
      {opened ? <Loss connection={connection} /> : null}
    </Confirm>
  )
}

/** Lists that the user may not read are not reported as empty. */
function Loss({ connection }: { connection: Connection }) {
  const path = usePath(connection)
  const { organization } = path
  const reliance = useQuery(ask('accounts', listReliance, { path })).data
  const toolsets = useQuery(ask('toolsets', listToolsets, { path: { organization } })).data
  const rules = useQuery(askAll('rules', listOrganizationRules, { path: { organization } })).data
  const named = namedBy(connection.alias, toolsets?.items ?? [], rules?.items ?? [])
  const calls = reliance?.callers.reduce((sum, caller) => sum + caller.calls, 0)
  return (
    <Stack gap="sm">
      <Text size="sm">{t.gone({ tools: connection.tools })}</Text>
      <List size="sm" spacing={4}>
        {reliance === undefined || calls === undefined ? null : (
          <>
            <List.Item>{t.callers({ callers: reliance.callers.length, calls, days: reliance.days })}</List.Item>
            <List.Item>{t.accounts({ count: reliance.accounts.length })}</List.Item>
          </>
        )}
        {toolsets === undefined ? null : <List.Item>{t.toolsets({ names: named.toolsets.join(', ') })}</List.Item>}
        {rules === undefined ? null : <List.Item>{t.rules({ names: named.rules.join(', ') })}</List.Item>}
      </List>
      <Text size="sm" c="dimmed">
        {t.hint}
      </Text>
    </Stack>
  )
}
