/** For whom a toolset is there, and how far its tools reach. */
import { MultiSelect, Select, SimpleGrid, Stack, Switch, Text, Title } from '@mantine/core'
import { LIMITS, ROLES, type Audience, type Limit } from '@toolway/contract'
import { useState } from 'react'
import { PickMany, PickOne, PickTags } from '../../parts/picker/picker.tsx'
import { texts } from '../../texts/texts.ts'
import type { Drafting } from './use-draft.ts'

interface AudienceTabProps {
  readonly drafting: Drafting
}

export function AudienceTab({ drafting }: AudienceTabProps) {
  const { draft, set } = drafting
  const { audience, ...rest } = draft.settings
  const t = texts.toolsets.audience
  return (
    <Stack gap="lg">
      <Stack>
        <Switch
          label={t.everybody}
          checked={audience === undefined}
          onChange={({ currentTarget }) =>
            set(currentTarget.checked ? rest : { ...rest, audience: { roles: ['tenant_admin'] } })
          }
        />
        {audience === undefined ? null : (
          <Who audience={audience} onChange={(next) => set({ ...rest, audience: next })} />
        )}
      </Stack>
      <Limits drafting={drafting} />
    </Stack>
  )
}

function Who({ audience, onChange }: { audience: Audience; onChange: (next: Audience) => void }) {
  const t = texts.toolsets.audience
  // A part that names nobody is left out; an audience without any part says so below, and is not saved.
  const change = (part: keyof Audience, value: readonly string[]) => {
    const { [part]: _, ...others } = audience
    onChange(value.length === 0 ? others : { ...others, [part]: value })
  }
  return (
    <Stack>
      <Text size="sm" c="dimmed">
        {t.hint}
      </Text>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <MultiSelect
          label={t.roles}
          data={ROLES.map((role) => ({ value: role, label: texts.roles[role] }))}
          value={[...(audience.roles ?? [])]}
          onChange={(roles) => change('roles', roles)}
        />
        <PickMany
          kind="groups"
          label={t.groups}
          value={audience.groups ?? []}
          onChange={(chosen) => change('groups', chosen)}
        />
        <PickTags
          kind="members"
          label={t.members}
          value={audience.members ?? []}
          onChange={(chosen) => change('members', chosen)}
        />
        <PickMany
          kind="keys by name"
          label={t.keys}
          value={audience.keys ?? []}
          onChange={(chosen) => change('keys', chosen)}
        />
      </SimpleGrid>
    </Stack>
  )
}

const AS_ALL = 'as-all'

/** Connections with a limit of their own, and one more that is chosen. */
function Limits({ drafting }: AudienceTabProps) {
  const { draft, set } = drafting
  const { settings } = draft
  const { limits = {} } = settings
  const [added, setAdded] = useState<readonly string[]>([])
  const aliases = [...new Set([...Object.keys(limits), ...added])].toSorted()
  const t = texts.toolsets.audience
  const all = LIMITS.map((limit) => ({ value: limit, label: t.limits[limit] }))
  const narrow = (alias: string, limit: string | null) => {
    const { limits: _, ...rest } = settings
    const { [alias]: __, ...others } = limits
    const next = limit === null || limit === AS_ALL ? others : { ...others, [alias]: limit as Limit }
    set(Object.keys(next).length === 0 ? rest : { ...rest, limits: next })
  }
  return (
    <Stack>
      <Select
        label={t.limit}
        data={all}
        value={settings.limit ?? 'execute'}
        allowDeselect={false}
        maw={460}
        onChange={(limit) => {
          const { limit: _, ...rest } = settings
          set(limit === 'execute' || limit === null ? rest : { ...rest, limit })
        }}
      />
      <Title order={2}>{t.perConnection}</Title>
      <PickOne
        key={aliases.length}
        kind="connections"
        label={texts.tools.connection}
        placeholder={t.addLimit}
        value={null}
        onChange={(alias) => alias !== null && setAdded((before) => [...before, alias])}
        maw={460}
      />
      <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }}>
        {aliases.map((alias) => (
          <Select
            key={alias}
            label={t.limitOf({ alias })}
            data={[{ value: AS_ALL, label: t.asAll }, ...all]}
            value={limits[alias] ?? AS_ALL}
            allowDeselect={false}
            onChange={(limit) => narrow(alias, limit)}
          />
        ))}
      </SimpleGrid>
    </Stack>
  )
}
