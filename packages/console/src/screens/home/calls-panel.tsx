/** Calls of the last day, hour by hour. */
import { Text } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import type { Usage } from '@toolway/contract/admin'
import { useMay } from '../../data/me.ts'
import { locale } from '../../texts/locale.ts'
import { texts } from '../../texts/texts.ts'
import { Bars } from '../../ui/bars.tsx'
import { LinkButton, TextLink } from '../../ui/links.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Panel } from '../../ui/panel.tsx'
import { duration } from '../../ui/times.ts'

const HOURS = 24

export function CallsPanel({ usage }: { usage: UseQueryResult<Usage> }) {
  const t = texts.home.calls
  return (
    <Panel title={t.title} action={<TextLink to="/usage">{t.more}</TextLink>}>
      <Loaded query={usage}>
        {(found) => (found.total.calls === 0 && found.uncounted === 0 ? <NoCalls /> : <Hours usage={found} />)}
      </Loaded>
    </Panel>
  )
}

function Hours({ usage }: { usage: Usage }) {
  const t = texts.home.calls
  const steps = usage.steps.slice(-HOURS)
  const hour = (at: string | undefined) =>
    at === undefined ? '' : new Date(at).toLocaleTimeString(locale, { hour: '2-digit', minute: '2-digit' })
  const { calls, failed, refused, median_ms: median, p95_ms: p95 } = usage.total
  return (
    <>
      <Bars
        label={t.seen({ calls, failed, refused })}
        ends={[hour(steps[0]?.at), t.now]}
        bars={steps.map((step) => ({
          key: step.at,
          value: step.calls,
          bad: step.failed + step.refused,
          title: t.bar({ hour: hour(step.at), calls: step.calls, bad: step.failed + step.refused }),
        }))}
      />
      {median === null || p95 === null ? null : (
        <Text size="sm" c="dimmed">
          {t.times({ median: duration(median), p95: duration(p95) })}
        </Text>
      )}
    </>
  )
}

function NoCalls() {
  const mayCall = useMay('tool_call')
  const t = texts.home.calls
  return (
    <>
      <Text c="dimmed">{mayCall ? t.none : t.noneOfOthers}</Text>
      {mayCall ? (
        <div>
          <LinkButton to="/playground" variant="default" size="sm">
            {t.first}
          </LinkButton>
        </div>
      ) : null}
    </>
  )
}
