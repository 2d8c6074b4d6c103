/** The tables of growth: what the same work costs beside more of each kind of thing, and the memory that one of each takes. */
import type { Growth, OpenRow, SizeRow } from '../growth/growth.ts'
import type { Cost } from '../growth/grown-gateway.ts'
import { BATCH } from '../growth/records.ts'
import { fixed, table } from './table.ts'

const MIB = 1024 * 1024
const KIB = 1024

const mib = (bytes: number) => fixed(bytes / MIB, 1)
const cpu = ({ cpuUs }: Cost) => fixed(cpuUs, 0)
const kib = ({ allocated }: Cost) => fixed(allocated / KIB, 0)

export function growthText({ sizes, streams, sessions, records }: Growth): string {
  return [
    table([
      ['Sizes (org × connections × tools)', 'ready ms', 'CPU ms', 'database', 'heap MiB', 'rss MiB', 'call µs', 'kB', 'joined µs', 'kB',
        'page µs', 'list µs', 'kB', 'tools', 'change ms'], // prettier-ignore
      ...sizes.map((row) => [
        `${row.organizations} × ${row.connections} × ${row.tools}`,
        ...[
          fixed(row.readyMs, 0),
          fixed(row.readyCpu?.own, 0),
          fixed(row.readyCpu?.descendants, 0),
          mib(row.held.heap),
          mib(row.held.rss),
          cpu(row.call),
          kib(row.call),
        ],
        ...[cpu(row.joinedCall), kib(row.joinedCall), cpu(row.firstPage), cpu(row.list), kib(row.list)],
        ...[String(row.list.tools), cpuMs(row.change)],
      ]),
    ]),
    table([
      ['Open streams', 'heap MiB', 'rss MiB', 'call µs', 'kB', 'change told ms', 'change elsewhere ms', 'idle ms/s'],
      ...streams.map((row) => [...openCells(row), ...[row.told, row.elsewhere, row.idle].map(cpuMs)]),
    ]),
    table([['Sessions', 'heap MiB', 'rss MiB', 'call µs', 'kB'], ...sessions.map(openCells)]),
    table([
      ['Records', `insert of ${BATCH} ms`, 'search ms'],
      ...records.map((row) => [String(row.records), fixed(row.insertMs, 1), fixed(row.searchMs, 1)]),
    ]),
    table([['Memory of one more', 'heap kB', 'rss kB'], ...memoryOf({ sizes, streams, sessions })]),
  ]
    .map((lines) => `${lines.join('\n')}\n`)
    .join('\n')
}

const openCells = ({ open, held, call }: OpenRow) => [
  String(open),
  ...[mib(held.heap), mib(held.rss), cpu(call), kib(call)],
]

const cpuMs = ({ cpuUs }: Cost) => fixed(cpuUs === undefined ? undefined : cpuUs / 1000, 1)

/** From the difference between the smallest and the largest of each kind. */
function memoryOf({ sizes, streams, sessions }: Pick<Growth, 'sizes' | 'streams' | 'sessions'>): string[][] {
  const counted = (name: keyof SizeRow & ('organizations' | 'connections' | 'tools')) => {
    const others = (['organizations', 'connections', 'tools'] as const).filter((one) => one !== name)
    const rows = sizes.filter((row) => others.every((one) => row[one] === (one === 'tools' ? 20 : 1)))
    return rows.map((row) => ({ count: row[name], held: row.held }))
  }
  const opened = (rows: readonly OpenRow[]) => rows.map(({ open, held }) => ({ count: open, held }))
  const kinds = [
    ['tool', counted('tools')],
    ['connection of 20 tools', counted('connections')],
    ['organization of one connection', counted('organizations')],
    ['stream', opened(streams)],
    ['session', opened(sessions)],
  ] as const
  return kinds.map(([name, rows]) => {
    const sorted = rows.toSorted((one, other) => one.count - other.count)
    const [least, most] = [sorted[0], sorted.at(-1)]
    if (least === undefined || most === undefined || least === most) return [name, '–', '–']
    const each = (of: 'heap' | 'rss') => fixed((most.held[of] - least.held[of]) / (most.count - least.count) / KIB, 1)
    return [name, each('heap'), each('rss')]
  })
}
