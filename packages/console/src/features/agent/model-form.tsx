/** The model that the agent works with: its provider, address, name and key. */
import { Button, Group, Modal, PasswordInput, Select, Stack, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { AGENT_PROVIDERS, AGENT_URLS, removeAgentModel, setAgentModel, type AgentModel } from '@toolway/contract/admin'
import { useState } from 'react'
import { call } from '../../data/call.ts'
import { useOrganization } from '../../data/me.ts'
import { Problem } from '../../data/problem.ts'
import { texts } from '../../texts/texts.ts'
import { Failed } from '../../ui/failed.tsx'
import { sayDone } from '../../ui/say.tsx'

const t = texts.agent.model

export interface ModelDialogProps {
  readonly opened: boolean
  readonly model: AgentModel | null
  readonly onClose: () => void
}

export function ModelDialog({ opened, model, onClose }: ModelDialogProps) {
  return (
    <Modal opened={opened} onClose={onClose} title={t.title} closeButtonProps={{ 'aria-label': texts.close }}>
      <ModelForm key={String(opened)} model={model} onDone={onClose} />
    </Modal>
  )
}

function ModelForm({ model, onDone }: { model: AgentModel | null; onDone: () => void }) {
  const organization = useOrganization()
  const queries = useQueryClient()
  const [provider, setProvider] = useState<AgentModel['provider']>(model?.provider ?? 'openai')
  const [url, setUrl] = useState(model?.url ?? '')
  const [name, setName] = useState(model?.model ?? '')
  const [key, setKey] = useState('')
  const path = { organization }
  const done = (words: string) => {
    sayDone(words)
    onDone()
    return queries.invalidateQueries({ queryKey: ['settings'] })
  }
  const set = useMutation({
    mutationFn: () =>
      call(setAgentModel, {
        path,
        body: { provider, model: name, ...(url === '' ? {} : { url }), ...(key === '' ? {} : { key }) },
      }),
    onSuccess: () => done(t.saved),
  })
  const remove = useMutation({
    mutationFn: () => call(removeAgentModel, { path }),
    onSuccess: () => done(t.removed),
  })
  const failure = set.error ?? remove.error
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        set.mutate()
      }}
    >
      <Stack>
        {failure === null ? null : <Failed failure={Problem.of(failure)} />}
        <Select
          label={t.provider}
          data={AGENT_PROVIDERS.map((value) => ({ value, label: t.providers[value] }))}
          value={provider}
          onChange={(next) => next !== null && setProvider(next)}
          allowDeselect={false}
        />
        <TextInput
          label={t.url}
          description={t.urlHint}
          placeholder={AGENT_URLS[provider]}
          value={url}
          onChange={(event) => setUrl(event.currentTarget.value)}
        />
        <TextInput
          label={t.name}
          description={t.nameHint}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          required
        />
        <PasswordInput
          label={t.key}
          description={model?.has_key === true ? t.keyStays : t.keyHint}
          value={key}
          onChange={(event) => setKey(event.currentTarget.value)}
          autoComplete="off"
          visibilityToggleButtonProps={{ 'aria-label': t.showKey }}
        />
        <Group justify="space-between">
          {model === null ? (
            <span />
          ) : (
            <Button variant="subtle" color="red" loading={remove.isPending} onClick={() => remove.mutate()}>
              {t.remove}
            </Button>
          )}
          <Button type="submit" loading={set.isPending} disabled={name === ''}>
            {t.save}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
