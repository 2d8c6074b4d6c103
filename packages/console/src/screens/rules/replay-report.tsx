/** What a draft would have done with the calls on record: how many end otherwise, which, and what could not be judged. */
import { Accordion, Alert, Group, Stack, Text } from '@mantine/core'
import type { ReplayReport as Report } from '@toolway/contract/admin'
import { texts } from '../../texts/texts.ts'
import { Icon } from '../../ui/icon.tsx'
import { TextLink } from '../../ui/links.tsx'
import { column, Table } from '../../ui/table.tsx'
import { rowsOf } from './rows.ts'

type Difference = Report['differences'][number]

export function ReplayReport({ report }: { report: Report }) {
  const { read, same, different, differences, unjudged, days, problems, truncated } = report
  const t = texts.rules.replay
  const unknown = unjudged.reduce((sum, { calls }) => sum + calls, 0)
  return (
    <Stack gap="md" role="status">
      {problems.map(({ rule, problem }) => (
        <Alert key={`${rule} ${problem}`} color="red" icon={<Icon name="alert-triangle" />} title={t.problem(rule)}>
          {problem}
        </Alert>
      ))}
      <Alert
        color={different === 0 ? 'teal' : 'orange'}
        icon={<Icon name={different === 0 ? 'circle-check' : 'git-compare'} />}
        title={read === 0 ? t.nothing(days) : t.outcome(different, read, days)}
      >
        <Text size="sm">{t.sums(same, unknown)}</Text>
        {truncated ? <Text size="sm">{t.truncated}</Text> : null}
      </Alert>
      {differences.length === 0 ? null : (
        <Table<Difference>
          label={t.differences}
          query={rowsOf(differences)}
          rowKey={({ tool, caller, now, draft, by }) => [tool, caller, now, draft, by.now, by.draft].join(' ')}
          columns={[
            column(t.tool, ({ tool }) => tool, 3),
            column(t.caller, ({ caller }) => caller, 3),
            column(t.now, ({ now, by }) => t.by(now, by.now), 2),
            column(t.draft, ({ draft, by }) => t.by(draft, by.draft), 2),
            column(t.calls, ({ calls }) => calls, 1),
            column(t.examples, ({ examples }) => <Examples ids={examples} />, 2),
          ]}
          empty={null}
        />
      )}
      {unjudged.length === 0 ? null : (
        <Accordion variant="contained">
          <Accordion.Item value="unjudged">
            <Accordion.Control>
              <Text size="sm">{t.unjudged(unknown)}</Text>
            </Accordion.Control>
            <Accordion.Panel>
              <Stack gap="xs">
                {unjudged.map(({ why, calls, examples }) => (
                  <Group key={why} gap="sm" justify="space-between">
                    <Text size="sm">
                      {calls} × {why}
                    </Text>
                    <Examples ids={examples} />
                  </Group>
                ))}
              </Stack>
            </Accordion.Panel>
          </Accordion.Item>
        </Accordion>
      )}
    </Stack>
  )
}

function Examples({ ids }: { ids: readonly string[] }) {
  return (
    <Group gap={6}>
      {ids.slice(0, 3).map((id, at) => (
        <TextLink key={id} to="/records" search={{ record: id }}>
          {texts.rules.replay.example(at + 1)}
        </TextLink>
      ))}
    </Group>
  )
}
