/** One tool whole: what it says and takes, what toolsets and rules make of it. The address names it and the tab. */
import { Group, SimpleGrid, Stack, Tabs, Text } from '@mantine/core'
import type { ToolInFull } from '@toolway/contract/admin'
import type { ReactNode } from 'react'
import { z } from 'zod'
import { visibleText } from '@toolway/contract'
import { useMay } from '../../data/me.ts'
import { useUrlState } from '../../data/url-state.ts'
import { ToolInFullDrawer } from '../../parts/tool-in-full.tsx'
import { texts } from '../../texts/texts.ts'
import { EffectBadge } from '../../ui/effect-badge.tsx'
import { CodeBlock } from '../../ui/copy.tsx'
import { Icon } from '../../ui/icon.tsx'
import { LinkButton } from '../../ui/links.tsx'
import { SchemaTree } from '../../ui/schema-tree.tsx'
import { count } from '../../ui/times.ts'
import { ToolEffect } from './tool-effect.tsx'
import { ToolPlaces, ToolRules } from './tool-places.tsx'
import { State } from './tools-table.tsx'

const Shown = z.object({ tab: z.enum(['about', 'input', 'output', 'toolsets', 'rules']).default('about') })

export function ToolDrawer({ name, onClose }: { name: string | undefined; onClose: () => void }) {
  return (
    <ToolInFullDrawer name={name} onClose={onClose}>
      {(tool) => <Tool tool={tool} />}
    </ToolInFullDrawer>
  )
}

function Tool({ tool }: { tool: ToolInFull }) {
  const [{ tab }, set] = useUrlState(Shown)
  const t = texts.tools.drawer
  return (
    <Stack>
      <Head tool={tool} />
      <Tabs value={tab} onChange={(next) => set({ tab: next as typeof tab })} keepMounted={false}>
        <Tabs.List>
          {Object.entries(t.tabs).map(([value, label]) => (
            <Tabs.Tab key={value} value={value} px="sm">
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="about" pt="md">
          <About tool={tool} />
        </Tabs.Panel>
        <Tabs.Panel value="input" pt="md">
          <SchemaTree schema={tool.definition['inputSchema'] ?? {}} label={t.tabs.input} />
        </Tabs.Panel>
        <Tabs.Panel value="output" pt="md">
          {tool.definition['outputSchema'] === undefined ? (
            <Text c="dimmed">{t.noOutput}</Text>
          ) : (
            <SchemaTree schema={tool.definition['outputSchema']} label={t.tabs.output} />
          )}
        </Tabs.Panel>
        <Tabs.Panel value="toolsets" pt="md">
          <ToolPlaces tool={tool} />
        </Tabs.Panel>
        <Tabs.Panel value="rules" pt="md">
          <ToolRules tool={tool} />
        </Tabs.Panel>
      </Tabs>
    </Stack>
  )
}

function Head({ tool }: { tool: ToolInFull }) {
  const mayCall = useMay('tool_call')
  return (
    <Group justify="space-between" gap="sm">
      <Group gap="xs">
        <EffectBadge effect={tool.effect} from={tool.effect_from} />
        <State {...tool} />
      </Group>
      {mayCall && tool.enabled && tool.hidden_by === null ? (
        <LinkButton
          to="/playground"
          search={{ tool: tool.joined_name }}
          size="xs"
          leftSection={<Icon name="player-play" size={14} />}
        >
          {texts.tools.drawer.tryIt}
        </LinkButton>
      ) : null}
    </Group>
  )
}

function About({ tool }: { tool: ToolInFull }) {
  const { definition, marks, name, approval, tokens, revision, alias, connector } = tool
  const t = texts.tools.drawer
  const { description, annotations } = definition
  return (
    <Stack>
      <Text className="breakable" style={{ whiteSpace: 'pre-wrap' }}>
        {typeof description === 'string' && description !== '' ? visibleText(description) : t.nothingSaid}
      </Text>
      {marks.map((mark) => (
        <Group key={mark} gap="xs" wrap="nowrap" align="flex-start">
          <Icon name="alert-triangle" size={16} />
          <Text size="sm">{texts.tools.marks[mark]}</Text>
        </Group>
      ))}
      <ToolEffect tool={tool} />
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        <Fact what={t.own}>{visibleText(name)}</Fact>
        <Fact what={texts.tools.connection}>{`${alias} (${connector})`}</Fact>
        <Fact what={t.approval}>{t.approvals[approval]}</Fact>
        <Fact what={t.cost}>{t.costs({ tokens: count(tokens) })}</Fact>
        <Fact what={t.revision}>{revision ?? t.unknown}</Fact>
      </SimpleGrid>
      <Text fw={600} size="sm">
        {t.annotations}
      </Text>
      {annotations === undefined ? (
        <Text size="sm" c="dimmed">
          {t.noAnnotations}
        </Text>
      ) : (
        <CodeBlock label={t.annotations}>{JSON.stringify(annotations, null, 2)}</CodeBlock>
      )}
    </Stack>
  )
}

function Fact({ what, children }: { what: string; children: ReactNode }) {
  return (
    <div>
      <Text size="xs" c="dimmed">
        {what}
      </Text>
      <Text size="sm" className="breakable">
        {children}
      </Text>
    </div>
  )
}
