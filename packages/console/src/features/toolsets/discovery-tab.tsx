/** How clients come to the tools of a toolset, and what each way costs a model before it does anything. */
import { Group, NumberInput, Paper, Progress, Radio, Select, SimpleGrid, Stack, Text } from '@mantine/core'
import { DISCOVERY_MODES, NAMINGS, SMALL_PAGE, type DiscoveryMode, type Naming } from '@toolway/contract'
import type { Toolset } from '@toolway/contract/admin'
import { PickTags } from '../../parts/picker/picker.tsx'
import { texts } from '../../texts/texts.ts'
import { count } from '../../ui/times.ts'
import type { Drafting } from './use-draft.ts'

interface DiscoveryTabProps {
  readonly toolset: Toolset
  readonly drafting: Drafting
}

export function DiscoveryTab({ toolset, drafting }: DiscoveryTabProps) {
  const { draft, changed, set } = drafting
  const { settings } = draft
  const mode = settings.discovery ?? 'direct'
  const { definition_tokens: tokens } = toolset
  const most = Math.max(1, ...Object.values(tokens))
  const t = texts.toolsets
  const choose = (next: DiscoveryMode) => {
    const { discovery: _, ...rest } = settings
    set(next === 'direct' ? rest : { ...rest, discovery: next })
  }
  const name = (naming: Naming) => {
    const { naming: _, ...rest } = settings
    set(naming === 'alias' ? rest : { ...rest, naming })
  }
  return (
    <Stack>
      <Text c="dimmed">{t.discovery.hint}</Text>
      <Radio.Group value={mode} onChange={choose} aria-label={t.tabs.discovery}>
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          {DISCOVERY_MODES.map((discoveryMode) => (
            <Paper key={discoveryMode} withBorder p="md">
              <Stack gap="xs">
                <Radio value={discoveryMode} label={t.modes[discoveryMode]} description={t.modeHints[discoveryMode]} />
                <Group gap="sm" wrap="nowrap">
                  <Progress
                    value={(tokens[discoveryMode] / most) * 100}
                    aria-label={`${t.modes[discoveryMode]}: ${t.discovery.tokens({ tokens: count(tokens[discoveryMode]) })}`}
                    style={{ flex: 1 }}
                  />
                  <Text size="sm" style={{ whiteSpace: 'nowrap' }}>
                    {t.discovery.tokens({ tokens: count(tokens[discoveryMode]) })}
                  </Text>
                </Group>
              </Stack>
            </Paper>
          ))}
        </SimpleGrid>
      </Radio.Group>
      {changed ? <Text size="sm">{t.discovery.figures}</Text> : null}
      <Select
        label={t.discovery.naming}
        value={settings.naming ?? 'alias'}
        data={NAMINGS.map((value) => ({ value, label: t.discovery.namings[value] }))}
        allowDeselect={false}
        maw={400}
        onChange={(naming) => naming !== null && name(naming)}
      />
      {mode === 'paged' ? (
        <NumberInput
          label={t.discovery.page}
          value={settings.page ?? SMALL_PAGE}
          min={1}
          max={1000}
          allowDecimal={false}
          hideControls
          maw={200}
          onChange={(page) => typeof page === 'number' && set({ ...settings, page })}
        />
      ) : null}
      {mode === 'two-tier' || mode === 'search' ? (
        <PickTags
          kind="tools by rule name"
          label={t.discovery.pinned}
          description={t.discovery.pinnedHint}
          value={settings.pinned ?? []}
          maxTags={200}
          onChange={(pinned) => {
            const { pinned: _, ...rest } = settings
            set(pinned.length === 0 ? rest : { ...rest, pinned })
          }}
        />
      ) : null}
    </Stack>
  )
}
