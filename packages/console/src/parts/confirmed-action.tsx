/** A button in a row for an action that cannot be undone: it says what follows, asks once, and does it. */
import { ActionIcon, Tooltip } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import type { Noun } from '../data/queries.ts'
import { Confirm } from '../ui/confirm.tsx'
import { Icon } from '../ui/icon.tsx'
import { sayDone } from '../ui/say.tsx'
import { sayProblem } from './say-problem.ts'

const LOOKS = { remove: { icon: 'trash', color: 'red' }, allow: { icon: 'check', color: 'blue' } } as const

interface ConfirmedActionProps {
  readonly look: keyof typeof LOOKS
  /** The label of the button: "Remove the key laptop". */
  readonly label: string
  readonly verb: string
  readonly noun: Noun
  readonly done: string
  readonly run: () => Promise<unknown>
  readonly children: ReactNode
}

export function ConfirmedAction({ look, label, verb, noun, done, run, children }: ConfirmedActionProps) {
  const [opened, setOpened] = useState(false)
  const queries = useQueryClient()
  const running = useMutation({
    mutationFn: run,
    onSuccess: () => {
      setOpened(false)
      sayDone(done)
      return queries.invalidateQueries({ queryKey: [noun] })
    },
    onError: sayProblem,
  })
  const { icon, color } = LOOKS[look]
  return (
    <>
      <Tooltip label={label}>
        <ActionIcon variant="subtle" color={color} aria-label={label} onClick={() => setOpened(true)}>
          <Icon name={icon} size={16} />
        </ActionIcon>
      </Tooltip>
      <Confirm
        opened={opened}
        title={label}
        verb={verb}
        busy={running.isPending}
        onConfirm={() => running.mutate()}
        onClose={() => setOpened(false)}
      >
        {children}
      </Confirm>
    </>
  )
}
