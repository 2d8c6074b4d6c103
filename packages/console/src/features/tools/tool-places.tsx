/** The uses of a tool elsewhere: the toolsets that list it, its texts there, and the rules that match it. */
import { Group, Paper, Stack, Text } from '@mantine/core'
import type { ToolInFull } from '@toolway/contract/admin'
import { useMay } from '../../data/me.ts'
import { RuleLink } from '../../parts/rule-link.tsx'
import { texts } from '../../texts/texts.ts'
import { StateBadge } from '../../ui/badges.tsx'
import { LinkButton, TextLink } from '../../ui/links.tsx'
import { SchemaTree } from '../../ui/schema-tree.tsx'
import { TextDifference } from '../../ui/text-difference.tsx'

export function ToolPlaces({ tool }: { tool: ToolInFull }) {
  const t = texts.tools.drawer
  return (
    <Stack>
      <Text size="sm" c="dimmed">
        {tool.toolsets.length === 0 ? t.inNone : t.inToolsets}
      </Text>
      {tool.toolsets.map((place) => (
        <Place key={place.slug} tool={tool} place={place} />
      ))}
    </Stack>
  )
}

function Place({ tool, place }: { tool: ToolInFull; place: ToolInFull['toolsets'][number] }) {
  const { slug, title, name, other_title: otherTitle, other_description: otherText, other_schema: otherSchema } = place
  const t = texts.tools.drawer
  const renamed = name !== tool.joined_name
  const own = tool.definition['description']
  const same = !renamed && otherTitle === null && otherText === null && otherSchema === null
  return (
    <Paper withBorder p="sm">
      <Stack gap="xs">
        <Group justify="space-between" gap="xs">
          {slug === 'default' ? (
            <Text fw={600}>{t.everything}</Text>
          ) : (
            <TextLink to={`/toolsets/${slug}`}>{title}</TextLink>
          )}
          {same ? <StateBadge tone="plain">{t.same}</StateBadge> : null}
        </Group>
        {renamed ? <Text size="sm">{t.otherName({ name })}</Text> : null}
        {otherTitle === null ? null : <Text size="sm">{t.otherTitle({ title: otherTitle })}</Text>}
        {otherText === null ? null : (
          <TextDifference before={typeof own === 'string' ? own : ''} after={otherText} label={t.otherText} />
        )}
        {otherSchema === null ? null : (
          <>
            <Text size="sm">{t.otherSchema}</Text>
            <SchemaTree schema={otherSchema} label={`${t.tabs.input}: ${title}`} />
          </>
        )}
      </Stack>
    </Paper>
  )
}

export function ToolRules({ tool }: { tool: ToolInFull }) {
  const may = useMay('policy_manage')
  const t = texts.tools.drawer
  const states = texts.toolsets.rules.states
  return (
    <Stack>
      {tool.rules.length === 0 ? <Text c="dimmed">{t.noRules}</Text> : null}
      {tool.rules.map(({ id, name, action, state, reason, scope, of }) => (
        <Paper key={id} withBorder p="sm">
          <Group justify="space-between" gap="xs">
            <RuleLink id={id}>{name}</RuleLink>
            <StateBadge tone={state === 'on' ? 'good' : 'off'}>{states[state]}</StateBadge>
          </Group>
          <Text size="sm" className="breakable">
            {reason}
          </Text>
          <Text size="xs" c="dimmed">
            {[action, scope, of].filter((item) => item !== null).join(' · ')}
          </Text>
        </Paper>
      ))}
      {may ? (
        <Group gap="xs">
          <LinkButton to="/rules/new" search={{ tools: tool.rule_name, action: 'lock' }} size="xs" variant="default">
            {t.lock}
          </LinkButton>
          <LinkButton to="/rules/new" search={{ tools: tool.rule_name }} size="xs" variant="default">
            {t.newRule}
          </LinkButton>
          <LinkButton to="/rules" search={{ tab: 'explain', tool: tool.rule_name }} size="xs" variant="default">
            {texts.access.explainTool}
          </LinkButton>
        </Group>
      ) : null}
    </Stack>
  )
}
