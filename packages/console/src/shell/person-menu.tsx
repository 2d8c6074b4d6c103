/** The menu of the signed-in user: account, appearance, sign-out. */
import { Menu, Text, useMantineColorScheme } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useMe } from '../data/me.ts'
import { signOut } from '../data/session.ts'
import { texts } from '../texts/texts.ts'
import { Icon } from '../ui/icon.tsx'
import { useOpenedLater } from './opened-later.ts'
import { PersonButton } from './buttons.tsx'
import { listShortcuts } from './shortcut-keys.ts'
import { keepOrganization } from '../ui/keep-organization.ts'

export function PersonMenu() {
  const { user } = useMe()
  const { button, menu } = useOpenedLater<HTMLButtonElement>()
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const t = texts.person
  return (
    <Menu position="bottom-end" width={240} {...menu}>
      <Menu.Target>
        <PersonButton ref={button} name={user?.name ?? ''} />
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          <Text size="sm" className="breakable">
            {user?.email}
          </Text>
        </Menu.Label>
        <Menu.Item
          component={Link}
          to="/me"
          search={keepOrganization as never}
          leftSection={<Icon name="user" size={16} />}
        >
          {t.account}
        </Menu.Item>
        <Menu.Item component="a" href="/docs" leftSection={<Icon name="help-circle" size={16} />}>
          {t.documentation}
        </Menu.Item>
        <Menu.Item component="a" href="/api/v1/docs" leftSection={<Icon name="api" size={16} />}>
          {t.reference}
        </Menu.Item>
        <Menu.Item leftSection={<Icon name="list-details" size={16} />} onClick={listShortcuts}>
          {t.shortcuts}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Label>{t.appearance}</Menu.Label>
        {(['auto', 'light', 'dark'] as const).map((scheme) => (
          <Menu.Item
            key={scheme}
            closeMenuOnClick={false}
            onClick={() => setColorScheme(scheme)}
            rightSection={colorScheme === scheme ? <Icon name="check" size={14} label={t.chosen} /> : undefined}
          >
            {t.schemes[scheme]}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item leftSection={<Icon name="logout" size={16} />} onClick={() => void signOut()}>
          {t.signOut}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
