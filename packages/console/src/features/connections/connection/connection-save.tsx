/** Saving a change of a connection: not over what somebody else changed meanwhile, and with a way back where there is one. */
import { Alert, Button, Group, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { changeConnection, type Connection, type ConnectionChange } from '@toolway/contract/admin'
import type { ReactNode } from 'react'
import { call } from '../../../data/call.ts'
import { Problem } from '../../../data/problem.ts'
import { texts } from '../../../texts/texts.ts'
import { Failed } from '../../../ui/failed.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { sayDone } from '../../../ui/say.tsx'
import { backOf } from './connection-draft.ts'
import { askAgain, usePath } from './connection-ways.tsx'
import { sayProblem } from '../../../parts/say-problem.ts'

const t = texts.connection.saving

/** @param onOver what was typed is saved, or given up */
export function useSave(connection: Connection, onOver: () => void) {
  const path = usePath(connection)
  const queries = useQueryClient()
  const write = (body: ConnectionChange, since?: string) =>
    call(changeConnection, { path, body, unlessChangedSince: since })
  const back = useMutation({
    mutationFn: (body: ConnectionChange) => write(body),
    onSuccess: () => askAgain(queries),
    onError: sayProblem,
  })
  const save = useMutation({
    mutationFn: (body: ConnectionChange) => write(body, connection.updated_at),
    onSuccess: (_, body) => {
      const before = backOf(connection, body)
      sayDone(t.saved, before === undefined ? undefined : () => back.mutate(before))
      onOver()
      return askAgain(queries)
    },
  })
  const force = useMutation({
    mutationFn: (body: ConnectionChange) => write(body),
    onSuccess: () => {
      save.reset()
      sayDone(t.saved)
      onOver()
      return askAgain(queries)
    },
    onError: sayProblem,
  })

  return { save, conflict: conflictNotice() }

  function conflictNotice(): ReactNode {
    if (save.error === null) return null
    const problem = Problem.of(save.error)
    if (problem.code !== 'request.stale') return <Failed failure={problem} />
    return (
      <Alert color="orange" icon={<Icon name="alert-triangle" />} title={t.staleTitle} role="alert">
        <Text size="sm" mb="xs">
          {t.staleHint}
        </Text>
        <Group gap="xs">
          <Button
            size="xs"
            onClick={() => {
              save.reset()
              onOver()
              void askAgain(queries)
            }}
          >
            {t.theirs}
          </Button>
          <Button
            size="xs"
            variant="default"
            loading={force.isPending}
            onClick={() => save.variables !== undefined && force.mutate(save.variables)}
          >
            {t.mine}
          </Button>
        </Group>
      </Alert>
    )
  }
}
