/** Everything by its name: Ctrl or Command and K. */
import { ActionIcon } from '@mantine/core'
import '@mantine/spotlight/styles.css'
import { Spotlight, spotlight } from '@mantine/spotlight'
import { useNavigate } from '@tanstack/react-router'
import { texts } from '../texts/texts.ts'
import { Icon } from '../ui/icon.tsx'
import { NAVIGATION } from './navigation.ts'

export function Palette() {
  const navigate = useNavigate()
  const actions = NAVIGATION.flatMap(({ items }) =>
    items.map(({ to, title, icon }) => ({
      id: to,
      label: title,
      leftSection: <Icon name={icon} />,
      onClick: () => void navigate({ to, search: keep as never }),
    })),
  )
  return (
    <>
      <ActionIcon variant="default" size={36} aria-label={texts.palette.open} onClick={spotlight.open}>
        <Icon name="search" />
      </ActionIcon>
      <Spotlight
        actions={actions}
        shortcut={['mod + K']}
        nothingFound={texts.palette.nothing}
        searchProps={{ placeholder: texts.palette.hint, 'aria-label': texts.palette.hint }}
        scrollable
      />
    </>
  )
}

const keep = (before: Record<string, unknown>) => (before['org'] === undefined ? {} : { org: before['org'] })
