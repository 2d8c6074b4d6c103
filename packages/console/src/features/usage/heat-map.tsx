/** When the most used tools are called: a row for each, a cell for each step. */
import { ScrollArea, Table, VisuallyHidden } from '@mantine/core'
import type { Usage } from '@toolway/contract/admin'
import { texts } from '../../texts/texts.ts'
import { withBreaks } from '../../ui/breaks.tsx'
import { count, stepLabel } from '../../ui/times.ts'

const t = texts.usageDetails

/** A single call is told from none. */
const LEAST_PERCENT = 12
const NAME_PX = 200
const CELL_PX = 14
/** A label and the space after it. */
const LABEL_PX = 72
const MOST_LABELS = 6

export function HeatMap({ tools, usage }: { tools: NonNullable<Usage['tools']>; usage: Usage }) {
  const most = Math.max(1, ...tools.flatMap(({ steps }) => steps))
  const labels = usage.steps.map(({ at }) => stepLabel(at, usage.step))
  const each = Math.ceil(labels.length / MOST_LABELS)
  const width = Math.max(labels.length * CELL_PX, Math.ceil(labels.length / each) * LABEL_PX)
  return (
    <ScrollArea type="auto" offsetScrollbars="present" viewportProps={{ tabIndex: 0 }}>
      <Table
        layout="fixed"
        miw={NAME_PX + width}
        withRowBorders={false}
        horizontalSpacing={1}
        verticalSpacing={1}
        aria-label={t.heat}
      >
        <Table.Thead>
          <Table.Tr>
            <Table.Th w={NAME_PX}>
              <VisuallyHidden>{t.tool}</VisuallyHidden>
            </Table.Th>
            {labels.map((label, at) => (
              <Table.Th
                key={at}
                fz="xs"
                fw={400}
                c="dimmed"
                p={0}
                style={{ whiteSpace: 'nowrap', overflow: 'visible' }}
              >
                {at % each === 0 ? label : <VisuallyHidden>{label}</VisuallyHidden>}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {tools.map(({ connection, name, steps }) => (
            <Table.Tr key={`${connection ?? ''} ${name}`}>
              <Table.Th scope="row" fw={400} pr="sm" className="breakable">
                {withBreaks(name)}
              </Table.Th>
              {steps.map((calls, at) => (
                <Table.Td
                  key={at}
                  title={t.cell({ tool: name, at: labels[at] ?? '', calls: count(calls) })}
                  className="coloured"
                  style={{ background: colourOf(calls / most) }}
                >
                  <VisuallyHidden>{count(calls)}</VisuallyHidden>
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </ScrollArea>
  )
}

function colourOf(share: number): string {
  if (share === 0) return 'var(--mantine-color-default-hover)'
  const percent = LEAST_PERCENT + (100 - LEAST_PERCENT) * share
  return `color-mix(in srgb, var(--mantine-primary-color-filled) ${percent.toFixed(0)}%, transparent)`
}
