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
import { useMembership } from '../../data/me.ts'
import { Problem } from '../../data/problem.ts'
import { texts } from '../../texts/texts.ts'
import { Failed } from '../../ui/failed.tsx'

export type Owner = 'me' | 'organization' | 'platform'
export type Made = Key & { readonly key: string }

export interface MakeKeyProps {
  readonly of: Owner
  /** What it is called if nobody says otherwise. */
  readonly name?: string
  /** The only toolset that it is for. */
  readonly toolset?: string | undefined
  readonly onMade: (made: Made) => void
}

/** Days; none: it does not end. */
const LIVES = ['30', '90', '365', 'never'] as const
const DAY_MS = 86_400_000
const ROLES: readonly Exclude<Role, 'platform_admin'>[] = ['tenant_member', 'tenant_viewer', 'tenant_admin']

interface Wish {
  readonly name: string
  readonly limit: Limit
  readonly life: string
  readonly scope: Role
  readonly trusted: boolean
}

export function MakeKey({ of, name = '', toolset, onMade }: MakeKeyProps) {
  const organization = useOrganizationOf(of)
  const queries = useQueryClient()
  const labelled = useId()
  // Three words beside one another are too wide for a telephone.
  const orientation = useMatches({ base: 'vertical' as const, xs: 'horizontal' as const })
  const [wish, setWish] = useState<Wish>({ name, limit: 'write', life: '90', scope: 'tenant_member', trusted: false })
  const change = (part: Partial<Wish>) => setWish((before) => ({ ...before, ...part }))
  const make = useMutation({
    mutationFn: () => makeOf(of, wish, organization, toolset),
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
        <div>
          <Text id={labelled} size="sm" fw={600} mb={4}>
            {t.limit}
          </Text>
          <SegmentedControl
            aria-labelledby={labelled}
            fullWidth
            orientation={orientation}
            value={wish.limit}
            onChange={(limit) => change({ limit: limit })}
            data={LIMITS.map((limit) => ({ value: limit, label: texts.keys.limits[limit] }))}
          />
          <Text size="sm" c="dimmed" mt={4}>
            {t.limitHints[wish.limit]}
          </Text>
        </div>
        <Group gap="md" align="flex-start" grow>
          <Select
            label={t.life}
            value={wish.life}
            onChange={(life) => change({ life: life ?? 'never' })}
            data={LIVES.map((life) => ({ value: life, label: t.lives[life] }))}
            allowDeselect={false}
          />
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
        {of === 'organization' ? (
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

/** Only a key of the platform has none. */
function useOrganizationOf(of: Owner): string {
  const membership = useMembership()
  const named = membership?.slug
  if (named === undefined && of !== 'platform') throw new Error('This key is of an organization.')
  return named ?? ''
}

function makeOf(
  of: Owner,
  { name, limit, life, scope, trusted }: Wish,
  organization: string,
  toolset: string | undefined,
): Promise<Made> {
  const words = {
    name,
    limit,
    ...(toolset === undefined ? {} : { toolset }),
    ...(life === 'never' ? {} : { expires_at: new Date(Date.now() + Number(life) * DAY_MS).toISOString() }),
  }
  if (of === 'me') return call(addMyKey, { body: { ...words, organization } })
  if (of === 'platform') return call(addPlatformKey, { body: { ...words, scope: 'platform_admin' } })
  return call(addOrganizationKey, { path: { organization }, body: { ...words, scope, trusted } })
}
