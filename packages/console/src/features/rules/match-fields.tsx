/** The match of a rule: tools by patterns, effects, connectors, categories, an argument that is present; and a condition. */
import { Anchor, Checkbox, Code, Collapse, Group, Stack, TagsInput, Text, Textarea, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { CONNECTORS, EFFECTS } from '@toolway/contract'
import { kindPlural } from '../../texts/field-words.ts'
import { texts } from '../../texts/texts.ts'
import type { Match } from './draft.ts'
import { problemAt, type EditProps } from './problems.ts'
import { PickTags } from '../../parts/picker/picker.tsx'

export function MatchFields({ draft, onChange, problems }: EditProps) {
  const { match } = draft
  const [more, { toggle }] = useDisclosure(
    [match.connectors, match.categories, match.organizations].some((list) => list !== undefined && list.length > 0) ||
      (match.parameter ?? '') !== '',
  )
  const set = (change: Partial<Match>) => onChange({ ...draft, match: { ...match, ...change } })
  const t = texts.rules.edit
  return (
    <Stack gap="md">
      <PickTags
        kind="tools"
        label={t.tools}
        description={t.toolsHint}
        value={match.tools ?? []}
        onChange={(next) => set({ tools: next })}
        error={problemAt(problems, '/match/tools')}
        acceptValueOnBlur
      />
      <Checkbox.Group
        label={t.effects}
        description={t.effectsHint}
        value={[...(match.effects ?? [])]}
        onChange={(effects) => set({ effects: effects })}
        error={problemAt(problems, '/match/effects')}
      >
        <Group gap="md" mt={6}>
          {EFFECTS.map((effect) => (
            <Checkbox key={effect} value={effect} label={texts.effects[effect]} />
          ))}
        </Group>
      </Checkbox.Group>
      <div>
        <Anchor component="button" type="button" size="sm" onClick={toggle} aria-expanded={more}>
          {more ? t.less : t.more}
        </Anchor>
        <Collapse expanded={more}>
          <FurtherFields {...{ draft, problems, set }} />
        </Collapse>
      </div>
    </Stack>
  )
}

interface FurtherProps extends Pick<EditProps, 'draft' | 'problems'> {
  readonly set: (change: Partial<Match>) => void
}

function FurtherFields({ draft: { match, scope }, problems, set }: FurtherProps) {
  const t = texts.rules.edit
  return (
    <Stack gap="md" mt="md">
      <Checkbox.Group
        label={t.connectors}
        value={[...(match.connectors ?? [])]}
        onChange={(connectors) => set({ connectors: connectors })}
        error={problemAt(problems, '/match/connectors')}
      >
        <Stack gap={6} mt={6}>
          {CONNECTORS.map((kind) => (
            <Checkbox key={kind} value={kind} label={kindPlural(kind)} />
          ))}
        </Stack>
      </Checkbox.Group>
      <TagsInput
        label={t.categories}
        description={t.categoriesHint}
        value={[...(match.categories ?? [])]}
        onChange={(categories) => set({ categories })}
        error={problemAt(problems, '/match/categories')}
        acceptValueOnBlur
      />
      {scope === 'platform' ? (
        <TagsInput
          label={t.organizations}
          description={t.organizationsHint}
          value={[...(match.organizations ?? [])]}
          onChange={(organizations) => set({ organizations })}
          error={problemAt(problems, '/match/organizations')}
          acceptValueOnBlur
        />
      ) : null}
      <TextInput
        label={t.argument}
        description={t.argumentHint}
        value={match.parameter ?? ''}
        onChange={(event) => set({ parameter: event.currentTarget.value })}
        error={problemAt(problems, '/match/parameter')}
      />
    </Stack>
  )
}

/** The variables of a condition, as listed in the guide. */
const VARIABLES = {
  principal: ['id', 'kind', 'role', 'email', 'groups', 'key', 'client'],
  tool: ['name', 'joined', 'connection', 'connector', 'effect', 'effectFrom', 'category'],
  args: [],
  context: ['organization', 'toolset', 'time', 'address'],
} as const
const EXAMPLES = [
  'has(args.amount) && args.amount > 1000',
  '"finance" in principal.groups',
  '!principal.email.endsWith("@acme.test")',
] as const

export function ConditionField({ draft, onChange, problems }: EditProps) {
  const t = texts.rules.edit
  const set = (when: string) => onChange({ ...draft, match: { ...draft.match, when } })
  return (
    <Stack gap="sm">
      <Textarea
        label={t.when}
        description={t.whenHint}
        value={draft.match.when ?? ''}
        onChange={(event) => set(event.currentTarget.value)}
        error={problemAt(problems, '/match/when')}
        autosize
        minRows={2}
        spellCheck={false}
        styles={{
          input: { fontFamily: 'var(--mantine-font-family-monospace)' },
          error: { whiteSpace: 'pre-wrap', fontFamily: 'var(--mantine-font-family-monospace)' },
        }}
      />
      <Stack gap={4}>
        {Object.entries(VARIABLES).map(([name, members]) => (
          <Text key={name} size="sm" c="dimmed" component="div">
            <Code>{name}</Code> {t.variables[name as keyof typeof VARIABLES]}
            {members.length === 0 ? null : `: ${members.join(', ')}`}
          </Text>
        ))}
      </Stack>
      <Group gap="xs">
        <Text size="sm" c="dimmed">
          {t.examples}
        </Text>
        {EXAMPLES.map((example) => (
          <Anchor key={example} component="button" type="button" size="sm" onClick={() => set(example)} ta="left">
            <Code>{example}</Code>
          </Anchor>
        ))}
      </Group>
    </Stack>
  )
}
