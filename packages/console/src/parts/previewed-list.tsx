/** A list of tools as a client reads it: how long it is, what it costs, and every definition. */
import { Alert, Anchor, Drawer, Group, Stack, Text } from '@mantine/core'
import type { ListPreview } from '@toolway/contract/admin'
import { useMemo } from 'react'
import { z } from 'zod'
import { visibleText } from '@toolway/contract'
import { useUrlState } from '../data/url-state.ts'
import { texts } from '../texts/texts.ts'
import { CodeBlock, CopyButton } from '../ui/copy.tsx'
import { Empty } from '../ui/empty.tsx'
import { Icon } from '../ui/icon.tsx'
import { fieldsOf } from '../ui/schema-fields.ts'
import { SchemaTree } from '../ui/schema-tree.tsx'
import { column, Table } from '../ui/table.tsx'
import { count, size } from '../ui/times.ts'

type Definition = ListPreview['tools'][number]

const Shown = z.object({ shown: z.string().optional() })

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
const nameOf = ({ name }: Definition): string => textOf(name)
const SETTLED = { error: null, isFetching: false, refetch: (() => undefined) as never }

export function PreviewedList({ answer }: { answer: ListPreview }) {
  const [{ shown }, set] = useUrlState(Shown)
  const { tools, bytes, tokens, role, pages, first_page: first, may_call: mayCall } = answer
  const t = texts.tools.preview
  const opened = tools.find((tool) => nameOf(tool) === shown)
  const most = answer.exceeds.at(-1)
  const columns = useMemo(() => columnsOf((name) => set({ shown: name }, 'push')), [set])
  return (
    <Stack>
      <Group justify="space-between" gap="xs">
        <Text fw={600}>
          {[
            t.summary({ tools: tools.length, bytes: size(bytes), tokens: count(tokens) }),
            role === null ? undefined : t.role({ role: roleOf(role) }),
          ]
            .filter((item) => item !== undefined)
            .join(' · ')}
        </Text>
        <CopyButton value={() => JSON.stringify({ tools }, null, 2)} label={t.copy} />
      </Group>
      {pages > 1 ? <Text size="sm">{t.pages({ pages, first: first.tools, tokens: count(first.tokens) })}</Text> : null}
      {mayCall ? null : <Text size="sm">{t.mayNotCall}</Text>}
      {most === undefined ? null : (
        <Alert color="orange" icon={<Icon name="alert-triangle" />}>
          {t.exceeds({ most })}
        </Alert>
      )}
      <Table
        label={t.list}
        query={{ ...SETTLED, data: { items: tools } }}
        rowKey={nameOf}
        empty={<Empty title={t.nothing.title} hint={t.nothing.hint} icon="eye-off" />}
        columns={columns}
      />
      <Drawer
        opened={opened !== undefined}
        onClose={() => set({ shown: undefined })}
        position="right"
        size="lg"
        title={
          <Text fw={650} className="breakable">
            {shown}
          </Text>
        }
        closeButtonProps={{ 'aria-label': texts.close }}
      >
        {opened === undefined ? null : (
          <Stack>
            <Text className="breakable" style={{ whiteSpace: 'pre-wrap' }}>
              {visibleText(textOf(opened['description']))}
            </Text>
            <SchemaTree schema={opened['inputSchema']} label={t.input} />
            <Text fw={600} size="sm">
              {t.definition}
            </Text>
            <CodeBlock label={t.definition}>{JSON.stringify(opened, null, 2)}</CodeBlock>
          </Stack>
        )}
      </Drawer>
    </Stack>
  )
}

const columnsOf = (open: (name: string) => void) => [
  column<Definition>(
    texts.tools.preview.columns.name,
    (tool) => (
      <Anchor
        component="button"
        type="button"
        ta="start"
        fw={600}
        className="breakable"
        onClick={() => open(nameOf(tool))}
      >
        {nameOf(tool)}
      </Anchor>
    ),
    3,
  ),
  column<Definition>(texts.tools.preview.columns.says, (tool) => <Says {...tool} />, 5, { plain: true }),
  column<Definition>(texts.tools.preview.columns.arguments, ({ inputSchema }) => argumentsOf(inputSchema), 3),
]

const roleOf = (role: string): string =>
  Object.hasOwn(texts.roles, role) ? texts.roles[role as keyof typeof texts.roles] : role

function Says({ title, description }: Definition) {
  return (
    <Text size="sm" lineClamp={2}>
      {visibleText(textOf(title) === '' ? textOf(description) : `${textOf(title)}: ${textOf(description)}`)}
    </Text>
  )
}

/** Those that must be given first, and not all of many. */
const MANY = 6
function argumentsOf(schema: unknown): string {
  const fields = fieldsOf(schema).toSorted((field, other) => Number(other.required) - Number(field.required))
  const names = fields.slice(0, MANY).map(({ name, required }) => (required ? `${name}*` : name))
  return fields.length > MANY ? `${names.join(', ')}, …` : names.join(', ')
}
