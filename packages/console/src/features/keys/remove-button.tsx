/** Ends something that others may lean on: says what ends, asks once, and does it. */
import { ActionIcon, Tooltip } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import { Problem } from '../../data/problem.ts'
import type { Noun } from '../../data/queries.ts'
import { Confirm } from '../../ui/confirm.tsx'
import { Icon } from '../../ui/icon.tsx'
import { sayDone, sayFailed } from '../../ui/say.tsx'

interface RemoveButtonProps {
  /** The label of the button: "Remove the key laptop". */
  readonly label: string
  readonly verb: string
  readonly noun: Noun
  readonly done: string
  readonly remove: () => Promise<unknown>
  readonly children: ReactNode
}

export function RemoveButton({ label, verb, noun, done, remove, children }: RemoveButtonProps) {
  const [opened, setOpened] = useState(false)
  const queries = useQueryClient()
  const removing = useMutation({
    mutationFn: remove,
    onSuccess: () => {
      setOpened(false)
      sayDone(done)
      return queries.invalidateQueries({ queryKey: [noun] })
    },
    onError: (thrown) => sayFailed(Problem.of(thrown)),
  })
  return (
    <>
      <Tooltip label={label}>
        <ActionIcon variant="subtle" color="red" aria-label={label} onClick={() => setOpened(true)}>
          <Icon name="trash" size={16} />
        </ActionIcon>
      </Tooltip>
      <Confirm
        opened={opened}
        title={label}
        verb={verb}
        busy={removing.isPending}
        onConfirm={() => removing.mutate()}
        onClose={() => setOpened(false)}
      >
        {children}
      </Confirm>
    </>
  )
}
