/** How the list of members is narrowed: each choice stands in the address, and the gateway searches. */
import { Group, NativeSelect, SimpleGrid } from '@mantine/core'
import type { MemberRole } from '@toolway/contract/admin'
import { z } from 'zod'
import { PickOne } from '../../parts/picker/picker.tsx'
import { texts } from '../../texts/texts.ts'
import { TypedSearch } from '../../ui/typed-search.tsx'
import { PERIODS, seenQuery, Seen } from './seen.ts'

/** As in the contract, which has them as a schema. */
export const ROLES: readonly MemberRole[] = ['tenant_admin', 'tenant_member', 'tenant_viewer']
const SOURCES = ['manual', 'provider', 'scim'] as const

export const MembersShown = z.object({
  q: z.string().default(''),
  role: z.enum(['tenant_admin', 'tenant_member', 'tenant_viewer']).optional(),
  group: z.string().max(64).optional(),
  source: z.enum(SOURCES).optional(),
  active: z.enum(['true', 'false']).optional(),
  seen: Seen.optional(),
  sort: z.enum(['name', 'role', 'last_seen_at']).default('name'),
  order: z.enum(['asc', 'desc']).default('asc'),
})
export type MembersShown = z.output<typeof MembersShown>

/** @param day midnight, so that the question is the same all day */
export function memberQuery({ q, role, group, source, active, seen }: MembersShown, day: Date) {
  return { role, group, source, is_active: active, ...seenQuery(seen, day), ...(q === '' ? {} : { search: q }) }
}

export const isNarrowed = ({ q, role, group, source, active, seen }: MembersShown): boolean =>
  q !== '' || [role, group, source, active, seen].some((choice) => choice !== undefined)

interface FiltersProps {
  readonly shown: MembersShown
  readonly onChange: (change: Partial<MembersShown>) => void
}

export function MemberFilters({ shown, onChange }: FiltersProps) {
  const { q, role, group, source, active, seen } = shown
  const t = texts.people
  return (
    <Group gap="sm" align="flex-end" mb="md">
      <TypedSearch
        label={t.search}
        placeholder={t.searchHint}
        value={q}
        onSearch={(next) => onChange({ q: next })}
        style={{ flex: '1 1 16rem' }}
      />
      <SimpleGrid cols={{ base: 2, sm: 3, lg: 5 }} spacing="sm" style={{ flex: '4 1 24rem' }}>
        <Choose
          label={t.roleFilter}
          value={role}
          choices={[['', t.anyRole], ...ROLES.map((item) => [item, texts.roles[item]] as const)]}
          onChange={(next) => onChange({ role: next })}
        />
        <PickOne
          kind="groups"
          label={t.groupFilter}
          placeholder={t.anyGroup}
          clearable
          value={group ?? null}
          onChange={(next) => onChange({ group: next ?? undefined })}
        />
        <Choose
          label={t.sourceFilter}
          value={source}
          choices={[['', t.sources.any], ...SOURCES.map((item) => [item, t.sources[item]] as const)]}
          onChange={(next) => onChange({ source: next })}
        />
        <Choose
          label={t.stateFilter}
          value={active}
          choices={[
            ['', t.anyState],
            ['true', t.activeOnly],
            ['false', t.suspendedOnly],
          ]}
          onChange={(next) => onChange({ active: next })}
        />
        <SeenFilter value={seen} onChange={(next) => onChange({ seen: next })} />
      </SimpleGrid>
    </Group>
  )
}

interface ChooseProps<Value extends string> {
  readonly label: string
  readonly value: Value | undefined
  readonly choices: readonly (readonly [Value | '', string])[]
  readonly onChange: (value: Value | undefined) => void
}

export function Choose<Value extends string>({ label, value, choices, onChange }: ChooseProps<Value>) {
  return (
    <NativeSelect
      label={label}
      value={value ?? ''}
      data={choices.map(([item, words]) => ({ value: item, label: words }))}
      onChange={({ currentTarget }) => {
        const next = choices.find(([item]) => item === currentTarget.value)?.[0]
        onChange(next === '' ? undefined : next)
      }}
    />
  )
}

type SeenChoice = z.output<typeof Seen>

export function SeenFilter({
  value,
  onChange,
}: {
  value: SeenChoice | undefined
  onChange: (value: SeenChoice | undefined) => void
}) {
  const t = texts.people
  return (
    <Choose<SeenChoice>
      label={t.seenFilter}
      value={value}
      choices={[
        ['', t.anyTime],
        ...PERIODS.map((days) => [`${days}`, t.seenWithin({ days })] as const),
        ...PERIODS.map((days) => [`-${days}`, t.notSeen({ days })] as const),
      ]}
      onChange={onChange}
    />
  )
}
