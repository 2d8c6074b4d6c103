/** A new toolset: its name, its address, and its initial content. Its tools are picked on its own page. */
import { Modal, Radio, Stack, TextInput } from '@mantine/core'
import { putToolset } from '@toolway/contract/admin'
import { Slug, type ToolsetSettings } from '@toolway/contract'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { call } from '../../data/call.ts'
import { useOrganization } from '../../data/me.ts'
import { FormFoot } from '../../parts/form/form-foot.tsx'
import { texts } from '../../texts/texts.ts'
import { sayDone } from '../../ui/say.tsx'
import { keepOrganization } from '../../ui/keep-organization.ts'

interface NewToolsetProps {
  readonly opened: boolean
  readonly onClose: () => void
  readonly taken: readonly string[]
}

export function NewToolset({ opened, onClose, taken }: NewToolsetProps) {
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={texts.toolsets.new.title}
      closeButtonProps={{ 'aria-label': texts.close }}
    >
      <Form onClose={onClose} taken={taken} />
    </Modal>
  )
}

const STARTS: Readonly<Record<string, ToolsetSettings>> = {
  all: { include: ['*'], exclude: [] },
  read: { include: ['*'], exclude: [], limit: 'read' },
  none: { include: [], exclude: [] },
}

/** "Reading & writing" is at `reading-writing`. */
const slugOf = (title: string): string =>
  title
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replace(/^[^a-z]+/, '')
    .slice(0, 39)
    .replace(/-+$/, '')

function Form({ onClose, taken }: Omit<NewToolsetProps, 'opened'>) {
  const organization = useOrganization()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const [title, setTitle] = useState('')
  const [own, setOwn] = useState<string>()
  const [start, setStart] = useState('all')
  const slug = own ?? slugOf(title)
  const t = texts.toolsets.new
  const isTaken = taken.includes(slug)
  const wrong = slug !== '' && !Slug.safeParse(slug).success
  const make = useMutation({
    mutationFn: () =>
      call(putToolset, {
        path: { organization, toolset: slug },
        body: { ...(STARTS[start] as ToolsetSettings), title: title.trim() },
      }),
    async onSuccess() {
      void queries.invalidateQueries({ queryKey: ['toolsets'] })
      sayDone(texts.toolsets.made({ title: title.trim() }))
      await navigate({
        to: `/toolsets/${slug}`,
        search: keepOrganization as never,
      })
    },
  })
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        make.mutate()
      }}
    >
      <Stack>
        <TextInput
          label={t.name}
          value={title}
          onChange={({ currentTarget }) => setTitle(currentTarget.value)}
          required
          maxLength={100}
          data-autofocus
        />
        <TextInput
          label={t.slug}
          description={t.slugHint}
          value={slug}
          onChange={({ currentTarget }) => setOwn(currentTarget.value)}
          required
          error={wrong ? t.slugWrong : isTaken ? t.slugTaken : undefined}
        />
        <Radio.Group label={t.start} value={start} onChange={setStart}>
          <Stack gap="xs" mt="xs">
            {Object.entries(t.starts).map(([value, label]) => (
              <Radio key={value} value={value} label={label} />
            ))}
          </Stack>
        </Radio.Group>
        <FormFoot
          verb={t.make}
          sending={make}
          disabled={slug === '' || wrong || isTaken || title.trim() === ''}
          onClose={onClose}
        />
      </Stack>
    </form>
  )
}
