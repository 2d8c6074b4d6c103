/** Why a call would end as it would: the verdict, what alone would change it, and each rule with the fact that decided. */
import { Accordion, Alert, Code, Group, List, Stack, Text } from '@mantine/core'
import type { ExplainedRule, Explanation as Told } from '@toolway/contract/admin'
import type { ReactNode } from 'react'
import { RuleLink } from '../../parts/rule-link.tsx'
import { localized } from '../../texts/gateway-words.ts'
import { texts } from '../../texts/texts.ts'
import { StateBadge, type Tone } from '../../ui/badges.tsx'
import { CodeBlock } from '../../ui/copy.tsx'
import { Icon, type IconName } from '../../ui/icon.tsx'

const ENDS: Readonly<Record<Told['verdict']['action'], { color: string; icon: IconName }>> = {
  none: { color: 'red', icon: 'circle-x' },
  allow: { color: 'teal', icon: 'circle-check' },
  warn: { color: 'teal', icon: 'circle-check' },
  approve: { color: 'orange', icon: 'hand-stop' },
  reject: { color: 'red', icon: 'circle-x' },
  block: { color: 'red', icon: 'circle-x' },
  hide: { color: 'red', icon: 'eye-off' },
}
const SPEAKS: Readonly<Record<ExplainedRule['speaks'], Tone>> = {
  yes: 'plain',
  no: 'off',
  lifted: 'warn',
  unknown: 'busy',
}

export function Explanation({ told }: { told: Told }) {
  const { verdict, before, rules, changes, sends, shadows } = told
  const { color, icon } = ENDS[verdict.action]
  const t = texts.rules.explain
  const speaking = rules.filter(({ speaks }) => speaks !== 'no')
  const silent = rules.filter(({ speaks }) => speaks === 'no')
  return (
    <Stack gap="md" role="status">
      <Alert color={color} icon={<Icon name={icon} />} title={t.ends[verdict.action]}>
        <Text size="sm">{localized(verdict.says, 'rules')}</Text>
        <Passes passes={verdict.passes} />
      </Alert>
      {changes.length === 0 ? null : (
        <Part title={t.changes}>
          <List size="sm">
            {changes.map(({ place, from, to, rule }) => (
              <List.Item key={place} className="breakable">
                {t.change({
                  place,
                  from: from === undefined ? undefined : JSON.stringify(from),
                  to: JSON.stringify(to),
                  rule,
                })}
              </List.Item>
            ))}
          </List>
        </Part>
      )}
      {sends === null ? null : (
        <Part title={t.sends}>
          <CodeBlock label={t.sends}>{JSON.stringify(sends, undefined, 2)}</CodeBlock>
        </Part>
      )}
      <Part title={t.ruleByRule}>
        {speaking.length === 0 ? <Text c="dimmed">{t.noneSpeaks}</Text> : null}
        {speaking.map((rule) => (
          <One key={rule.id} rule={rule} />
        ))}
      </Part>
      {shadows.length === 0 ? null : (
        <Part title={t.shadows}>
          {shadows.map(({ rule, would }) => (
            <Text key={rule} size="sm">
              {t.would({ rule, what: texts.ruleActions.title[would] ?? would })}
            </Text>
          ))}
        </Part>
      )}
      <More title={t.before({ stops: before.filter(({ stops }) => stops).length })}>
        {before.map(({ what, stops, why }) => (
          <Group key={what} gap="xs" wrap="nowrap" align="flex-start">
            <StateBadge tone={stops ? 'bad' : 'good'}>{stops ? t.stops : t.lets}</StateBadge>
            <Text size="sm">{localized(why, 'rules')}</Text>
          </Group>
        ))}
      </More>
      {silent.length === 0 ? null : (
        <More title={t.silent({ rules: silent.length })}>
          {silent.map((rule) => (
            <One key={rule.id} rule={rule} />
          ))}
        </More>
      )}
    </Stack>
  )
}

function One({ rule }: { rule: ExplainedRule }) {
  const t = texts.rules.explain
  return (
    <Stack gap={4}>
      <Group gap="xs">
        <StateBadge tone={SPEAKS[rule.speaks]}>{t.speaks[rule.speaks]}</StateBadge>
        <Text size="sm" fw={600} component="span">
          <RuleLink id={rule.id}>{rule.name}</RuleLink>
        </Text>
        <Text size="sm" c="dimmed" component="span">
          {texts.ruleActions.title[rule.action]} · {texts.rules.scopes[rule.scope]}
        </Text>
      </Group>
      <Text size="sm" className="breakable">
        {localized(rule.why, 'rules')}{' '}
        {rule.follows === null ? null : t.then({ what: localized(rule.follows, 'rules') })}
      </Text>
      {rule.reads.length === 0 ? null : (
        <Group gap="xs">
          <Text size="sm" c="dimmed" component="span">
            {t.read}
          </Text>
          {rule.reads.map(({ what, value }) => (
            <Code key={what}>{value === undefined ? t.absent({ what }) : `${what} = ${JSON.stringify(value)}`}</Code>
          ))}
        </Group>
      )}
      <Passes passes={rule.passes} />
    </Stack>
  )
}

function Passes({ passes }: { passes: readonly string[] }) {
  if (passes.length === 0) return null
  return (
    <Stack gap={2} mt={4}>
      <Text size="sm" fw={600}>
        {texts.rules.explain.passes}
      </Text>
      <List size="sm">
        {passes.map((way) => (
          <List.Item key={way} className="breakable">
            {localized(way, 'rules')}
          </List.Item>
        ))}
      </List>
    </Stack>
  )
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Stack gap="xs">
      <Text size="sm" fw={600}>
        {title}
      </Text>
      {children}
    </Stack>
  )
}

function More({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Accordion variant="contained" chevronSize={16}>
      <Accordion.Item value="more">
        <Accordion.Control>
          <Text size="sm">{title}</Text>
        </Accordion.Control>
        <Accordion.Panel>
          <Stack gap="sm">{children}</Stack>
        </Accordion.Panel>
      </Accordion.Item>
    </Accordion>
  )
}
