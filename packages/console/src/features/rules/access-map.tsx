/** The access map as three lists with lines between them: callers, toolsets, connections. A selected entry leaves its own paths. */
import { Button, Text, UnstyledButton } from '@mantine/core'
import type { AccessMap as Told } from '@toolway/contract/admin'
import { useState, type ReactNode } from 'react'
import { localized } from '../../texts/gateway-words.ts'
import { texts } from '../../texts/texts.ts'
import classes from './access-map.module.css'
import { idOf, linesBetween, pathsThrough, type Selected } from './access-paths.ts'

/** Pixels of a row, as in access-map.module.css. */
const ROW = 52
const GAP = 64
/** Entries of a list until more are asked for. */
const MOST = 40

interface AccessMapProps {
  readonly map: Told
  readonly selected: string | undefined
  readonly onSelect: (selected: Selected | undefined) => void
}

export function AccessMap({ map, selected, onSelect }: AccessMapProps) {
  const [whole, setWhole] = useState<readonly string[]>([])
  const paths = pathsThrough(map, selected)
  const t = texts.access
  const shown = <Row,>(label: string, rows: readonly Row[]) => (whole.includes(label) ? rows : rows.slice(0, MOST))
  const callers = shown(t.callers, paths.callers)
  const toolsets = shown(t.toolsets, paths.toolsets)
  const connections = shown(t.connections, paths.connections)
  const only = paths.toolsets.length === 1 ? paths.toolsets[0] : undefined
  const side = <Row,>(label: string, all: readonly Row[], rows: readonly Row[], draw: (row: Row) => Entry) => (
    <List
      label={label}
      entries={rows.map(draw)}
      selected={selected}
      onSelect={onSelect}
      more={all.length - rows.length}
      onMore={() => setWhole([...whole, label])}
    />
  )
  return (
    <div className={`${classes['map']} ${selected === undefined ? '' : classes['chosen']}`}>
      {side(t.callers, paths.callers, callers, (caller) => ({
        id: idOf.caller(caller),
        name:
          caller.kind === 'role' ? (texts.roles[caller.id as keyof typeof texts.roles] ?? caller.name) : caller.name,
        about: aboutCaller(caller),
      }))}
      <Lines
        lines={linesBetween(callers, toolsets, (caller, { slug }) => caller.toolsets.includes(slug))}
        rows={Math.max(callers.length, toolsets.length)}
      />
      {side(t.toolsets, paths.toolsets, toolsets, (toolset) => ({
        id: idOf.toolset(toolset),
        name: toolset.slug === 'default' ? t.whole : localized(toolset.title, 'rules'),
        about: `${toolset.everyone ? t.everyone : t.restricted}, ${t.tools({
          tools: toolset.connections.reduce((sum, { tools }) => sum + tools, 0),
        })}`,
      }))}
      <Lines
        lines={linesBetween(toolsets, connections, (toolset, { alias }) =>
          toolset.connections.some((connection) => connection.alias === alias),
        )}
        rows={Math.max(toolsets.length, connections.length)}
      />
      {side(t.connections, paths.connections, connections, (connection) => ({
        id: idOf.connection(connection),
        name: connection.alias,
        about: aboutConnection(connection, only),
      }))}
    </div>
  )
}

function aboutCaller({ kind, members, limit, toolsets }: Told['callers'][number]): string {
  const t = texts.access
  const what = kind === 'role' || kind === 'group' ? t.kinds[kind]({ members: members ?? 0 }) : t.kinds[kind]
  if (toolsets.length === 0) return `${what}, ${t.noTools}`
  return limit === 'execute' ? what : `${what}, ${t.limits[limit]}`
}

function aboutConnection(
  { alias, enabled, tools: all }: Told['connections'][number],
  only: Told['toolsets'][number] | undefined,
): string {
  const t = texts.access
  if (!enabled) return t.off
  const tools = only?.connections.find((connection) => connection.alias === alias)?.tools
  return tools === undefined || tools === all ? t.tools({ tools: all }) : t.toolsOf({ tools, all })
}

interface Entry {
  readonly id: Selected
  readonly name: string
  readonly about: string
}

interface ListProps {
  readonly label: string
  readonly entries: readonly Entry[]
  readonly selected: string | undefined
  readonly onSelect: (selected: Selected | undefined) => void
  readonly more: number
  readonly onMore: () => void
}

function List({ label, entries, selected, onSelect, more, onMore }: ListProps): ReactNode {
  return (
    <section className={classes['side']} aria-label={label}>
      <Text size="sm" fw={600} mb={4}>
        {label}
      </Text>
      {entries.length === 0 ? (
        <Text size="sm" c="dimmed">
          {texts.access.nothing}
        </Text>
      ) : null}
      <ul className={classes['list']}>
        {entries.map(({ id, name, about }) => (
          <li key={id} className={classes['row']}>
            <UnstyledButton
              className={classes['entry']}
              aria-pressed={id === selected}
              title={name}
              onClick={() => onSelect(id === selected ? undefined : id)}
            >
              <Text size="sm" fw={600} truncate>
                {name}
              </Text>
              <Text size="xs" c="dimmed" truncate>
                {about}
              </Text>
            </UnstyledButton>
          </li>
        ))}
      </ul>
      {more === 0 ? null : (
        <Button variant="subtle" size="compact-sm" onClick={onMore}>
          {texts.access.more({ more })}
        </Button>
      )}
    </section>
  )
}

/** Below the headings of the lists, which are one line of small text. */
function Lines({ lines, rows }: { lines: readonly (readonly [number, number])[]; rows: number }) {
  const height = rows * ROW
  const middle = (row: number) => row * ROW + ROW / 2
  return (
    <svg className={classes['lines']} style={{ marginTop: 26 }} width={GAP} height={height} aria-hidden="true">
      {lines.map(([left, right]) => (
        <path
          key={`${left}-${right}`}
          className={classes['line']}
          d={`M0 ${middle(left)} C ${GAP / 2} ${middle(left)}, ${GAP / 2} ${middle(right)}, ${GAP} ${middle(right)}`}
        />
      ))}
    </svg>
  )
}
