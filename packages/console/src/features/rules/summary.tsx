/** Beside a rule that is written: what it does in a sentence, and which tools that is about now. */
import { Button, Group, Paper, Stack, Text, Title } from '@mantine/core'
import type { DraftCheck } from '@toolway/contract/admin'
import { useState } from 'react'
import { Problem } from '../../data/problem.ts'
import { texts } from '../../texts/texts.ts'
import { withBreaks } from '../../ui/breaks.tsx'
import { EffectBadge } from '../../ui/effect-badge.tsx'
import { Failed } from '../../ui/failed.tsx'
import type { Draft } from './draft.ts'
import { useNameOf } from './names.ts'
import { sentenceOf } from './sentence.ts'

const FOLDED = 8

export interface SummaryProps {
  readonly draft: Draft
  readonly tools: NonNullable<DraftCheck['tools']> | undefined
  readonly error: Error | null
}

export function Summary({ draft, tools, error }: SummaryProps) {
  const nameOf = useNameOf(draft.scope, draft.of)
  const t = texts.rules
  return (
    <Paper withBorder p="md">
      <Stack gap="md">
        <Title order={2}>{t.edit.sentence}</Title>
        <Text aria-live="polite" className="breakable">
          {sentenceOf(draft, texts, nameOf)}
        </Text>
        {error === null ? null : <Failed failure={Problem.of(error)} />}
        {tools === undefined ? null : <Fitting tools={tools} />}
      </Stack>
    </Paper>
  )
}

function Fitting({ tools: { fitting, all, named } }: { tools: NonNullable<DraftCheck['tools']> }) {
  const [unfolded, setUnfolded] = useState(false)
  const t = texts.rules.edit
  const shown = unfolded ? named : named.slice(0, FOLDED)
  return (
    <Stack gap="xs">
      <Text fw={600} size="sm" aria-live="polite">
        {t.fitting({ fitting, all })}
      </Text>
      {fitting === 0 ? (
        <Text size="sm" c="dimmed">
          {t.fittingNone}
        </Text>
      ) : null}
      {shown.map(({ name, effect, effect_from: from }) => (
        <Group key={name} justify="space-between" gap="xs" wrap="nowrap">
          <Text size="sm" ff="monospace" className="breakable">
            {withBreaks(name)}
          </Text>
          <EffectBadge effect={effect} from={from} />
        </Group>
      ))}
      {named.length > FOLDED ? (
        <Button
          size="compact-sm"
          variant="subtle"
          onClick={() => setUnfolded(!unfolded)}
          style={{ alignSelf: 'flex-start' }}
        >
          {unfolded ? t.fewer : t.allFitting({ tools: named.length })}
        </Button>
      ) : null}
      {unfolded && fitting > named.length ? (
        <Text size="sm" c="dimmed">
          {t.further({ tools: fitting - named.length })}
        </Text>
      ) : null}
    </Stack>
  )
}
