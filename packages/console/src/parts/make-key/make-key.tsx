/**
 * Making a key where one is needed: one's own, one of the organization, or one of the platform. Its text is handed on once, and kept
 * nowhere but in what shows it.
 */
import { Button, Group, SegmentedControl, Select, Stack, Switch, Text, TextInput, useMatches } from '@mantine/core'
import { LIMITS, type Limit, type Role } from '@toolway/contract'
import { addMyKey, addOrganizationKey, addPlatformKey, type Key } from '@toolway/contract/admin'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { call } from '../../data/call.ts'
import { useMay, useMembership } from '../../data/me.ts'
import { Problem } from '../../data/problem.ts'
import { texts } from '../../texts/texts.ts'
import { Failed } from '../../ui/failed.tsx'
import { endOf, KeyEnd, type Ends } from './key-end.tsx'
import { KeyToolset } from './key-toolset.tsx'

export type Owner = 'me' | 'organization' | 'platform'
export type Made = Key & { readonly key: string }

export interface MakeKeyProps {
  readonly of: Owner
  /** The default name of the key. */
  readonly name?: string
  /** The only toolset that it is for. */
  readonly toolset?: string | undefined
  readonly onMade: (made: Made) => void
}

const ROLES: readonly Exclude<Role, 'platform_admin'>[] = ['tenant_member', 'tenant_viewer', 'tenant_admin']

interface Wish {
  readonly name: string
  readonly limit: Limit
  readonly ends: Ends
  /** Of the form; undefined where it may use every toolset. */
  readonly toolset: string | undefined
  readonly scope: Role
  readonly trusted: boolean
}

const FIRST = {
  limit: 'write',
  ends: { after: '90', on: '' },
  scope: 'tenant_member',
  trusted: false,
} as const satisfies Partial<Wish>

export function MakeKey({ of, name = '', toolset, onMade }: MakeKeyProps) {
  const organization = useOrganizationOf(of)
  const queries = useQueryClient()
  const mayTrust = useMay('key_manage', 'platform')
  const [wish, setWish] = useState<Wish>({ ...FIRST, name, toolset })
  const change = (part: Partial<Wish>) => setWish((before) => ({ ...before, ...part }))
  const make = useMutation({
    mutationFn: () => makeOf(of, wish, organization),
    onSuccess: (made) => {
      void queries.invalidateQueries({ queryKey: ['keys'] })
      onMade(made)
    },
  })
  const t = texts.keys.make
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        make.mutate()
      }}
    >
      <Stack gap="md">
        <TextInput
          label={t.name}
          description={t.nameHint}
          value={wish.name}
          onChange={(event) => change({ name: event.currentTarget.value })}
          required
          maxLength={255}
          data-autofocus
        />
        <LimitField value={wish.limit} onChange={(limit) => change({ limit })} />
        <Group gap="md" align="flex-start" grow>
          <KeyEnd value={wish.ends} onChange={(ends) => change({ ends })} />
          {of === 'organization' ? (
            <Select
              label={t.role}
              value={wish.scope}
              onChange={(scope) => change({ scope: scope ?? 'tenant_member' })}
              data={ROLES.map((role) => ({ value: role, label: texts.roles[role] }))}
              allowDeselect={false}
            />
          ) : null}
        </Group>
        {of === 'platform' || toolset !== undefined ? null : (
          <KeyToolset
            organization={organization}
            value={wish.toolset}
            onChange={(chosen) => change({ toolset: chosen })}
          />
        )}
        {of === 'organization' && mayTrust ? (
          <Switch
            label={t.trusted}
            description={t.trustedHint}
            checked={wish.trusted}
            onChange={(event) => change({ trusted: event.currentTarget.checked })}
          />
        ) : null}
        {make.error === null ? null : <Failed failure={Problem.of(make.error)} />}
        <Group>
          <Button type="submit" loading={make.isPending}>
            {t.submit}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

function LimitField({ value, onChange }: { value: Limit; onChange: (limit: Limit) => void }) {
  const labelled = useId()
  // Three words beside one another are too wide for a telephone.
  const orientation = useMatches({ base: 'vertical' as const, xs: 'horizontal' as const })
  const t = texts.keys.make
  return (
    <div>
      <Text id={labelled} size="sm" fw={600} mb={4}>
        {t.limit}
      </Text>
      <SegmentedControl
        aria-labelledby={labelled}
        fullWidth
        orientation={orientation}
        value={value}
        onChange={onChange}
        data={LIMITS.map((limit) => ({ value: limit, label: texts.keys.limits[limit] }))}
      />
      <Text size="sm" c="dimmed" mt={4}>
        {t.limitHints[value]}
      </Text>
    </div>
  )
}

/** Only a key of the platform has none. */
function useOrganizationOf(of: Owner): string {
  const membership = useMembership()
  const named = membership?.slug
  if (named === undefined && of !== 'platform') throw new Error('This key is of an organization.')
  return named ?? ''
}

function makeOf(of: Owner, { name, limit, ends, toolset, scope, trusted }: Wish, organization: string): Promise<Made> {
  const end = endOf(ends)
  const words = {
    name,
    limit,
    ...(toolset === undefined ? {} : { toolset }),
    ...(end === undefined ? {} : { expires_at: end.toISOString() }),
  }
  if (of === 'me') return call(addMyKey, { body: { ...words, organization } })
  if (of === 'platform') return call(addPlatformKey, { body: { ...words, scope: 'platform_admin' } })
  return call(addOrganizationKey, { path: { organization }, body: { ...words, scope, trusted } })
}
