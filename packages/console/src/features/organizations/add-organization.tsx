/** A new organization: a name, and what it is called in addresses. */
import { Textarea, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { addOrganization } from '@toolway/contract/admin'
import { useState } from 'react'
import { call } from '../../data/call.ts'
import { FormDialog } from '../../parts/form/form-dialog.tsx'
import { texts } from '../../texts/texts.ts'
import { sayDone } from '../../ui/say.tsx'
import { slugOf } from '../../ui/slug-of.ts'

export function AddOrganization({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const queries = useQueryClient()
  const [name, setName] = useState('')
  const [slug, setSlug] = useState<string>()
  const [description, setDescription] = useState('')
  const named = slug ?? slugOf(name)
  const t = texts.organizations
  const add = useMutation({
    mutationFn: () => {
      const described = description.trim() === '' ? {} : { description: description.trim() }
      return call(addOrganization, { body: { slug: named, name: name.trim(), ...described } })
    },
    onSuccess: async (made) => {
      await Promise.all([
        queries.invalidateQueries({ queryKey: ['organizations'] }),
        queries.invalidateQueries({ queryKey: ['me'] }),
      ])
      sayDone(t.made({ name: made.name }))
      onClose()
    },
  })
  return (
    <FormDialog opened={opened} title={t.add} hint={t.addHint} verb={t.addVerb} sending={add} onClose={onClose}>
      <TextInput
        label={t.fields.name}
        required
        maxLength={100}
        data-autofocus
        value={name}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
      />
      <TextInput
        label={t.fields.slug}
        description={t.fields.slugHint}
        required
        pattern="[a-z][a-z0-9\-]{0,38}"
        value={named}
        onChange={({ currentTarget }) => setSlug(currentTarget.value)}
      />
      <Textarea
        label={t.fields.description}
        autosize
        minRows={2}
        maxRows={6}
        maxLength={2_000}
        value={description}
        onChange={({ currentTarget }) => setDescription(currentTarget.value)}
      />
    </FormDialog>
  )
}
