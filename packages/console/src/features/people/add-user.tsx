/** Somebody new, who is in no organization yet. */
import { Checkbox, Text, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { addUser } from '@toolway/contract/admin'
import { useState } from 'react'
import { call } from '../../data/call.ts'
import { Problem } from '../../data/problem.ts'
import { PasswordCode } from './password-code.tsx'
import { texts } from '../../texts/texts.ts'
import { Dialog } from '../../ui/dialog.tsx'

export function AddUser({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const queries = useQueryClient()
  const [email, setEmail] = useState('')
  const [name, setName] = useState('')
  const [admin, setAdmin] = useState(false)
  const add = useMutation({
    mutationFn: () => {
      const named = name.trim() === '' ? {} : { name: name.trim() }
      return call(addUser, { body: { email: email.trim(), platform_admin: admin, ...named } })
    },
    onSuccess: () => queries.invalidateQueries({ queryKey: ['people'] }),
  })
  const t = texts.users
  if (add.data !== undefined)
    return (
      <Dialog opened={opened} title={t.isHere({ name: add.data.user.name })} onClose={onClose}>
        {add.data.invitation !== null && <PasswordCode email={add.data.user.email} invitation={add.data.invitation} />}
      </Dialog>
    )
  return (
    <Dialog
      opened={opened}
      title={t.add}
      verb={t.addVerb}
      busy={add.isPending}
      failure={add.error === null ? null : Problem.of(add.error)}
      onSubmit={() => add.mutate()}
      onClose={onClose}
    >
      <Text size="sm" c="dimmed">
        {t.addHint}
      </Text>
      <TextInput
        label={t.email}
        type="email"
        required
        maxLength={254}
        autoComplete="off"
        data-autofocus
        value={email}
        onChange={({ currentTarget }) => setEmail(currentTarget.value)}
      />
      <TextInput
        label={t.name}
        maxLength={100}
        autoComplete="off"
        value={name}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
      />
      <Checkbox
        label={t.alsoAdmin}
        description={t.adminMeans}
        checked={admin}
        onChange={({ currentTarget }) => setAdmin(currentTarget.checked)}
      />
    </Dialog>
  )
}
