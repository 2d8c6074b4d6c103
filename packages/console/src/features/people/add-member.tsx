/** Adds a member by email address. A new user gets a code, which is shown here and nowhere else. */
import { Checkbox, NativeSelect, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { addMember, type MemberRole } from '@toolway/contract/admin'
import { useState } from 'react'
import { call } from '../../data/call.ts'
import { useMay, useOrganization } from '../../data/me.ts'
import { Problem } from '../../data/problem.ts'
import { FormDialog } from '../../parts/form/form-dialog.tsx'
import { texts } from '../../texts/texts.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { PasswordCode } from './password-code.tsx'
import { NEW_PERSON, PersonFields, personOf } from './person-fields.tsx'

export function AddMember({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const organization = useOrganization()
  const queries = useQueryClient()
  const mayVouch = useMay('user_manage', 'platform')
  const [person, setPerson] = useState(NEW_PERSON)
  const [role, setRole] = useState<MemberRole>('tenant_member')
  const [vouch, setVouch] = useState(false)
  const add = useMutation({
    mutationFn: () => call(addMember, { path: { organization }, body: { ...personOf(person), role, vouch } }),
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
  const unproven = add.error !== null && Problem.of(add.error).code === 'person.unproven'
  return (
    <FormDialog opened={opened} title={t.add} hint={t.addHint} verb={t.addVerb} sending={add} onClose={onClose}>
      <PersonFields words={person} nameHint={t.nameHint} onChange={setPerson} />
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
      {mayVouch && (vouch || unproven) ? (
        <Checkbox label={t.vouch} checked={vouch} onChange={({ currentTarget }) => setVouch(currentTarget.checked)} />
      ) : null}
    </FormDialog>
  )
}
