/** The personal key of an organization's member: masked, shown again to who types the password, made anew with a warning. */
import { Button, Group, Paper, Stack, Text, Title } from '@mantine/core'
import { addMyKey, regenerateMyKey, type Key, type SeenClient } from '@toolway/contract/admin'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../data/call.ts'
import { useOrganization } from '../../data/me.ts'
import { sayProblem } from '../../parts/say-problem.ts'
import { texts } from '../../texts/texts.ts'
import { Confirm } from '../../ui/confirm.tsx'
import { CopyField } from '../../ui/copy.tsx'
import { Empty } from '../../ui/empty.tsx'
import { LastUse, LimitBadge, shownPart } from './cells.tsx'
import { RevealDialog } from './reveal-dialog.tsx'

interface PersonalKeyProps {
  readonly own: Key | undefined
  /** The organization's name. */
  readonly of: string
  readonly seen: readonly SeenClient[]
}

export function PersonalKey({ own, of, seen }: PersonalKeyProps) {
  const organization = useOrganization()
  const queries = useQueryClient()
  const [shown, setShown] = useState<string>()
  const [dialog, setDialog] = useState<'reveal' | 'anew'>()
  const t = texts.keys.personal
  const make = useMutation({
    mutationFn: () =>
      own === undefined
        ? call(addMyKey, { body: { family: 'uru', organization } })
        : call(regenerateMyKey, { body: { organization } }),
    onSuccess: ({ key }) => {
      setShown(key)
      setDialog(undefined)
      return queries.invalidateQueries({ queryKey: ['keys'] })
    },
    onError: sayProblem,
  })
  if (own === undefined)
    return (
      <Empty icon="key" title={t.none} hint={t.noneHint({ organization: of })}>
        <Button loading={make.isPending} onClick={() => make.mutate()}>
          {t.first}
        </Button>
      </Empty>
    )
  return (
    <Paper withBorder p="md">
      <Stack gap="sm">
        <Group justify="space-between" align="flex-start">
          <div>
            <Title order={2}>{t.title}</Title>
            <Text size="sm" c="dimmed" maw={560}>
              {t.hint({ organization: of })}
            </Text>
          </div>
          <LimitBadge limit={own.limit} />
        </Group>
        <Text ff="monospace" className="breakable">
          {shownPart(own)}
        </Text>
        <Group gap={6} align="baseline">
          <Text size="sm" c="dimmed">
            {t.used}
          </Text>
          <Text size="sm" component="div">
            <LastUse row={own} seen={seen} />
          </Text>
        </Group>
        {shown === undefined ? null : <CopyField value={shown} label={t.shown} copyLabel={t.copy} />}
        <Group gap="sm">
          {shown === undefined ? (
            <Button variant="default" onClick={() => setDialog('reveal')}>
              {t.reveal}
            </Button>
          ) : (
            <Button variant="default" onClick={() => setShown(undefined)}>
              {t.hide}
            </Button>
          )}
          <Button variant="default" onClick={() => setDialog('anew')}>
            {t.anew}
          </Button>
        </Group>
      </Stack>
      <RevealDialog opened={dialog === 'reveal'} onClose={() => setDialog(undefined)} onShown={setShown} />
      <Confirm
        opened={dialog === 'anew'}
        title={t.anewTitle}
        verb={t.anewVerb}
        busy={make.isPending}
        onConfirm={() => make.mutate()}
        onClose={() => setDialog(undefined)}
      >
        {t.anewWarning}
      </Confirm>
    </Paper>
  )
}
