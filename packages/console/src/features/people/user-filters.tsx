/** How the list of users is narrowed: each choice stands in the address, and the gateway searches. */
import { Group, SimpleGrid } from '@mantine/core'
import { z } from 'zod'
import { texts } from '../../texts/texts.ts'
import { TypedSearch } from '../../ui/typed-search.tsx'
import { Choose, SeenFilter } from './member-filters.tsx'
import { Seen, seenQuery } from './seen.ts'

const SOURCES = ['local', 'provider', 'scim'] as const

export const UsersShown = z.object({
  q: z.string().default(''),
  source: z.enum(SOURCES).optional(),
  active: z.enum(['true', 'false']).optional(),
  admin: z.enum(['true', 'false']).optional(),
  seen: Seen.optional(),
  sort: z.enum(['name', 'last_seen_at']).default('name'),
  order: z.enum(['asc', 'desc']).default('asc'),
})
export type UsersShown = z.output<typeof UsersShown>

/** @param day the moment from which days are counted back */
export function userQuery({ q, source, active, admin, seen }: UsersShown, day: Date) {
  return {
    source,
    is_active: active,
    platform_admin: admin,
    ...seenQuery(seen, day),
    ...(q === '' ? {} : { search: q }),
  }
}

export const isEverybody = ({ q, source, active, admin, seen }: UsersShown): boolean =>
  q === '' && [source, active, admin, seen].every((choice) => choice === undefined)

interface FiltersProps {
  readonly shown: UsersShown
  readonly onChange: (change: Partial<UsersShown>) => void
}

export function UserFilters({ shown: { q, source, active, admin, seen }, onChange }: FiltersProps) {
  const t = texts.users
  return (
    <Group gap="sm" align="flex-end" mb="md">
      <TypedSearch
        label={texts.people.search}
        placeholder={texts.people.searchHint}
        value={q}
        onSearch={(next) => onChange({ q: next })}
        style={{ flex: '1 1 16rem' }}
      />
      <SimpleGrid cols={{ base: 2, sm: 4 }} spacing="sm" style={{ flex: '3 1 24rem' }}>
        <Choose
          label={t.columns.admin}
          value={admin}
          choices={[
            ['', t.anybody],
            ['true', t.adminsOnly],
          ]}
          onChange={(next) => onChange({ admin: next })}
        />
        <Choose
          label={texts.people.sourceFilter}
          value={source}
          choices={[
            ['', texts.people.sources.any],
            ['local', t.local],
            ['provider', texts.people.sources.provider],
            ['scim', texts.people.sources.scim],
          ]}
          onChange={(next) => onChange({ source: next })}
        />
        <Choose
          label={texts.people.stateFilter}
          value={active}
          choices={[
            ['', texts.people.anyState],
            ['true', texts.people.activeOnly],
            ['false', t.inactiveOnly],
          ]}
          onChange={(next) => onChange({ active: next })}
        />
        <SeenFilter value={seen} onChange={(next) => onChange({ seen: next })} />
      </SimpleGrid>
    </Group>
  )
}
