/** One's own account: who one is here, where one is signed in, one's password, and what acts in one's name. */
import { SegmentedControl, Stack, useMantineColorScheme } from '@mantine/core'
import { useMe } from '../../data/me.ts'
import { texts } from '../../texts/texts.ts'
import { Facts } from '../../ui/facts.tsx'
import { LinkButton } from '../../ui/links.tsx'
import { Screen } from '../../ui/screen.tsx'
import { Section } from '../../ui/section.tsx'
import { LanguageChoice } from './language-choice.tsx'
import { OwnClients } from '../../features/authorization/own-clients.tsx'
import { OwnIdentities } from '../../features/identity-providers/own-identities.tsx'
import { PasswordForm } from '../../features/people/password-form.tsx'
import { SecondFactors } from '../../features/second-factor/second-factors.tsx'
import { SignIns } from '../../features/people/sign-ins.tsx'

const t = texts.me

export function MeScreen() {
  return (
    <Screen title={texts.nav.me} hint={t.hint}>
      <You />
      <SignIns />
      <SecondFactors />
      <OwnIdentities />
      <PasswordForm />
      <OwnClients />
      <Section title={t.accounts} hint={t.accountsSeeHint}>
        <LinkButton to="/accounts" variant="default">
          {t.accountsSee}
        </LinkButton>
      </Section>
      <Appearance />
    </Screen>
  )
}

function You() {
  const { user, organizations } = useMe()
  const roles = organizations.map(({ id, name, role }) => (
    <div key={id}>{t.roleIn({ role: texts.roles[role], organization: name })}</div>
  ))
  return (
    <Section title={t.you} hint={t.youHint}>
      <Facts
        facts={[
          [t.name, user?.name],
          [t.email, user?.email],
          [t.roles, user?.platform_admin === true ? [<div key="platform">{t.platform}</div>, ...roles] : roles],
        ]}
      />
    </Section>
  )
}

function Appearance() {
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const words = texts.person.schemes
  return (
    <Section title={t.looks}>
      <Stack gap="sm" align="flex-start">
        <SegmentedControl
          aria-label={t.scheme}
          value={colorScheme}
          onChange={(scheme) => setColorScheme(scheme as keyof typeof words)}
          data={Object.entries(words).map(([value, label]) => ({ value, label }))}
        />
        <LanguageChoice />
      </Stack>
    </Section>
  )
}
