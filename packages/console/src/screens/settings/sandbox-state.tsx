/** How programs that the gateway starts are confined: the driver, the guarantees that hold, and those that do not, in words. */
import { Alert, List, Stack, Text } from '@mantine/core'
import { listSettings } from '@toolway/contract/admin'
import { useQuery } from '@tanstack/react-query'
import type { z } from 'zod'
import { ask } from '../../data/queries.ts'
import { localized } from '../../texts/gateway-words.ts'
import { texts } from '../../texts/texts.ts'
import { Facts } from '../../ui/facts.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Section } from '../../ui/section.tsx'

const t = texts.settings.sandbox

type Sandbox = z.output<(typeof listSettings)['answer']>['sandbox']

export function SandboxState() {
  const found = useQuery({ ...ask('settings', listSettings), select: ({ sandbox }) => sandbox })
  return (
    <Section title={t.title} hint={t.hint}>
      <Loaded query={found}>{(sandbox) => <State {...sandbox} />}</Loaded>
    </Section>
  )
}

function State({ policy, driver, guarantees, missing, reasons, refusal }: Sandbox) {
  return (
    <Stack gap="md">
      <Facts
        facts={[
          [t.driver, t.drivers[driver]],
          [t.policy, t.policies[policy]],
          [t.holds, guarantees.length === 0 ? t.nothing : guarantees.map((name) => localized(name)).join(', ')],
          [t.missing, missing.length === 0 ? t.complete : undefined],
          [t.reasons, reasons.map((reason) => localized(reason)).join(' ')],
        ]}
      />
      {refusal === null ? null : (
        <Alert color="red" icon={<Icon name="alert-triangle" />} title={t.refused}>
          {localized(refusal)}
        </Alert>
      )}
      {missing.length === 0 ? null : (
        <Alert color="orange" icon={<Icon name="alert-triangle" />} title={t.incomplete}>
          <List size="sm">
            {missing.map(({ guarantee, consequence }) => (
              <List.Item key={guarantee}>
                <Text span size="sm" fw={600}>
                  {localized(guarantee)}:
                </Text>{' '}
                {localized(consequence)}
              </List.Item>
            ))}
          </List>
        </Alert>
      )}
    </Stack>
  )
}
