/** The settings of sign-in: identity providers, email domains and provisioning. */
import { Stack } from '@mantine/core'
import { EmailDomains } from '../../features/identity-providers/email-domains.tsx'
import { IdentityProviders } from '../../features/identity-providers/identity-providers.tsx'
import { Provisioning } from '../../features/scim/provisioning.tsx'

export function SignInSettings() {
  return (
    <Stack gap="xl">
      <IdentityProviders />
      <EmailDomains />
      <Provisioning />
    </Stack>
  )
}
