/** A preview of the listing that a caller gets at an endpoint: caller, endpoint and revision are in the address. */
import { Alert, Group, Select, Stack, Text, type ComboboxData } from '@mantine/core'
import { listConnections, listMembers, listOrganizationKeys, listToolsets, previewList } from '@toolway/contract/admin'
import { REVISIONS } from '@toolway/contract'
import { useQuery } from '@tanstack/react-query'
import { z } from 'zod'
import { useMay, useOrganization } from '../data/me.ts'
import { ask } from '../data/queries.ts'
import { useUrlState } from '../data/url-state.ts'
import { texts } from '../texts/texts.ts'
import { Icon } from '../ui/icon.tsx'
import { Loaded } from '../ui/loaded.tsx'
import { mendOf } from '../ui/mend.ts'
import { PreviewedList } from './previewed-list.tsx'

const Wanted = z.object({
  who: z.string().default('me'),
  where: z.string().default('all'),
  revision: z.enum(REVISIONS).default('2026-07-28'),
})

const PEOPLE = { limit: 200 }

/** @param toolset the one place there is, where it is known */
export function ListPreviewPart({ toolset }: { toolset?: string }) {
  const organization = useOrganization()
  const [{ who, where, revision }, set] = useUrlState(Wanted)
  const whos = useCallers(organization)
  const wheres = usePlaces(organization, toolset === undefined)
  const body = { ...callerOf(who), ...(toolset === undefined ? placeOf(where) : { toolset }), revision }
  const query = useQuery(ask('tools', previewList, { path: { organization }, body }))
  const t = texts.tools.preview
  return (
    <Stack>
      <Text c="dimmed">{t.hint}</Text>
      <Group gap="sm" align="flex-end">
        <Choice label={t.who} value={who} data={whos} onChange={(next) => set({ who: next })} />
        {toolset === undefined ? (
          <Choice label={t.where} value={where} data={wheres} onChange={(next) => set({ where: next })} />
        ) : null}
        <Choice
          label={t.revision}
          value={revision}
          data={[{ group: '', items: REVISIONS.toReversed().map((one) => ({ value: one, label: one })) }]}
          onChange={(next) => set({ revision: next as typeof revision })}
        />
      </Group>
      <Loaded query={query}>
        {(answer) =>
          answer.refused === null ? (
            <PreviewedList answer={answer} />
          ) : (
            <Alert icon={<Icon name="lock" />} title={t.refused} color="orange">
              {answer.refused.message} {mendOf(answer.refused)}
            </Alert>
          )
        }
      </Loaded>
    </Stack>
  )
}

interface Options {
  readonly group: string
  readonly items: readonly { readonly value: string; readonly label: string }[]
}

function Choice(props: { label: string; value: string; data: readonly Options[]; onChange: (next: string) => void }) {
  const { label, value, data, onChange } = props
  const known = data.some(({ items }) => items.some((item) => item.value === value))
  // The value in the address is shown even before its list has loaded.
  const all = known ? data : [...data, { group: '', items: [{ value, label: value.replace(/^\w+:/, '') }] }]
  return (
    <Select
      label={label}
      value={value}
      data={all.flatMap(optionsOf)}
      onChange={(next) => next !== null && onChange(next)}
      allowDeselect={false}
      searchable={data.flatMap(({ items }) => items).length > 12}
      style={{ flex: '1 1 12rem' }}
    />
  )
}

const optionsOf = ({ group, items }: Options): ComboboxData =>
  group === '' ? [...items] : items.length === 0 ? [] : [{ group, items: [...items] }]

/** Those who may not see people or keys can still ask for themselves and for roles. */
function useCallers(organization: string): readonly Options[] {
  const [mayPeople, mayKeys] = [useMay('user_manage'), useMay('key_manage')]
  const path = { organization }
  const members = useQuery({ ...ask('people', listMembers, { path, query: PEOPLE }), enabled: mayPeople })
  const keys = useQuery({ ...ask('keys', listOrganizationKeys, { path, query: PEOPLE }), enabled: mayKeys })
  const t = texts.tools.preview
  const roles = ['tenant_admin', 'tenant_member', 'tenant_viewer'] as const
  return [
    { group: '', items: [{ value: 'me', label: t.me }] },
    { group: t.groups.roles, items: roles.map((role) => ({ value: `role:${role}`, label: texts.roles[role] })) },
    {
      group: t.groups.members,
      items: (members.data?.items ?? []).map(({ email }) => ({ value: `member:${email}`, label: email })),
    },
    {
      group: t.groups.keys,
      items: (keys.data?.items ?? []).map(({ id, name, hint }) => ({
        value: `key:${id}`,
        label: `${name} (…${hint})`,
      })),
    },
  ]
}

function usePlaces(organization: string, wanted: boolean): readonly Options[] {
  const path = { organization }
  const toolsets = useQuery({ ...ask('toolsets', listToolsets, { path }), enabled: wanted })
  const connections = useQuery({ ...ask('connections', listConnections, { path, query: PEOPLE }), enabled: wanted })
  const t = texts.tools.preview
  return [
    { group: '', items: [{ value: 'all', label: t.all }] },
    {
      group: t.groups.toolsets,
      items: (toolsets.data?.items ?? []).map(({ slug, title }) => ({ value: `toolset:${slug}`, label: title })),
    },
    {
      group: t.groups.connections,
      items: (connections.data?.items ?? []).map(({ alias }) => ({ value: `connection:${alias}`, label: alias })),
    },
  ]
}

function callerOf(who: string): {
  as?: string
  key?: string
  role?: 'tenant_admin' | 'tenant_member' | 'tenant_viewer'
} {
  const [kind = '', ...rest] = who.split(':')
  const name = rest.join(':')
  if (kind === 'member') return { as: name }
  if (kind === 'key') return { key: name }
  return kind === 'role' ? { role: name as 'tenant_member' } : {}
}

function placeOf(where: string): { toolset?: string; connection?: string } {
  const [kind = '', name = ''] = where.split(':')
  return kind === 'toolset' ? { toolset: name } : kind === 'connection' ? { connection: name } : {}
}
