/**
 * Formats the figures for a reader.
 *
 * One table per number of connections, then the ratios, then the aims. Plain text in 100 columns, no colours. Pure; never rounds
 * what goes into the JSON.
 */
import type { More, Ratio, Row, Verdict } from './bench-figures.ts'
import { batchSentence } from './counts/record-batches.ts'
import { fixed, percent, spread, table } from './report/table.ts'
import { besideText } from './report/beside-text.ts'
import { countsText } from './report/counts-text.ts'
import { openLoopText } from './report/open-loop-text.ts'
import type { SessionMemory } from './session-memory.ts'

export interface Figures {
  /** ISO 8601, UTC. */
  readonly at: string
  /** Label and sentence: machine, layout, rounds. */
  readonly circumstances: readonly (readonly [label: string, sentence: string])[]
  readonly rows: readonly Row[]
  readonly ratios: readonly Ratio[]
  readonly more: More
  readonly verdicts: readonly Verdict[]
  /** Requested measurements that were not made, with the reason, and other remarks for the reader. */
  readonly remarks: readonly string[]
}

export function reportText(figures: Figures): string {
  const counts = [...new Set(figures.rows.map(({ connections }) => connections))]
  const sections = [
    [
      'Toolway bench: tools/call, loopback; revision 2026-07-28 where no era is named',
      ...figures.circumstances.map(([label, sentence]) => `  ${label.padEnd(10)}${sentence}`),
    ],
    figures.more.counts === undefined ? [] : countsText(figures.more.counts),
    ...counts.map((count) => rowsText(figures.rows, count)),
    ratiosText(figures.ratios),
    besideText(figures.more.beside ?? [], figures.rows),
    ...(figures.more.openLoop === undefined ? [] : openLoopText(figures.more.openLoop)),
    moreText(figures.more),
    figures.verdicts.length === 0 ? [] : ['Aims', ...figures.verdicts.map(verdictText)],
    faultsText(figures),
    figures.remarks.length === 0 ? [] : ['Remarks', ...figures.remarks.map((remark) => `  ${remark}`)],
  ]
  const told = sections.filter((lines) => lines.length > 0).map((lines) => lines.join('\n'))
  return `${told.join('\n\n')}\n`
}

function rowsText(rows: readonly Row[], count: number): string[] {
  const head = [
    '',
    'calls/s',
    'p50 ms',
    'p99 ms',
    'target',
    'descend.',
    'stub',
    'generator',
    'cores',
    'others, busy',
    'errors',
  ]
  const body = rows
    .filter(({ connections }) => connections === count)
    .map((row) => [
      row.target,
      spread(row.callsPerSecond, 0),
      row.p50Ms.toFixed(2),
      row.p99Ms.toFixed(2),
      fixed(row.cpuMsPerCall.target, 3),
      fixed(row.cpuMsPerCall.descendants, 3),
      fixed(row.cpuMsPerCall.stub, 3),
      fixed(row.cpuMsPerCall.generator, 3),
      `${percent(row.coreUse.driver)}+${percent(row.coreUse.target)}`,
      `${percent(row.coreUse.others)} ${row.busyRounds}/${row.rounds}`,
      String(row.errors),
    ])
  const title = count === 1 ? '1 connection' : `${count} connections`
  const stored = rows
    .filter(({ connections }) => connections === count)
    .flatMap((row) => (row.stored === undefined ? [] : [`  ${row.target}: ${batchSentence(row.stored)}`]))
  return [`${title.padEnd(38)}CPU ms per call`, ...table([head, ...body]), ...stored]
}

function ratiosText(ratios: readonly Ratio[]): string[] {
  if (ratios.length === 0) return []
  const head = ['Ratios', 'connections', 'throughput', 'range', 'CPU/call', 'with descend.']
  const body = ratios.map((ratio) => [
    `${ratio.of} ÷ ${ratio.to}`,
    String(ratio.connections),
    ratio.throughput.toFixed(2),
    ratio.throughputRange.map((end) => end.toFixed(2)).join('–'),
    fixed(ratio.cpu, 2),
    fixed(ratio.cpuWithDescendants, 2),
  ])
  const [title = '', ...lines] = table([head, ...body])
  return [title.trimStart(), ...lines]
}

function moreText({ longList, sessionMemory }: More): string[] {
  const lines: string[] = []
  if (longList !== undefined) {
    const { tools, pages, bytes, walkMs, firstPageMs } = longList
    lines.push(
      `  long list   ${tools} tools, ${(bytes / 1e6).toFixed(1)} MB in ${pages} pages: ${walkMs.toFixed(1)} ms, the first page ${firstPageMs.toFixed(1)} ms`,
    )
  }
  if (sessionMemory !== undefined) {
    const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`
    const told = ({ sessions, heapBytes, rssBytes }: SessionMemory['idle']) =>
      `${sessions}: ${megabytes(heapBytes)} of heap and buffers, ${megabytes(rssBytes)} of the process`
    lines.push(
      `  sessions    idle ${told(sessionMemory.idle)}`,
      `              full ${told(sessionMemory.full)}; ${megabytes(sessionMemory.full.sentBytes)} sent to each`,
    )
  }
  return lines.length === 0 ? [] : ['More', ...lines]
}

const verdictText = ({ met, sentence, busy }: Verdict) =>
  `  ${met ? 'met   ' : 'missed'}  ${sentence}${busy === true ? ' (busy machine)' : ''}`

function faultsText({ rows, more }: Figures): string[] {
  const lines = rows.flatMap((row) => row.faults.map((fault) => `  ${row.target}, ${row.connections}: ${fault}`))
  lines.push(...(more.counts?.faults ?? []).map((fault) => `  ${fault}`))
  for (const level of more.openLoop?.levels ?? [])
    for (const { target, faults } of level.rows)
      lines.push(...faults.map((fault) => `  ${target}, ${level.callsPerSecond} calls/s: ${fault}`))
  return lines.length === 0 ? [] : ['Errors (the first of each)', ...lines]
}
