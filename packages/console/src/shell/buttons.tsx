/** The two buttons of the header that have a menu: the same before their menu is loaded and after. */
import { ActionIcon, Button, type ActionIconProps, type ButtonProps } from '@mantine/core'
import type { ComponentPropsWithRef } from 'react'
import { texts } from '../texts/texts.ts'
import { Icon } from '../ui/icon.tsx'

type PersonButtonProps = { readonly name: string } & ActionIconProps &
  Omit<ComponentPropsWithRef<'button'>, 'name' | 'color' | 'style'>

export const PersonButton = ({ name, ...props }: PersonButtonProps) => (
  <ActionIcon variant="default" size={36} aria-label={texts.person.menu({ name })} {...props}>
    <Icon name="user" />
  </ActionIcon>
)

type OrganizationButtonProps = { readonly name: string } & ButtonProps &
  Omit<ComponentPropsWithRef<'button'>, 'name' | 'color' | 'style'>

export const OrganizationButton = ({ name, ...props }: OrganizationButtonProps) => (
  <Button
    variant="default"
    size="xs"
    rightSection={<Icon name="chevron-down" size={14} />}
    aria-label={texts.organization({ name })}
    style={{ minWidth: 0, flexShrink: 1 }}
    {...props}
  >
    {name}
  </Button>
)
