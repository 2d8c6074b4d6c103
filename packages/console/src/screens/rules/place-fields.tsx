/** Where a rule holds, by names that are there; once it is kept it stays there. */
import { Select, SimpleGrid, Text } from '@mantine/core'
import { RULE_SCOPES, type RuleScope } from '@toolway/contract'
import { useMay } from '../../data/me.ts'
import { texts } from '../../texts/texts.ts'
import { problemAt, type EditProps } from './problems.ts'
import { useNames } from './names.ts'
import { whereOf } from './sentence.ts'

export function PlaceFields({ draft, onChange, problems, fixed }: EditProps & { fixed: boolean }) {
  const names = useNames()
  const ofPlatform = useMay('policy_manage', 'platform')
  const t = texts.rules
  if (fixed) return <Text size="sm">{t.edit.stays({ where: whereOf(draft, t.say, names.of(draft.scope)) })}</Text>
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
      {isOf ? (
        <Select
          label={t.edit.which[draft.scope]}
          searchable
          nothingFoundMessage={t.edit.none[draft.scope]}
          data={[...names.named[draft.scope]]}
          value={draft.of === '' ? null : draft.of}
          onChange={(of) => onChange({ ...draft, of: of ?? '' })}
        />
      ) : null}
    </SimpleGrid>
  )
}
