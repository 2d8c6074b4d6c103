/** Adds a member by email address. A new user gets a code, which is shown here and nowhere else. */
import { Checkbox, NativeSelect, Text, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { addMember, type MemberRole } from '@toolway/contract/admin'
import { useState } from 'react'
import { call } from '../../data/call.ts'
import { useMay, useOrganization } from '../../data/me.ts'
import { Problem } from '../../data/problem.ts'
import { PasswordCode } from './password-code.tsx'
import { texts } from '../../texts/texts.ts'
import { Dialog } from '../../ui/dialog.tsx'

export function AddMember({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const organization = useOrganization()
  const queries = useQueryClient()
  const mayVouch = useMay('user_manage', 'platform')
  const [email, setEmail] = useState('')
  const [name, setName] = useState('')
  const [role, setRole] = useState<MemberRole>('tenant_member')
  const [vouch, setVouch] = useState(false)
  const add = useMutation({
    mutationFn: () => {
      const named = name.trim() === '' ? {} : { name: name.trim() }
      return call(addMember, { path: { organization }, body: { email: email.trim(), role, vouch, ...named } })
    },
    onSuccess: () => queries.invalidateQueries({ queryKey: ['people'] }),
  })
  const t = texts.people
  const { data } = add
  if (data !== undefined)
    return (
      <Dialog opened={opened} title={t.isIn({ name: data.member.name })} onClose={onClose}>
        {data.invitation === null ? (
          <Text>{t.hasAccount({ email: data.member.email })}</Text>
        ) : (
          <PasswordCode email={data.member.email} invitation={data.invitation} />
        )}
      </Dialog>
    )
  const failure = add.error === null ? null : Problem.of(add.error)
  return (
    <Dialog
      opened={opened}
      title={t.add}
      verb={t.addVerb}
      busy={add.isPending}
      failure={failure}
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
        description={t.nameHint}
        maxLength={100}
        autoComplete="off"
        value={name}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
      />
      <NativeSelect
        label={t.role}
        description={t.roleHints[role]}
        value={role}
        data={(['tenant_member', 'tenant_viewer', 'tenant_admin'] as const).map((value) => ({
          value,
          label: texts.roles[value],
        }))}
        onChange={({ currentTarget }) => setRole(currentTarget.value as MemberRole)}
      />
      {mayVouch && (vouch || failure?.code === 'person.unproven') ? (
        <Checkbox label={t.vouch} checked={vouch} onChange={({ currentTarget }) => setVouch(currentTarget.checked)} />
      ) : null}
    </Dialog>
  )
}
