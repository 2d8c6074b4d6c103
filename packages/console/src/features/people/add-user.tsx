/** Somebody new, who is in no organization yet. */
import { Checkbox } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { addUser } from '@toolway/contract/admin'
import { useState } from 'react'
import { call } from '../../data/call.ts'
import { FormDialog } from '../../parts/form/form-dialog.tsx'
import { texts } from '../../texts/texts.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { PasswordCode } from './password-code.tsx'
import { NEW_PERSON, PersonFields, personOf } from './person-fields.tsx'

export function AddUser({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const queries = useQueryClient()
  const [person, setPerson] = useState(NEW_PERSON)
  const [admin, setAdmin] = useState(false)
  const add = useMutation({
    mutationFn: () => call(addUser, { body: { ...personOf(person), platform_admin: admin } }),
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
    <FormDialog opened={opened} title={t.add} hint={t.addHint} verb={t.addVerb} sending={add} onClose={onClose}>
      <PersonFields words={person} onChange={setPerson} />
      <Checkbox
        label={t.alsoAdmin}
        description={t.adminMeans}
        checked={admin}
        onChange={({ currentTarget }) => setAdmin(currentTarget.checked)}
      />
    </FormDialog>
  )
}
