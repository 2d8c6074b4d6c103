/** For whom a toolset is there, and how far its tools reach. */
import { MultiSelect, Select, SimpleGrid, Stack, Switch, TagsInput, Text, Title } from '@mantine/core'
import { LIMITS, ROLES, type Audience, type Limit } from '@toolway/contract'
import { listGroups, listMembers, listOrganizationKeys, type OrganizationTool } from '@toolway/contract/admin'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useMay, useOrganization } from '../../data/me.ts'
import { ask } from '../../data/queries.ts'
import { texts } from '../../texts/texts.ts'
import type { Drafting } from './use-draft.ts'

interface AudienceTabProps {
  readonly drafting: Drafting
  readonly tools: readonly OrganizationTool[]
}

export function AudienceTab({ drafting, tools }: AudienceTabProps) {
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
      <Limits drafting={drafting} tools={tools} />
    </Stack>
  )
}

const PAGE = { limit: 200 }

function Who({ audience, onChange }: { audience: Audience; onChange: (next: Audience) => void }) {
  const organization = useOrganization()
  const path = { organization }
  const [mayPeople, mayKeys] = [useMay('user_manage'), useMay('key_manage')]
  const groups = useQuery({ ...ask('people', listGroups, { path }), enabled: mayPeople })
  const members = useQuery({ ...ask('people', listMembers, { path, query: PAGE }), enabled: mayPeople })
  const keys = useQuery({ ...ask('keys', listOrganizationKeys, { path, query: PAGE }), enabled: mayKeys })
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
        <MultiSelect
          label={t.groups}
          data={optionsOf(
            groups.data?.items.map(({ slug, title }) => [slug, title]),
            audience.groups,
          )}
          value={[...(audience.groups ?? [])]}
          onChange={(chosen) => change('groups', chosen)}
          searchable
        />
        <TagsInput
          label={t.members}
          data={members.data?.items.map(({ email }) => email) ?? []}
          value={[...(audience.members ?? [])]}
          onChange={(chosen) => change('members', chosen)}
          limit={50}
        />
        <MultiSelect
          label={t.keys}
          data={optionsOf(
            keys.data?.items.map(({ id, name, user_id: user }) => (user === null ? [name, name] : [id, name])),
            audience.keys,
          )}
          value={[...(audience.keys ?? [])]}
          onChange={(chosen) => change('keys', chosen)}
          searchable
        />
      </SimpleGrid>
    </Stack>
  )
}

/** Each value once, also those that are said and that nobody knows (any more). */
function optionsOf(known: readonly (readonly [string, string])[] = [], said: readonly string[] = []) {
  const all = new Map([...said.map((value) => [value, value] as const), ...known])
  return Array.from(all, ([value, label]) => ({ value, label }))
}

const AS_ALL = 'as-all'

function Limits({ drafting, tools }: AudienceTabProps) {
  const { draft, set } = drafting
  const { settings } = draft
  const { limits = {} } = settings
  const aliases = useMemo(
    () => [...new Set([...tools.map(({ alias }) => alias), ...Object.keys(limits)])].toSorted(),
    [tools, limits],
  )
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
      {aliases.length === 0 ? null : <Title order={2}>{t.perConnection}</Title>}
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
