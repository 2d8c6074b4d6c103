/** One wish and what the agent did about it: its words, its calls with their results, and how it ended. */
import { Alert, Button, Code, Collapse, Group, Loader, Paper, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { OutsideLink } from '../../parts/call/outside-link.tsx'
import { safeAddress } from '../../parts/call/safe-address.ts'
import { texts } from '../../texts/texts.ts'
import { withBreaks } from '../../ui/breaks.tsx'
import { StateBadge } from '../../ui/badges.tsx'
import { Failed } from '../../ui/failed.tsx'
import { Icon } from '../../ui/icon.tsx'
import type { AgentCall, Turn } from './conversation.ts'

const t = texts.agent

export function TurnCard({ turn, onContinue }: { turn: Turn; onContinue: () => void }) {
  const { wish, steps, state, position, cut, failure } = turn
  return (
    <Paper withBorder p="md" component="article" aria-label={t.wishNamed({ wish: wish.slice(0, 80) })}>
      <Stack gap="md">
        <Group gap="xs" align="flex-start" wrap="nowrap">
          <Icon name="user" />
          <Text fw={600} className="breakable" style={{ whiteSpace: 'pre-wrap' }}>
            {wish}
          </Text>
        </Group>
        <Stack gap="sm" aria-live="polite">
          {steps.map((step, at) =>
            step.kind === 'call' ? (
              <CallCard key={step.id} call={step} />
            ) : (
              <Text key={at} className="breakable" style={{ whiteSpace: 'pre-wrap' }}>
                {step.text}
              </Text>
            ),
          )}
        </Stack>
        {state === 'running' ? (
          <Group gap="xs" role="status">
            <Loader size="xs" />
            <Text size="sm" c="dimmed">
              {position === undefined ? t.working : t.waiting({ position })}
            </Text>
          </Group>
        ) : null}
        {state === 'stopped' ? (
          <Text size="sm" c="dimmed">
            {t.stopped}
          </Text>
        ) : null}
        {cut ? (
          <Alert color="yellow" icon={<Icon name="hand-stop" />} title={t.cut}>
            <Button size="xs" variant="default" onClick={onContinue}>
              {t.goOn}
            </Button>
          </Alert>
        ) : null}
        {failure === undefined ? null : <Failed failure={failure} />}
      </Stack>
    </Paper>
  )
}

/** The host is always shown: a link may lead to the server that keeps the accounts. */
function ActionPage({ link }: { link: string | undefined }) {
  const url = safeAddress(link)
  if (url === undefined) return null
  return (
    <Alert color="yellow" icon={<Icon name="hand-stop" />} title={t.needsYou}>
      <OutsideLink to={url.href}>{t.openPage({ host: url.host })}</OutsideLink>
    </Alert>
  )
}

function CallCard({ call: { tool, arguments: input, result } }: { call: AgentCall }) {
  const [open, { toggle }] = useDisclosure(false)
  const tone = result === undefined ? 'busy' : result.failed ? 'bad' : 'good'
  return (
    <Paper withBorder p="sm" component="section" aria-label={t.callOf({ tool })}>
      <Stack gap="xs">
        <Group justify="space-between" gap="xs">
          <Group gap="xs" style={{ minWidth: 0, flex: '1 1 12rem' }}>
            <Text size="sm" fw={600} className="breakable">
              {withBreaks(tool)}
            </Text>
            <StateBadge tone={tone}>{t.states[tone]}</StateBadge>
          </Group>
          {result === undefined ? null : (
            <Button size="compact-xs" variant="subtle" onClick={toggle} aria-expanded={open}>
              {open ? t.hideResult : t.showResult}
            </Button>
          )}
        </Group>
        {Object.keys(input).length === 0 ? null : (
          <Code className="breakable" style={{ whiteSpace: 'pre-wrap' }}>
            {JSON.stringify(input)}
          </Code>
        )}
        <ActionPage link={result?.link ?? undefined} />
        {result === undefined ? null : (
          <Collapse expanded={open}>
            <Code block className="breakable" style={{ whiteSpace: 'pre-wrap', maxHeight: 320, overflow: 'auto' }}>
              {result.text}
            </Code>
          </Collapse>
        )}
      </Stack>
    </Paper>
  )
}
