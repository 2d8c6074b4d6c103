/** A link in a row of a table, where there is room for a picture only. */
import { ActionIcon, Tooltip } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { Icon, type IconName } from './icon.tsx'
import { searchOf, type LinkProps } from './links.tsx'

export function IconLink({ to, search, label, icon }: Omit<LinkProps, 'children'> & { label: string; icon: IconName }) {
  return (
    <Tooltip label={label}>
      <ActionIcon
        component={Link}
        to={to}
        search={searchOf(search) as never}
        variant="subtle"
        color="gray"
        aria-label={label}
      >
        <Icon name={icon} />
      </ActionIcon>
    </Tooltip>
  )
}
