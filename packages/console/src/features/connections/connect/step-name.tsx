/** The name step: the name, and a review of all settings. It is the last step before the connection exists (ledger S2-UI-04). */
import { Button, Group, Stack } from '@mantine/core'
import { useEffect } from 'react'
import { texts } from '../../../texts/texts.ts'
import { Allowed } from '../../../ui/allowed.tsx'
import { Facts } from '../../../ui/facts.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { linesOf } from '../../../parts/child-access/access-draft.ts'
import { placeOf, wayOf, WAYS, withProposed, type Draft } from './draft.ts'
import type { Owner } from './keep-draft.ts'
import { NameField } from './name-field.tsx'
import { useProbe } from './probe.tsx'
import { useMayStart } from './use-may-start.ts'

const t = texts.connect.name

export interface StepNameProps {
  readonly draft: Draft
  readonly onChange: (change: Partial<Draft>) => void
  readonly owner: Owner
  readonly busy: boolean
  readonly onFinish: () => void
  readonly onBack: () => void
}

export function StepName({ draft, onChange, owner, busy, onFinish, onBack }: StepNameProps) {
  const mayStart = useMayStart()
  const may = draft.kind !== 'program' || mayStart
  const way = wayOf(draft)
  const { probed } = useProbe(draft)
  // The answer may come after the step before this one was left.
  const proposed = probed?.name ?? draft.proposed
  useEffect(() => {
    if (proposed !== draft.proposed) onChange(withProposed(draft, proposed))
  })
  return (
    <Stack
      component="form"
      gap="lg"
      maw={720}
      onSubmit={(event) => {
        event.preventDefault()
        if (may) onFinish()
      }}
    >
      <NameField draft={draft} onChange={(name) => onChange({ name })} />
      <Facts facts={factsOf(draft, owner)} />
      <Group justify="space-between">
        <Button variant="default" onClick={onBack} disabled={busy}>
          {texts.connect.back}
        </Button>
        <Allowed may={may} why={texts.connect.program.notAllowedHint}>
          {/* How a program starts is told below. */}
          <Button
            type="submit"
            loading={busy && draft.kind !== 'program'}
            disabled={!may || busy}
            leftSection={<Icon name="plug-connected" size={16} />}
          >
            {way === 'oauth' ? t.finishOAuth : t.finish}
          </Button>
        </Allowed>
      </Group>
    </Stack>
  )
}

function factsOf(draft: Draft, owner: Owner) {
  const way = wayOf(draft)
  const named = (values: Draft['headers']) => values.filter(({ value }) => value !== '').map(({ name }) => name)
  const isRemote = draft.kind !== 'program'
  return [
    [t.facts.kind, t.kinds[draft.kind]],
    [isRemote ? t.facts.address : t.facts.command, draft.document === '' ? placeOf(draft) : t.pasted],
    [t.facts.network, isRemote ? undefined : texts.connection.access.networks[draft.access.network]],
    [t.facts.hosts, draft.access.network === 'listed' ? linesOf(draft.access.hosts).join(', ') : undefined],
    [t.facts.paths, isRemote ? undefined : linesOf(draft.access.paths).join(', ')],
    [t.facts.auth, isRemote && draft.kind !== 'service' ? texts.connect.auth.ways[way] : undefined],
    [t.facts.owner, way !== 'none' && WAYS[draft.kind].accounts ? texts.connect.auth.owners[owner] : undefined],
    [t.facts.headers, named(draft.headers).join(', ')],
    [t.facts.environment, named(draft.environment).join(', ')],
    [t.facts.tags, draft.tags.join(', ')],
  ] as const
}
