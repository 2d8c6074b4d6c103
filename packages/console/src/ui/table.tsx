/**
 * A list of things of one kind, with its four states: loading, failed, empty, rows.
 *
 * It is a table for eyes and screen readers alike; on a narrow screen each row is a card. From `MANY` rows on only those near the
 * window are in the document, and each says which of how many it is (ARIA 1.2, aria-rowindex).
 */
import { Box, Button, Group, Paper, Skeleton, Text, UnstyledButton } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { memo, useEffect, useLayoutEffect, useMemo, useRef, useState, type ReactNode } from 'react'
import { texts } from '../texts/texts.ts'
import { withBreaks } from './breaks.tsx'
import { ColumnChoice, useHiddenColumns } from './column-choice.tsx'
import { Failed } from './failed.tsx'
import { keepOrganization } from './keep-organization.ts'

export interface Column<Row> {
  readonly title: string
  readonly cell: (row: Row) => ReactNode
  /** Its share of the width. */
  readonly share: number
  /** Not said again in front of the value on a narrow screen. */
  readonly plain?: boolean
  /** What the gateway sorts by, where the list can be sorted by this head. */
  readonly sort?: string
}

export const column = <Row,>(
  title: string,
  cell: (row: Row) => ReactNode,
  share = 2,
  more: { plain?: boolean; sort?: string } = {},
): Column<Row> => ({ title, cell, share, ...more })

export interface Page<Row> {
  readonly items: readonly Row[]
  readonly total?: number
  /** Whether there are more than `total`, which were not counted. */
  readonly total_exceeded?: boolean
  /** How many rows are left out because they cannot be read as they are stored. */
  readonly unreadable?: number | undefined
  readonly limit?: number
  readonly offset?: number
}

export interface TableProps<Row> {
  /** The subject of the table, for screen readers. */
  readonly label: string
  readonly query: Pick<UseQueryResult<Page<Row>>, 'data' | 'error' | 'isFetching'> & { refetch(): unknown }
  readonly rowKey: (row: Row) => string
  /** Where the first cell of a row leads. */
  readonly rowLink?: (row: Row) => string
  readonly columns: readonly Column<Row>[]
  readonly empty: ReactNode
  /** Shows another page, where there are several. */
  readonly onPage?: (offset: number) => void
  /** Loads the rows after those that are here, where there are more. */
  readonly onMore?: (() => void) | undefined
  readonly sorting?: Sorting
  /** A name for the table, where people may choose its columns. */
  readonly choice?: string
}

/** The order in which the gateway lists. */
export interface Sorting {
  readonly sort: string
  readonly order: 'asc' | 'desc'
  readonly onSort: (sort: string, order: 'asc' | 'desc') => void
}

const MANY = 60
const ROW_PX = 37

export function Table<Row>(props: TableProps<Row>) {
  const { query, empty, label } = props
  const { data, error, isFetching } = query
  if (data === undefined) {
    if (error !== null && !isFetching) return <Failed failure={error} onRetry={() => void query.refetch()} />
    return <Waiting label={label} />
  }
  if (data.items.length === 0 && (data.offset ?? 0) === 0 && data.unreadable === undefined) return <>{empty}</>
  return (
    <Box aria-busy={isFetching && error !== null}>
      {error === null ? null : (
        <Box mb="sm">
          <Failed failure={error} title={texts.table.old} onRetry={() => void query.refetch()} />
        </Box>
      )}
      {data.unreadable === undefined ? null : (
        <Text size="sm" c="dimmed" mb="xs" role="note">
          {texts.table.unreadable({ count: data.unreadable })}
        </Text>
      )}
      <Rows {...props} items={data.items} total={data.total ?? data.items.length} offset={data.offset ?? 0} />
      <Pages page={data} onPage={props.onPage} />
      {props.onPage === undefined && 'onMore' in props ? (
        <More shown={data.items.length} total={data.total ?? data.items.length} onMore={props.onMore} />
      ) : null}
    </Box>
  )
}

function Waiting({ label }: { label: string }) {
  return (
    <Paper withBorder p="md" aria-busy="true" aria-label={texts.table.loading({ what: label })} role="status">
      {[1, 2, 3, 4].map((row) => (
        <Skeleton key={row} height={18} my={14} />
      ))}
    </Paper>
  )
}

interface RowsProps<Row> extends TableProps<Row> {
  readonly items: readonly Row[]
  readonly total: number
  readonly offset: number
}

function Rows<Row>(props: RowsProps<Row>) {
  const { items, columns: all, rowKey, rowLink, label, total, offset, choice, sorting } = props
  const [hidden, setHidden] = useHiddenColumns(choice)
  const columns = useMemo(() => all.filter(({ title }, at) => at === 0 || !hidden.includes(title)), [all, hidden])
  const template = columns.map(({ share }) => `minmax(0, ${share}fr)`).join(' ')
  const cells = (row: Row) => <Cells row={row} columns={columns} rowLink={rowLink} />
  const table = (
    <Paper withBorder role="table" aria-label={label} aria-rowcount={total + 1}>
      <div role="rowgroup">
        <div role="row" className="cells heads" style={{ gridTemplateColumns: template }} aria-rowindex={1}>
          {columns.map(({ title, sort }) => (
            <Head key={title} title={title} sort={sort} sorting={sorting} />
          ))}
        </div>
      </div>
      {items.length > MANY ? (
        <ManyRows items={items} rowKey={rowKey} template={template} cells={cells} />
      ) : (
        <div role="rowgroup">
          {items.map((row, at) => (
            <div
              key={rowKey(row)}
              role="row"
              className="row cells"
              style={{ gridTemplateColumns: template }}
              aria-rowindex={offset + at + 2}
            >
              {cells(row)}
            </div>
          ))}
        </div>
      )}
    </Paper>
  )
  if (choice === undefined) return table
  return (
    <Box pos="relative">
      <ColumnChoice titles={all.slice(1).map(({ title }) => title)} hidden={hidden} onChange={setHidden} />
      {table}
    </Box>
  )
}

interface HeadProps {
  readonly title: string
  readonly sort: string | undefined
  readonly sorting: Sorting | undefined
}

/** A head that the list can be sorted by is a button, and says in which order the list is (ARIA 1.2, aria-sort). */
function Head({ title, sort, sorting }: HeadProps) {
  const mine = sort !== undefined && sorting?.sort === sort
  const order = mine ? sorting.order : undefined
  const aria = order === undefined ? 'none' : order === 'asc' ? 'ascending' : 'descending'
  const text = { size: 'sm', c: 'dimmed', fw: 600 } as const
  if (sort === undefined || sorting === undefined)
    return (
      <Text role="columnheader" {...text}>
        {title}
      </Text>
    )
  return (
    <div role="columnheader" aria-sort={aria} aria-label={title}>
      <UnstyledButton onClick={() => sorting.onSort(sort, order === 'asc' ? 'desc' : 'asc')}>
        <Group gap={4} wrap="nowrap">
          <Text {...text}>{title}</Text>
          <Text {...text} aria-hidden style={{ visibility: mine ? 'visible' : 'hidden' }}>
            {order === 'desc' ? '↓' : '↑'}
          </Text>
        </Group>
      </UnstyledButton>
    </div>
  )
}

interface MoreProps {
  readonly shown: number
  readonly total: number
  readonly onMore: (() => void) | undefined
}

/** How many rows of how many are here. The next ones come when somebody scrolls near the end, or asks for them. */
export function More({ shown, total, onMore }: MoreProps) {
  const mark = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (mark.current === null || onMore === undefined) return undefined
    const watch = new IntersectionObserver(
      ([entry]) => {
        if (entry?.isIntersecting === true) onMore()
      },
      { rootMargin: '400px' },
    )
    watch.observe(mark.current)
    return () => watch.disconnect()
  }, [onMore])
  if (shown >= total) return null
  const t = texts.table
  return (
    <Group ref={mark} justify="space-between" mt="sm">
      <Text size="sm" c="dimmed">
        {t.range({ first: 1, last: shown, total })}
      </Text>
      <Button size="xs" variant="default" disabled={onMore === undefined} onClick={onMore}>
        {t.more}
      </Button>
    </Group>
  )
}

interface CellsProps<Row> {
  readonly row: Row
  readonly columns: TableProps<Row>['columns']
  readonly rowLink: TableProps<Row>['rowLink'] | undefined
}

/** Scrolling and typing show the same rows again and again: a row that is what it was costs nothing. */
const Cells = memo(function Cells<Row>({ row, columns, rowLink }: CellsProps<Row>) {
  return columns.map(({ title, cell, plain }, at) => (
    <div key={title} role="cell" data-label={at === 0 || plain === true ? '' : title} className="breakable">
      {at === 0 && rowLink !== undefined ? (
        <Text component={Link} to={rowLink(row)} search={keepOrganization as never} className="row-link">
          {withBreaks(cell(row))}
        </Text>
      ) : (
        withBreaks(cell(row))
      )}
    </div>
  ))
}) as <Row>(props: CellsProps<Row>) => ReactNode

interface ManyRowsProps<Row> {
  readonly items: readonly Row[]
  readonly rowKey: (row: Row) => string
  readonly template: string
  readonly cells: (row: Row) => ReactNode
}

function ManyRows<Row>({ items, rowKey, template, cells }: ManyRowsProps<Row>) {
  const box = useRef<HTMLDivElement>(null)
  const [top, setTop] = useState(0)
  useLayoutEffect(() => setTop(box.current?.offsetTop ?? 0), [])
  const virtual = useWindowVirtualizer({
    count: items.length,
    estimateSize: () => ROW_PX,
    overscan: 8,
    scrollMargin: top,
    getItemKey: (at) => rowKey(items[at] as Row),
  })
  return (
    <div ref={box} role="rowgroup" style={{ position: 'relative', height: virtual.getTotalSize() }}>
      {virtual.getVirtualItems().map(({ index, key, start }) => (
        <div
          key={key}
          ref={virtual.measureElement}
          data-index={index}
          role="row"
          aria-rowindex={index + 2}
          className="row cells"
          style={{
            gridTemplateColumns: template,
            position: 'absolute',
            insetInline: 0,
            transform: `translateY(${start - virtual.options.scrollMargin}px)`,
          }}
        >
          {cells(items[index] as Row)}
        </div>
      ))}
    </div>
  )
}

/** The rows shown out of the total, with links to the other pages; nothing where all rows are shown. */
export function Pages({ page, onPage }: { page: Page<unknown>; onPage: ((offset: number) => void) | undefined }) {
  const { items, total = items.length, total_exceeded: isMore = false, limit = items.length, offset = 0 } = page
  const t = texts.table
  if (onPage === undefined || (total <= items.length && !isMore)) return null
  return (
    <Group justify="space-between" mt="sm">
      <Text size="sm" c="dimmed">
        {(isMore ? t.rangeOfMore : t.range)({ first: offset + 1, last: offset + items.length, total })}
      </Text>
      <Group gap="xs">
        <Button size="xs" variant="default" disabled={offset === 0} onClick={() => onPage(Math.max(0, offset - limit))}>
          {t.before}
        </Button>
        <Button
          size="xs"
          variant="default"
          disabled={isMore ? items.length < limit : offset + items.length >= total}
          onClick={() => onPage(offset + limit)}
        >
          {t.after}
        </Button>
      </Group>
    </Group>
  )
}
