/** Whether the client is there: three steps that turn as it comes in, told by the event stream, and what to look at if nothing does. */
import { Alert, Box, Group, Stack, Text, ThemeIcon } from '@mantine/core'
import type { SeenClient } from '@toolway/contract/admin'
import { useState } from 'react'
import { useMe } from '../../data/me.ts'
import { texts } from '../../texts/texts.ts'
import { StateBadge } from '../../ui/badges.tsx'
import { Icon } from '../../ui/icon.tsx'
import { LinkButton } from '../../ui/links.tsx'
import { When } from '../../ui/when.tsx'
import { checkOf, STEP_KEYS, type Check, type StepKey } from './check.ts'
import { Doctor } from './doctor.tsx'
import { Part } from './part.tsx'
import { calledOf, type Preset } from './presets.ts'

interface LiveCheckProps {
  readonly preset: Preset
  readonly rows: readonly SeenClient[]
  /** Of the key that was made for it. */
  readonly keyId: string | undefined
  readonly url: string
}

export function LiveCheck({ preset, rows, keyId, url }: LiveCheckProps) {
  const { user } = useMe()
  // The clients known when the check was opened: all later activity is new.
  const [before] = useState(() => ({ rows, at: Date.now() }))
  const check = checkOf(rows, { keyId, userId: user?.id, says: preset.says, before })
  const t = texts.clients.check
  const count = Object.keys(check.done).length
  return (
    <Part title={t.title}>
      <div role="status" aria-live="polite">
        <Stack gap="sm" component="ul" p={0} m={0}>
          {STEP_KEYS.map((step) => (
            <OneStep key={step} step={step} at={check.done[step]} />
          ))}
        </Stack>
        <Summary check={check} count={count} name={calledOf(preset, texts.clients)} />
      </div>
      {count === STEP_KEYS.length ? (
        <Group gap="sm">
          <LinkButton to="/records" variant="default" size="xs">
            {t.records}
          </LinkButton>
          <LinkButton to="/keys" variant="default" size="xs" search={{ tab: 'clients' }}>
            {t.all}
          </LinkButton>
        </Group>
      ) : (
        <Doctor preset={preset} url={url} started={count > 0} />
      )}
    </Part>
  )
}

function OneStep({ step, at }: { step: StepKey; at: string | undefined }) {
  const t = texts.clients.check
  const done = at !== undefined
  return (
    <Group component="li" gap="sm" wrap="nowrap" style={{ listStyle: 'none' }}>
      <ThemeIcon variant="light" color={done ? 'teal' : 'gray'} radius="xl" size={32}>
        <Icon name={done ? 'check' : 'clock'} size={18} />
      </ThemeIcon>
      <Box style={{ flex: 1, minWidth: 0 }}>
        <Text size="sm" fw={600}>
          {t.steps[step]}
        </Text>
        <Text size="sm" c="dimmed" component="div">
          {done ? <When at={at} /> : t.hints[step]}
        </Text>
      </Box>
      <StateBadge tone={done ? 'good' : 'off'}>{done ? t.seen : t.waiting}</StateBadge>
    </Group>
  )
}

function Summary({ check: { row, expected }, count, name }: { check: Check; count: number; name: string }) {
  const t = texts.clients.check
  if (row === undefined)
    return (
      <Text size="sm" c="dimmed" mt="sm">
        {t.nothingYet({ client: name })}
      </Text>
    )
  const text = row.client === null ? t.nameless : `${row.client.name} ${row.client.version}`
  const speaks = t.speaks({ client: text, revision: row.revision })
  if (count < STEP_KEYS.length || !expected)
    return (
      <Text size="sm" c="dimmed" mt="sm" className="breakable">
        {expected ? speaks : `${speaks} ${t.unexpected({ client: name })}`}
      </Text>
    )
  return (
    <Alert color="teal" icon={<Icon name="circle-check" />} title={t.done} mt="sm">
      <Text size="sm" className="breakable">
        {speaks}
      </Text>
    </Alert>
  )
}
