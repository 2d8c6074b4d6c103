/**
 * Shows the personal key again to a user who enters the password (ledger S0-AUT-16). Users of a federated sign-in have no
 * password here: for them the gateway accepts a sign-in within the last minutes instead.
 */
import { Button, Group, Modal, PasswordInput, Stack, Text } from '@mantine/core'
import { revealMyKey } from '@toolway/contract/admin'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../data/call.ts'
import { useOrganization } from '../../data/me.ts'
import { Problem } from '../../data/problem.ts'
import { texts } from '../../texts/texts.ts'
import { Failed } from '../../ui/failed.tsx'

interface RevealDialogProps {
  readonly opened: boolean
  readonly onClose: () => void
  readonly onShown: (key: string) => void
}

export function RevealDialog({ opened, onClose, onShown }: RevealDialogProps) {
  const organization = useOrganization()
  const [password, setPassword] = useState('')
  const close = () => {
    setPassword('')
    reveal.reset()
    onClose()
  }
  const reveal = useMutation({
    mutationFn: (input: { password?: string }) => call(revealMyKey, { body: { organization, ...input } }),
    onSuccess: ({ key }) => {
      onShown(key)
      close()
    },
  })
  const t = texts.keys.reveal
  return (
    <Modal opened={opened} onClose={close} title={t.title} closeButtonProps={{ 'aria-label': texts.close }}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          reveal.mutate({ password })
        }}
      >
        <Stack>
          <Text size="sm">{t.hint}</Text>
          <PasswordInput
            label={t.password}
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
            autoComplete="current-password"
            required
            data-autofocus
            visibilityToggleButtonProps={{ 'aria-label': t.look }}
          />
          {reveal.error === null ? null : <Failed failure={Problem.of(reveal.error)} />}
          <Group justify="space-between">
            <Button variant="subtle" size="xs" onClick={() => reveal.mutate({})}>
              {t.withoutPassword}
            </Button>
            <Button type="submit" loading={reveal.isPending}>
              {t.verb}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
