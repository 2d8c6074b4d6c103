/** The organizations to choose from. */
import { Menu, Text } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useMe, useMembership } from '../data/me.ts'
import { ORGANIZATION } from '../data/organization-path.ts'
import { texts } from '../texts/texts.ts'
import { Icon } from '../ui/icon.tsx'
import { useOpenedLater } from './opened-later.ts'
import { OrganizationButton } from './buttons.tsx'

export function OrganizationMenu() {
  const { organizations } = useMe()
  const current = useMembership()
  const navigate = useNavigate()
  const { button, menu } = useOpenedLater<HTMLButtonElement>()
  return (
    <Menu position="bottom-start" {...menu}>
      <Menu.Target>
        <OrganizationButton ref={button} name={current?.name ?? ''} />
      </Menu.Target>
      <Menu.Dropdown>
        {organizations.map(({ slug, name, role }) => (
          <Menu.Item
            key={slug}
            onClick={() => void navigate({ to: '/', search: { [ORGANIZATION]: slug } as never })}
            rightSection={slug === current?.slug ? <Icon name="check" size={14} /> : undefined}
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
