/** Where a rule holds, by names that are there; once it is kept it stays there. */
import { Select, SimpleGrid, Text } from '@mantine/core'
import { RULE_SCOPES, type RuleScope } from '@toolway/contract'
import { useMay } from '../../data/me.ts'
import { texts } from '../../texts/texts.ts'
import { problemAt, type EditProps } from './problems.ts'
import { PickOne } from '../../parts/picker/picker.tsx'
import { useNameOf, useToolsetNames } from './names.ts'
import { whereOf } from './sentence.ts'

const KINDS = { connection: 'connections', member: 'members', key: 'keys' } as const

export function PlaceFields({ draft, onChange, problems, fixed }: EditProps & { fixed: boolean }) {
  const toolsets = useToolsetNames()
  const nameOf = useNameOf(draft.scope, draft.of)
  const ofPlatform = useMay('policy_manage', 'platform')
  const t = texts.rules
  if (fixed) return <Text size="sm">{t.edit.stays({ where: whereOf(draft, t.say, nameOf) })}</Text>
  const isOf = draft.scope !== 'platform' && draft.scope !== 'organization'
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }}>
      <Select
        label={t.scope}
        allowDeselect={false}
        data={RULE_SCOPES.filter((scope) => scope !== 'platform' || ofPlatform).map((value) => ({
          value,
          label: t.scopes[value],
        }))}
        value={draft.scope}
        onChange={(scope) => onChange({ ...draft, scope: scope as RuleScope, of: '' })}
        error={problemAt(problems, '/action')}
      />
      {isOf && draft.scope === 'toolset' ? (
        <Select
          label={t.edit.which[draft.scope]}
          searchable
          nothingFoundMessage={t.edit.none[draft.scope]}
          data={[...toolsets]}
          value={draft.of === '' ? null : draft.of}
          onChange={(of) => onChange({ ...draft, of: of ?? '' })}
        />
      ) : null}
      {isOf && draft.scope !== 'toolset' ? (
        <PickOne
          key={draft.scope}
          kind={KINDS[draft.scope]}
          label={t.edit.which[draft.scope]}
          labelOf={nameOf}
          value={draft.of === '' ? null : draft.of}
          onChange={(of) => onChange({ ...draft, of: of ?? '' })}
        />
      ) : null}
    </SimpleGrid>
  )
}
