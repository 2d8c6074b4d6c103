/** Allows a key to call on behalf of members that an administrator of the organization made for it: for platform administrators. */
import { ActionIcon, Tooltip } from '@mantine/core'
import { trustKey } from '@toolway/contract/admin'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../data/call.ts'
import { Problem } from '../../data/problem.ts'
import { texts } from '../../texts/texts.ts'
import { Confirm } from '../../ui/confirm.tsx'
import { Icon } from '../../ui/icon.tsx'
import { sayDone, sayFailed } from '../../ui/say.tsx'

export function TrustButton({ id, name }: { id: string; name: string }) {
  const [opened, setOpened] = useState(false)
  const queries = useQueryClient()
  const t = texts.keys.trust
  const trusting = useMutation({
    mutationFn: () => call(trustKey, { path: { key: id } }),
    onSuccess: () => {
      setOpened(false)
      sayDone(t.done({ name }))
      return queries.invalidateQueries({ queryKey: ['keys'] })
    },
    onError: (thrown) => sayFailed(Problem.of(thrown)),
  })
  return (
    <>
      <Tooltip label={t.label({ name })}>
        <ActionIcon variant="subtle" aria-label={t.label({ name })} onClick={() => setOpened(true)}>
          <Icon name="check" size={16} />
        </ActionIcon>
      </Tooltip>
      <Confirm
        opened={opened}
        title={t.label({ name })}
        verb={t.verb}
        busy={trusting.isPending}
        onConfirm={() => trusting.mutate()}
        onClose={() => setOpened(false)}
      >
        {t.warning}
      </Confirm>
    </>
  )
}
