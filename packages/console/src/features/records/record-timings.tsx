/** Where the time of a call went: each step as a bar from where it began, beside its milliseconds. */
import { Table, VisuallyHidden } from '@mantine/core'
import type { AuditEvent } from '@toolway/contract/admin'
import { texts } from '../../texts/texts.ts'
import { duration } from '../../ui/times.ts'
import { RecordPart } from './record-part.tsx'
import { timingsOf, type Timing } from './record-steps.ts'
import styles from './record-timings.module.css'

const t = texts.callTimings

/** Visible, however short it is beside the others. */
const LEAST_PERCENT = 1

export function RecordTimings({ event }: { event: AuditEvent }) {
  const timings = timingsOf(event)
  if (timings.length === 0) return null
  const whole = timings.reduce((sum, { took }) => sum + took, 0)
  return (
    <RecordPart title={t.title} note={t.note}>
      <Table withRowBorders={false} verticalSpacing={4} horizontalSpacing={0} layout="fixed" aria-label={t.title}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th p={0}>
              <VisuallyHidden>{t.step}</VisuallyHidden>
            </Table.Th>
            <Table.Th p={0} w={88}>
              <VisuallyHidden>{t.took}</VisuallyHidden>
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {timings.map((timing) => (
            <Table.Tr key={timing.step}>
              <Table.Td>
                {t.steps[timing.step] ?? timing.step}
                <Bar timing={timing} whole={whole} />
              </Table.Td>
              <Table.Td ta="right" style={{ verticalAlign: 'top' }}>
                {duration(timing.took)}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </RecordPart>
  )
}

function Bar({ timing: { from, took }, whole }: { timing: Timing; whole: number }) {
  const width = Math.max(LEAST_PERCENT, (100 * took) / whole)
  return (
    <div aria-hidden className={styles.track}>
      <div
        className={styles.bar}
        style={{ marginLeft: `${Math.min(100 - width, (100 * from) / whole)}%`, width: `${width}%` }}
      />
    </div>
  )
}
