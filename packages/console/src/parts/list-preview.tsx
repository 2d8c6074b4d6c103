/** A preview of the listing that a caller gets at an endpoint: caller, endpoint and revision are in the address. */
import { Alert, Group, Select, Stack, Text } from '@mantine/core'
import { listToolsets, previewList } from '@toolway/contract/admin'
import { REVISIONS } from '@toolway/contract'
import { useQuery } from '@tanstack/react-query'
import { z } from 'zod'
import { useOrganization } from '../data/me.ts'
import { ask } from '../data/queries.ts'
import { useUrlState } from '../data/url-state.ts'
import { texts } from '../texts/texts.ts'
import { Icon } from '../ui/icon.tsx'
import { Loaded } from '../ui/loaded.tsx'
import { mendOf } from '../ui/mend.ts'
import { PickMixed } from './picker/picker.tsx'
import { PreviewedList } from './previewed-list.tsx'

const Wanted = z.object({
  who: z.string().default('me'),
  where: z.string().default('all'),
  revision: z.enum(REVISIONS).default('2026-07-28'),
})

/** @param toolset the one place there is, where it is known */
export function ListPreviewPart({ toolset }: { toolset?: string }) {
  const organization = useOrganization()
  const [{ who, where, revision }, set] = useUrlState(Wanted)
  const toolsets = useToolsets(toolset === undefined)
  const body = { ...callerOf(who), ...(toolset === undefined ? placeOf(where) : { toolset }), revision }
  const query = useQuery(ask('tools', previewList, { path: { organization }, body }))
  const t = texts.tools.preview
  return (
    <Stack>
      <Text c="dimmed">{t.hint}</Text>
      <Group gap="sm" align="flex-end">
        <PickMixed
          label={t.who}
          value={who}
          labelOf={withoutKind}
          fixed={[
            { group: '', items: [{ value: 'me', label: t.me }] },
            {
              group: t.groups.roles,
              items: ROLES.map((role) => ({ value: `role:${role}`, label: texts.roles[role] })),
            },
          ]}
          sources={[
            { kind: 'members', group: t.groups.members, wordOf: (email) => `member:${email}` },
            { kind: 'keys', group: t.groups.keys, wordOf: (id) => `key:${id}` },
          ]}
          onChange={(next) => set({ who: next })}
          style={{ flex: '1 1 12rem' }}
        />
        {toolset === undefined ? (
          <PickMixed
            label={t.where}
            value={where}
            labelOf={withoutKind}
            fixed={[
              { group: '', items: [{ value: 'all', label: t.all }] },
              { group: t.groups.toolsets, items: toolsets },
            ]}
            sources={[{ kind: 'connections', group: t.groups.connections, wordOf: (alias) => `connection:${alias}` }]}
            onChange={(next) => set({ where: next })}
            style={{ flex: '1 1 12rem' }}
          />
        ) : null}
        <Select
          label={t.revision}
          value={revision}
          data={REVISIONS.toReversed().map((item) => ({ value: item, label: item }))}
          onChange={(next) => next !== null && set({ revision: next })}
          allowDeselect={false}
          style={{ flex: '1 1 12rem' }}
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

const ROLES = ['tenant_admin', 'tenant_member', 'tenant_viewer'] as const

/** `member:ada@example.com` as it is read. */
const withoutKind = (word: string): string => word.replace(/^\w+:/, '')

function useToolsets(requested: boolean) {
  const path = { organization: useOrganization() }
  const { data } = useQuery({ ...ask('toolsets', listToolsets, { path }), enabled: requested })
  return (data?.items ?? []).map(({ slug, title }) => ({ value: `toolset:${slug}`, label: title }))
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
