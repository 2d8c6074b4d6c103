/** The end of an organization, after its short name was typed: nothing brings it back. */
import { Button, Modal, Stack, Text, TextInput, Title } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { removeOrganization, type Organization } from '@toolway/contract/admin'
import { useState } from 'react'
import { call } from '../../data/call.ts'
import { Problem } from '../../data/problem.ts'
import { texts } from '../../texts/texts.ts'
import { Failed } from '../../ui/failed.tsx'
import { sayDone } from '../../ui/say.tsx'

interface RemoveProps {
  readonly organization: Organization
  readonly onRemoved: () => void
}

export function RemoveOrganization({ organization: { slug, name }, onRemoved }: RemoveProps) {
  const queries = useQueryClient()
  const [asks, setAsks] = useState(false)
  const [typed, setTyped] = useState('')
  const t = texts.organizations
  const remove = useMutation({
    mutationFn: () => call(removeOrganization, { path: { organization: slug } }),
    onSuccess: async () => {
      setAsks(false)
      onRemoved()
      sayDone(t.removed({ name }))
      await Promise.all(['organizations', 'me'].map((noun) => queries.invalidateQueries({ queryKey: [noun] })))
    },
  })
  return (
    <Stack gap="xs" align="flex-start">
      <Title order={3}>{t.danger}</Title>
      <Text size="sm" c="dimmed">
        {t.dangerHint}
      </Text>
      <Button color="red" variant="outline" onClick={() => setAsks(true)}>
        {t.remove({ name })}
      </Button>
      <Modal
        opened={asks}
        onClose={() => setAsks(false)}
        title={t.removeTitle({ name })}
        centered
        closeButtonProps={{ 'aria-label': texts.close }}
      >
        <Stack>
          <Text>{t.dangerHint}</Text>
          <TextInput
            label={t.typeName({ slug })}
            autoComplete="off"
            data-autofocus
            value={typed}
            onChange={({ currentTarget }) => setTyped(currentTarget.value)}
          />
          {remove.error === null ? null : <Failed failure={Problem.of(remove.error)} />}
          <Button color="red" disabled={typed !== slug} loading={remove.isPending} onClick={() => remove.mutate()}>
            {t.remove({ name })}
          </Button>
        </Stack>
      </Modal>
    </Stack>
  )
}
