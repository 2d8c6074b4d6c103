/** A new group, or who is in one that is there. */
import { TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { listGroups, putGroup, type Group } from '@toolway/contract/admin'
import { useState } from 'react'
import { call } from '../../data/call.ts'
import { useOrganization } from '../../data/me.ts'
import { askAll } from '../../data/pages.ts'
import { FormDialog } from '../../parts/form/form-dialog.tsx'
import { PickMany } from '../../parts/picker/picker.tsx'
import { texts } from '../../texts/texts.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { slugOf } from '../../ui/slug-of.ts'

/** `group`: `group` for a new one, the slug of another, undefined while none is open. */
export function EditGroup({ group, onClose }: { group: string | undefined; onClose: () => void }) {
  const organization = useOrganization()
  const path = { organization }
  const opened = group !== undefined
  const groups = useQuery({
    ...askAll('people', listGroups, { path, query: { search: group ?? '' } }),
    enabled: opened,
  })
  const t = texts.people
  const found = groups.data?.items.find(({ slug }) => slug === group)
  if (!opened || groups.data === undefined)
    return (
      <Dialog opened={opened} title={t.addGroup} onClose={onClose}>
        <Loaded query={groups}>{() => null}</Loaded>
      </Dialog>
    )
  return <Fields key={group} group={found} onClose={onClose} />
}

interface FieldsProps {
  readonly group: Group | undefined
  readonly onClose: () => void
}

function Fields({ group, onClose }: FieldsProps) {
  const organization = useOrganization()
  const queries = useQueryClient()
  const [title, setTitle] = useState(group?.title ?? '')
  const [slug, setSlug] = useState<string>()
  const [within, setWithin] = useState<string[]>(group?.members.map(({ email }) => email) ?? [])
  const name = group?.slug ?? slug ?? slugOf(title)
  const put = useMutation({
    mutationFn: () =>
      call(putGroup, { path: { organization, group: name }, body: { title: title.trim(), members: within } }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['people'] })
      onClose()
    },
  })
  const t = texts.people.group
  const names = new Map(group?.members.map(({ email, name: own }) => [email, own]))
  const labelOf = (email: string): string => {
    const own = names.get(email) ?? email
    return own === email ? email : `${own} (${email})`
  }
  return (
    <FormDialog
      opened
      title={group === undefined ? texts.people.addGroup : t.change({ title: group.title })}
      verb={group === undefined ? t.make : t.save}
      sending={put}
      onClose={onClose}
    >
      <TextInput
        label={t.title}
        required
        maxLength={100}
        data-autofocus
        value={title}
        onChange={({ currentTarget }) => setTitle(currentTarget.value)}
      />
      {group === undefined ? (
        <TextInput
          label={t.slug}
          description={t.slugHint}
          required
          value={name}
          onChange={({ currentTarget }) => setSlug(currentTarget.value)}
        />
      ) : null}
      <PickMany
        kind="members"
        label={t.members}
        labelOf={labelOf}
        clearable
        clearButtonProps={{ 'aria-label': t.clear }}
        nothingFoundMessage={t.nobodyFound}
        value={within}
        onChange={setWithin}
      />
    </FormDialog>
  )
}
