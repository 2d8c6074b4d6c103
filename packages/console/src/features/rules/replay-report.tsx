/** The effect of a draft on recorded calls: how many end differently, which, and which could not be evaluated. */
import { Accordion, Alert, Group, Stack, Text } from '@mantine/core'
import type { ReplayReport as Report } from '@toolway/contract/admin'
import { localized } from '../../texts/gateway-words.ts'
import { texts } from '../../texts/texts.ts'
import { Icon } from '../../ui/icon.tsx'
import { TextLink } from '../../ui/links.tsx'
import { column, Table } from '../../ui/table.tsx'
import { rowsOf } from './rows.ts'

type Difference = Report['differences'][number]

const columnsOf = (t: typeof texts.rules.replay) => [
  column<Difference>(t.tool, ({ tool }) => tool, 4),
  column<Difference>(t.caller, ({ caller }) => caller, 3),
  column<Difference>(t.now, ({ now, by }) => <End verdict={now} by={by.now} />, 3),
  column<Difference>(t.draft, ({ draft, by }) => <End verdict={draft} by={by.draft} />, 3),
  column<Difference>(t.calls, ({ calls }) => calls, 1),
  column<Difference>(t.examples, ({ examples }) => <Examples ids={examples} />, 2),
]
const COLUMNS = columnsOf(texts.rules.replay)

export function ReplayReport({ report }: { report: Report }) {
  const { read, same, different, differences, unjudged, days, problems, truncated } = report
  const t = texts.rules.replay
  const unknown = unjudged.reduce((sum, { calls }) => sum + calls, 0)
  return (
    <Stack gap="md" role="status">
      {problems.map(({ rule, problem }) => (
        <Alert key={`${rule} ${problem}`} color="red" icon={<Icon name="alert-triangle" />} title={t.problem({ rule })}>
          {problem}
        </Alert>
      ))}
      <Alert
        color={different === 0 ? 'teal' : 'orange'}
        icon={<Icon name={different === 0 ? 'circle-check' : 'git-compare'} />}
        title={read === 0 ? t.nothing({ days }) : t.outcome({ different, read, days })}
      >
        <Text size="sm">{t.sums({ same, unjudged: unknown })}</Text>
        {truncated ? <Text size="sm">{t.truncated}</Text> : null}
      </Alert>
      {differences.length === 0 ? null : (
        <Table<Difference>
          label={t.differences}
          query={rowsOf(differences)}
          rowKey={({ tool, caller, now, draft, by }) => [tool, caller, now, draft, by.now, by.draft].join(' ')}
          columns={COLUMNS}
          empty={null}
        />
      )}
      {unjudged.length === 0 ? null : (
        <Accordion variant="contained">
          <Accordion.Item value="unjudged">
            <Accordion.Control>
              <Text size="sm">{t.unjudged({ calls: unknown })}</Text>
            </Accordion.Control>
            <Accordion.Panel>
              <Stack gap="xs">
                {unjudged.map(({ why, calls, examples }) => (
                  <Group key={why} gap="sm" justify="space-between">
                    <Text size="sm">
                      {calls} × {localized(why, 'rules')}
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

/** How a call ends, and the rule that decides. */
function End({ verdict, by }: { verdict: string; by: string | null }) {
  return (
    <>
      <Text size="sm">{verdict}</Text>
      {by === null ? null : (
        <Text size="sm" c="dimmed">
          {by}
        </Text>
      )}
    </>
  )
}

function Examples({ ids }: { ids: readonly string[] }) {
  return (
    <Group gap={6}>
      {ids.slice(0, 3).map((id, at) => (
        <TextLink key={id} to="/records" search={{ record: id }}>
          {texts.rules.replay.example({ at: at + 1 })}
        </TextLink>
      ))}
    </Group>
  )
}
