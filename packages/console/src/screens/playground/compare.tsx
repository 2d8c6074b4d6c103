/** Two results side by side, and which lines only one of them has. */
import { Box, Modal, SimpleGrid, Stack, Text, VisuallyHidden } from '@mantine/core'
import { isObject } from '../../parts/call/mcp/wire.ts'
import type { Run } from '../../parts/call/runs.ts'
import { texts } from '../../texts/texts.ts'
import { lineDiff, type Line } from './line-diff.ts'

export interface CompareProps {
  readonly left: Run
  readonly right: Run
  readonly onClose: () => void
}

export function Compare({ left, right, onClose }: CompareProps) {
  const lines = lineDiff(textOf(left), textOf(right))
  const t = texts.playground
  return (
    <Modal opened onClose={onClose} title={t.compared} size="90%" closeButtonProps={{ 'aria-label': texts.close }}>
      <Stack gap="sm">
        {lines.every(({ side }) => side === 'both') ? <Text size="sm">{t.same}</Text> : null}
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <Side run={left} side="left" lines={lines} />
          <Side run={right} side="right" lines={lines} />
        </SimpleGrid>
      </Stack>
    </Modal>
  )
}

function Side({ run, side, lines }: { run: Run; side: 'left' | 'right'; lines: readonly Line[] }) {
  const mine = lines.filter((line) => line.side === 'both' || line.side === side)
  const label = `${run.tool} ${JSON.stringify(run.arguments)}`
  return (
    <Stack gap={4}>
      <Text size="sm" fw={600} className="breakable" lineClamp={2}>
        {label}
      </Text>
      <Box
        component="pre"
        role="region"
        aria-label={`${side === 'left' ? 1 : 2}: ${run.tool}`}
        tabIndex={0}
        m={0}
        fz="xs"
        mah={480}
        style={{ overflow: 'auto', whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}
      >
        {mine.map((line, at) => (
          // Lines have no names.
          <OneLine key={at} line={line} />
        ))}
      </Box>
    </Stack>
  )
}

function OneLine({ line: { side, text } }: { line: Line }) {
  if (side === 'both') return <div>{text === '' ? ' ' : text}</div>
  return (
    <Box component="mark" display="block" c="inherit" bg="var(--mantine-color-yellow-light)" fw={600}>
      <VisuallyHidden component="span">{texts.playground.only({ side })} </VisuallyHidden>
      {text === '' ? ' ' : text}
    </Box>
  )
}

/** Returns the structured content, else the text content. */
function textOf({ result = {} }: Run): string {
  const { structuredContent, content, contents } = result
  if (structuredContent !== undefined) return JSON.stringify(structuredContent, null, 2)
  const parts = Array.isArray(content) ? content : Array.isArray(contents) ? contents : []
  return parts
    .map((part: unknown) =>
      isObject(part) && typeof part['text'] === 'string' ? part['text'] : JSON.stringify(part, null, 2),
    )
    .join('\n')
}
