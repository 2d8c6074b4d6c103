/** Which organization is looked at: a name where there is one, a choice where there are several. It is part of the address. */
import { Button, Menu, Text } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { ORGANIZATION, useMe, useMembership } from '../data/me.ts'
import { texts } from '../texts/texts.ts'
import { Icon } from '../ui/icon.tsx'

export function OrganizationChoice() {
  const { organizations } = useMe()
  const current = useMembership()
  const navigate = useNavigate()
  if (current === undefined) return null
  if (organizations.length === 1)
    return (
      <Text c="dimmed" truncate>
        {current.name}
      </Text>
    )
  return (
    <Menu position="bottom-start">
      <Menu.Target>
        <Button
          variant="default"
          size="xs"
          rightSection={<Icon name="chevron-down" size={14} />}
          aria-label={texts.organization(current.name)}
          style={{ minWidth: 0, flexShrink: 1 }}
        >
          {current.name}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {organizations.map(({ slug, name, role }) => (
          <Menu.Item
            key={slug}
            onClick={() => void navigate({ to: '/', search: { [ORGANIZATION]: slug } as never })}
            rightSection={slug === current.slug ? <Icon name="check" size={14} /> : undefined}
          >
            {name}
            <Text size="xs" c="dimmed">
              {texts.roles[role]}
            </Text>
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
