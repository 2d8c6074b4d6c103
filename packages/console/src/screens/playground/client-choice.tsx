/** As which client a call is made: the revision that it speaks, and what it can do for its person. */
import { Checkbox, Collapse, Group, SegmentedControl, Stack, Text, UnstyledButton } from '@mantine/core'
import { useState } from 'react'
import type { Era } from '../../parts/call/mcp/exchange.ts'
import { texts } from '../../texts/texts.ts'
import { Icon } from '../../ui/icon.tsx'

export interface ClientChoiceProps {
  readonly era: Era
  readonly able: readonly string[]
  readonly onChange: (change: { era?: Era; able?: readonly string[] }) => void
}

export function ClientChoice({ era, able, onChange }: ClientChoiceProps) {
  const [open, setOpen] = useState(era === 'legacy' || able.length < 3)
  const t = texts.playground
  return (
    <Stack gap="xs">
      <UnstyledButton onClick={() => setOpen(!open)} aria-expanded={open}>
        <Group gap={6}>
          <Icon name={open ? 'chevron-down' : 'chevron-right'} size={16} />
          <Text size="sm" fw={600}>
            {t.client}
          </Text>
          <Text size="sm" c="dimmed">
            {texts.call.eras[era]}
          </Text>
        </Group>
      </UnstyledButton>
      <Collapse expanded={open}>
        <Stack gap="sm">
          <SegmentedControl
            fullWidth
            size="xs"
            aria-label={t.era}
            value={era}
            onChange={(next) => onChange({ era: next === 'legacy' ? 'legacy' : 'modern' })}
            data={[
              { value: 'modern', label: texts.call.eras.modern },
              { value: 'legacy', label: texts.call.eras.legacy },
            ]}
          />
          <Checkbox.Group label={t.abilities} value={[...able]} onChange={(next) => onChange({ able: next })}>
            <Group gap="md" mt={4}>
              <Checkbox value="forms" label={t.forms} size="sm" />
              <Checkbox value="pages" label={t.pages} size="sm" />
              <Checkbox value="tasks" label={t.tasks} size="sm" disabled={era === 'legacy'} />
            </Group>
          </Checkbox.Group>
        </Stack>
      </Collapse>
    </Stack>
  )
}
