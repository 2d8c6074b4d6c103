/** The columns of a table that a person wants to see, remembered by the browser. The first one always stays. */
import { ActionIcon, Checkbox, Popover, Stack } from '@mantine/core'
import { useState } from 'react'
import { texts } from '../texts/texts.ts'
import { Icon } from './icon.tsx'

interface ColumnChoiceProps {
  /** Titles of the columns that can be hidden. */
  readonly titles: readonly string[]
  readonly hidden: readonly string[]
  readonly onChange: (hidden: readonly string[]) => void
}

export function ColumnChoice({ titles, hidden, onChange }: ColumnChoiceProps) {
  return (
    <Popover position="bottom-end" withinPortal trapFocus returnFocus>
      <Popover.Target>
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={texts.table.columns}
          title={texts.table.columns}
          className="column-choice"
        >
          <Icon name="settings" size={16} />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap="xs">
          {titles.map((title) => (
            <Checkbox
              key={title}
              label={title}
              checked={!hidden.includes(title)}
              onChange={({ currentTarget: { checked } }) =>
                onChange(checked ? hidden.filter((value) => value !== title) : [...hidden, title])
              }
            />
          ))}
        </Stack>
      </Popover.Dropdown>
    </Popover>
  )
}

/** @param name of the table, under which the browser remembers the choice; undefined: there is none to make */
export function useHiddenColumns(name: string | undefined): [readonly string[], (hidden: readonly string[]) => void] {
  const key = `toolway.columns.${name}`
  const [hidden, setHidden] = useState<readonly string[]>(() =>
    name === undefined ? [] : (localStorage.getItem(key)?.split('\n') ?? []),
  )
  return [
    hidden,
    (next) => {
      setHidden(next)
      if (next.length === 0) localStorage.removeItem(key)
      else localStorage.setItem(key, next.join('\n'))
    },
  ]
}
