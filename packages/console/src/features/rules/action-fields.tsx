/** Form fields of a rule's action: the choice of the action, and the fields that the action describes. */
import { Group, Radio, SimpleGrid, Stack, Text } from '@mantine/core'
import { RULE_ACTIONS, ruleActionOf, type FieldSource, type SettingField } from '@toolway/contract'
import { listWebhooks } from '@toolway/contract/admin'
import { useQuery } from '@tanstack/react-query'
import { useOrganization } from '../../data/me.ts'
import { ask } from '../../data/queries.ts'
import { fieldWords } from '../../texts/field-words.ts'
import { texts } from '../../texts/texts.ts'
import { PickMany } from '../../parts/picker/picker.tsx'
import { SettingControl, type Offered, type PickerProps } from '../../ui/setting-control.tsx'
import { useRules } from './all-rules.ts'
import { parameterAt, withAction, withParameter } from './draft.ts'
import { problemAt, type EditProps } from './problems.ts'

/** The strictest first. */
const ORDER = RULE_ACTIONS.toReversed()

export function ActionChoice({ draft, onChange }: EditProps) {
  return (
    <Radio.Group
      aria-label={texts.rules.edit.follows}
      value={draft.action}
      onChange={(action) => onChange(withAction(draft, action))}
    >
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="xs">
        {ORDER.map((action) => {
          const { [action]: title } = texts.ruleActions.title
          return (
            <Radio.Card key={action} value={action} p="sm" aria-label={title}>
              <Group wrap="nowrap" align="flex-start" gap="sm" h="100%">
                <Radio.Indicator />
                <div>
                  <Text size="sm" fw={600}>
                    {title}
                  </Text>
                  <Text size="sm" c="dimmed">
                    {texts.ruleActions.about[action]}
                  </Text>
                </div>
              </Group>
            </Radio.Card>
          )
        })}
      </SimpleGrid>
    </Radio.Group>
  )
}

export function ActionFields({ draft, onChange, problems }: EditProps) {
  const { form } = ruleActionOf(draft.action)
  const used = new Set(form.flat().flatMap((field) => ('source' in field ? [field.source] : [])))
  const sources = useSources(draft.scope === 'platform', used.has('webhooks'))
  const place = ({ name, problemsOf = name }: SettingField) => `/parameters/${problemsOf.replaceAll('.', '/')}`
  const draw = (field: SettingField) => (
    <SettingControl
      key={field.name}
      field={field}
      words={fieldWords(draft.action, field.name)}
      value={parameterAt(draft.parameters, field.name)}
      onChange={(value) => onChange({ ...draft, parameters: withParameter(draft.parameters, field.name, value) })}
      problem={problemAt(problems, place(field))}
      sources={sources}
      pickers={PICKERS}
    />
  )
  if (form.length === 0) return null
  return (
    <Stack gap="md">
      {form.map((row) =>
        row.length === 1 ? (
          row.map(draw)
        ) : (
          <SimpleGrid key={row[0]?.name} cols={{ base: 1, xs: row.length }}>
            {row.map(draw)}
          </SimpleGrid>
        ),
      )}
    </Stack>
  )
}

const PICKERS = {
  members: (props: PickerProps) => <PickMany kind="members" {...props} />,
  groups: (props: PickerProps) => <PickMany kind="groups" {...props} />,
}

const ROLES = ['tenant_admin', 'tenant_member', 'tenant_viewer'] as const

/** Returns the values of an organization that the controls can offer. */
function useSources(ofPlatform: boolean, asksWebhooks: boolean): Record<FieldSource, readonly Offered[]> {
  const organization = useOrganization()
  const webhooks = useQuery({ ...ask('webhooks', listWebhooks, { path: { organization } }), enabled: asksWebhooks })
  const rules = (useRules().data ?? []).filter(({ scope }) => ofPlatform || scope !== 'platform')
  return {
    roles: ROLES.map((value) => ({ value, label: texts.roles[value] })),
    members: [],
    groups: [],
    webhooks: (webhooks.data?.items ?? []).map(({ id, url }) => ({ value: id, label: url })),
    rules: [...new Set(rules.map(({ name }) => name))].map((name) => ({ value: name, label: name })),
  }
}
