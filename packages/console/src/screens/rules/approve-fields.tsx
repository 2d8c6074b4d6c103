/** The approvers, the number required, and the lifetimes of a request and a grant. */
import { MultiSelect, SimpleGrid, Stack, Switch } from '@mantine/core'
import { listWebhooks } from '@toolway/contract/admin'
import { useQuery } from '@tanstack/react-query'
import { useOrganization } from '../../data/me.ts'
import { ask } from '../../data/queries.ts'
import { texts } from '../../texts/texts.ts'
import type { Parameters } from './draft.ts'
import { NumberField, problemAt, type EditProps } from './fields.tsx'
import { useNames } from './names.ts'
import { listIn, recordIn } from './sentence.ts'

const ROLES = ['tenant_admin', 'tenant_member', 'tenant_viewer'] as const

export function ApproveFields({ draft, onChange, problems }: EditProps) {
  const values = draft.parameters
  const by = recordIn(values, 'by')
  const names = useNames()
  const organization = useOrganization()
  const webhooks = useQuery(ask('webhooks', listWebhooks, { path: { organization } }))
  const t = texts.rules.edit
  const onValues = (parameters: Parameters) => onChange({ ...draft, parameters })
  const setBy = (change: Parameters) => onValues({ ...values, by: { ...by, ...change } })
  const at = (name: string) => problemAt(problems, `/parameters/${name}`)
  const who = (name: string, label: string, data: readonly { value: string; label: string }[]) => (
    <MultiSelect
      label={label}
      data={[...data, ...listIn(by, name).filter((one) => data.every(({ value }) => value !== one))]}
      value={listIn(by, name)}
      onChange={(next) => setBy({ [name]: next })}
      searchable
      nothingFoundMessage={texts.palette.nothing}
    />
  )
  return (
    <Stack gap="md">
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        {who(
          'roles',
          t.byRoles,
          ROLES.map((value) => ({ value, label: texts.roles[value] })),
        )}
        {who('members', t.byMembers, names.named.member)}
        {who('groups', t.byGroups, names.groups)}
        {who(
          'webhooks',
          t.byWebhooks,
          (webhooks.data?.items ?? []).map(({ id, url }) => ({ value: id, label: url })),
        )}
      </SimpleGrid>
      <Switch
        label={t.bySelf}
        description={t.bySelfHint}
        checked={by['self'] === true}
        onChange={(event) => setBy({ self: event.currentTarget.checked })}
        error={at('by')}
      />
      <Switch
        label={t.always}
        description={t.alwaysHint}
        checked={values['always'] === true}
        onChange={(event) => onValues({ ...values, always: event.currentTarget.checked })}
        error={at('always')}
      />
      <SimpleGrid cols={{ base: 1, xs: 3 }}>
        <NumberField
          label={t.quorum}
          hint={t.quorumHint}
          name="quorum"
          min={1}
          problem={at('quorum')}
          values={values}
          onValues={onValues}
        />
        <NumberField
          label={t.wait}
          hint={t.waitHint}
          name="wait"
          min={10}
          problem={at('wait')}
          values={values}
          onValues={onValues}
        />
        <NumberField
          label={t.repeat}
          hint={t.repeatHint}
          name="repeat"
          min={0}
          problem={at('repeat')}
          values={values}
          onValues={onValues}
        />
      </SimpleGrid>
    </Stack>
  )
}
