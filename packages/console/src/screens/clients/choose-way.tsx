/** How the client gets in: it signs in by itself in a browser, or it carries a key, which can be made right here. */
import { Button, SegmentedControl, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { MakeKey, type Made } from '../../parts/make-key/make-key.tsx'
import { ShownOnce } from '../../parts/make-key/shown-once.tsx'
import { locale } from '../../texts/locale.ts'
import { texts } from '../../texts/texts.ts'
import { Part } from './part.tsx'
import type { Preset, Way } from './presets.ts'

interface ChooseWayProps {
  readonly preset: Preset
  readonly way: Way
  readonly toolset: string | undefined
  readonly made: Made | undefined
  readonly onWay: (way: Way) => void
  readonly onMade: (made: Made | undefined) => void
}

export function ChooseWay({ preset, way, toolset, made, onWay, onMade }: ChooseWayProps) {
  const t = texts.clients.way
  const [making, setMaking] = useState(false)
  const done = (key: Made) => {
    setMaking(false)
    onMade(key)
  }
  return (
    <Part title={t.title}>
      {preset.ways.length === 1 ? null : (
        <SegmentedControl
          aria-label={t.title}
          value={way}
          onChange={(next) => onWay(next)}
          data={preset.ways.map((item, at) => ({
            value: item,
            label: at === 0 ? t.recommended({ way: t.ways[item] }) : t.ways[item],
          }))}
        />
      )}
      <Text size="sm" c="dimmed">
        {t.hints[way]}
      </Text>
      {way === 'oauth' ? null : made !== undefined ? (
        <Stack gap="sm">
          <ShownOnce secret={made.key} label={t.made({ name: made.name })} copyLabel={t.copyKey} />
          <Text size="sm" c="dimmed">
            {t.filledIn}
          </Text>
        </Stack>
      ) : making ? (
        <MakeKey of="me" name={nameFor(preset)} toolset={toolset} onMade={done} />
      ) : (
        <Button variant="default" onClick={() => setMaking(true)} style={{ alignSelf: 'flex-start' }}>
          {t.make}
        </Button>
      )}
    </Part>
  )
}

/** Names are each owner's own; the day tells one of this client from the one before. */
const nameFor = ({ id }: Preset): string =>
  `${texts.clients.names[id]}, ${new Intl.DateTimeFormat(locale, { dateStyle: 'medium' }).format(new Date())}`
