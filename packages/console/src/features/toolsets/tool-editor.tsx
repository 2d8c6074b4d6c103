/** One tool as a toolset words it: its name, its texts beside its server's, and the arguments that the toolset fixes. */
import { Button, Group, Stack, Text, Textarea, TextInput, Title } from '@mantine/core'
import { type ToolWords, visibleText } from '@toolway/contract'
import type { ToolInFull } from '@toolway/contract/admin'
import { useMay } from '../../data/me.ts'
import { ToolInFullDrawer } from '../../parts/tool-in-full.tsx'
import { texts } from '../../texts/texts.ts'
import { LinkButton } from '../../ui/links.tsx'
import { fieldsOf } from '../../ui/schema-fields.ts'
import { TextDifference } from '../../ui/text-difference.tsx'
import { FixArgument } from './fix-argument.tsx'
import { nameProblem, withWords, wordsOf } from './tool-words.ts'
import type { Drafting } from './use-draft.ts'

interface ToolEditorProps {
  /** By which rules know it. */
  readonly name: string | undefined
  readonly drafting: Drafting
  readonly onClose: () => void
}

export function ToolEditor({ name, drafting, onClose }: ToolEditorProps) {
  return (
    <ToolInFullDrawer name={name} onClose={onClose}>
      {(tool) => (
        <Stack>
          <Words tool={tool} drafting={drafting} />
          <Arguments tool={tool} drafting={drafting} />
          <Group justify="flex-end">
            <Button onClick={onClose}>{texts.toolsets.edit.done}</Button>
          </Group>
        </Stack>
      )}
    </ToolInFullDrawer>
  )
}

interface PartProps {
  readonly tool: ToolInFull
  readonly drafting: Drafting
}

function Words({ tool, drafting }: PartProps) {
  const { draft, set } = drafting
  const { settings } = draft
  const words = wordsOf(settings, tool.rule_name) ?? {}
  const theirs = typeof tool.definition['description'] === 'string' ? tool.definition['description'] : ''
  const change = (next: ToolWords) => set(withWords(settings, tool.rule_name, { ...words, ...next }))
  const t = texts.toolsets.edit
  return (
    <Stack>
      <TextInput
        label={t.name}
        description={t.nameHint({ name: tool.joined_name })}
        value={words.name ?? ''}
        placeholder={tool.joined_name}
        maxLength={64}
        onChange={({ currentTarget }) => change({ name: currentTarget.value })}
        error={nameProblem(settings, tool.rule_name)}
        data-autofocus
      />
      <TextInput
        label={t.title}
        value={words.title ?? ''}
        placeholder={tool.title ?? ''}
        maxLength={200}
        onChange={({ currentTarget }) => change({ title: currentTarget.value })}
      />
      <Textarea
        label={t.description}
        description={t.descriptionHint}
        value={words.description ?? ''}
        placeholder={theirs}
        maxLength={10_000}
        autosize
        minRows={3}
        maxRows={12}
        onChange={({ currentTarget }) => change({ description: currentTarget.value })}
      />
      {words.description === undefined ? (
        <div>
          <Text size="xs" c="dimmed">
            {t.theirs}
          </Text>
          <Text size="sm" className="breakable" style={{ whiteSpace: 'pre-wrap' }}>
            {theirs === '' ? '–' : visibleText(theirs)}
          </Text>
        </div>
      ) : (
        <div>
          <Text size="xs" c="dimmed" mb={4}>
            {t.difference}
          </Text>
          <TextDifference before={theirs} after={words.description} label={t.difference} />
        </div>
      )}
      {Object.keys(words).length === 0 ? null : (
        <Group>
          <Button size="xs" variant="default" onClick={() => set(withWords(settings, tool.rule_name, {}))}>
            {t.back}
          </Button>
        </Group>
      )}
    </Stack>
  )
}

function Arguments({ tool, drafting }: PartProps) {
  const may = useMay('policy_manage')
  const fields = fieldsOf(tool.definition['inputSchema'])
  const t = texts.toolsets.edit
  return (
    <Stack>
      <Title order={2}>{t.arguments}</Title>
      <Text size="sm" c="dimmed">
        {fields.length === 0 ? t.noArguments : t.argumentsHint}
      </Text>
      {fields.map((field) => (
        <FixArgument key={field.name} tool={tool.rule_name} field={field} drafting={drafting} />
      ))}
      {may ? (
        <Group gap="xs">
          <Text size="sm" c="dimmed">
            {t.otherwise}
          </Text>
          <LinkButton to="/rules/new" search={{ tools: tool.rule_name }} size="xs" variant="default">
            {t.rule}
          </LinkButton>
        </Group>
      ) : null}
    </Stack>
  )
}
