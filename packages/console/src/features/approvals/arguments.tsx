/** The arguments of a call as fields: texts as they are, long ones folded, and what a rule changed beside what was written. */
import { Badge, Box, Button, Code, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { texts } from '../../texts/texts.ts'
import { fieldsOf, type ArgumentField, type Arguments as Given } from './argument-fields.ts'

/** More of a text than that is folded. */
const FOLDED = { characters: 600, lines: 8 } as const

export function Arguments({ sent, given }: { sent: Given; given: Given | null }) {
  const fields = fieldsOf(sent, given)
  const t = texts.approvals.arguments
  if (fields.length === 0) return <Text c="dimmed">{t.none}</Text>
  return (
    <Stack gap="sm" component="dl" m={0}>
      {fields.map((field) => (
        <Box key={field.name}>
          <Group component="dt" gap="xs">
            <Text component="span" size="sm" fw={600} className="breakable">
              {field.name}
            </Text>
            {field.how === 'same' ? null : (
              <Badge color="orange" variant="light" style={{ textTransform: 'none' }}>
                {t.how[field.how]}
              </Badge>
            )}
          </Group>
          <Box component="dd" m={0} mt={4}>
            <Value field={field} />
          </Box>
        </Box>
      ))}
    </Stack>
  )
}

function Value({ field: { how, text, before } }: { field: ArgumentField }) {
  const t = texts.approvals.arguments
  return (
    <Stack gap={4}>
      {before === undefined ? null : (
        <Text size="sm" c="dimmed" component="div">
          {t.written} <Preformatted text={before} struck />
        </Text>
      )}
      <Preformatted text={text} struck={how === 'removed'} />
    </Stack>
  )
}

function Preformatted({ text, struck }: { text: string; struck: boolean }) {
  const [unfolded, setUnfolded] = useState(false)
  const t = texts.approvals.arguments
  const short = folded(text)
  const shown = unfolded ? text : short
  return (
    <Box>
      <Code
        block
        style={{
          whiteSpace: 'pre-wrap',
          overflowWrap: 'anywhere',
          textDecoration: struck ? 'line-through' : undefined,
        }}
      >
        {shown === '' ? t.empty : shown}
      </Code>
      {short === text ? null : (
        <Button size="compact-sm" variant="subtle" mt={4} onClick={() => setUnfolded(!unfolded)}>
          {unfolded ? t.less : t.more({ characters: text.length })}
        </Button>
      )}
    </Box>
  )
}

function folded(text: string): string {
  const lines = text.split('\n').slice(0, FOLDED.lines).join('\n')
  const short = lines.slice(0, FOLDED.characters)
  return short.length < text.length ? `${short} …` : text
}
