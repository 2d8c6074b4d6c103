/** A one-time code with which somebody chooses a password: shown once, since nothing here sends mail. */
import { Alert, Stack, Text } from '@mantine/core'
import { texts } from '../../texts/texts.ts'
import { CopyField } from '../../ui/copy.tsx'
import { Icon } from '../../ui/icon.tsx'
import { When } from '../../ui/when.tsx'

export interface PasswordCodeProps {
  readonly email: string
  readonly invitation: { readonly code: string; readonly expires_at: string }
}

export function PasswordCode({ email, invitation }: PasswordCodeProps) {
  const t = texts.people.code
  const fragment = new URLSearchParams({ code: invitation.code })
  const link = `${window.location.origin}/welcome#${fragment.toString()}`
  return (
    <Stack>
      <Alert icon={<Icon name="info-circle" />} title={t.title}>
        <Text size="sm">{t.how({ email })}</Text>
      </Alert>
      <CopyField label={t.link} value={link} copyLabel={t.copyLink} />
      <CopyField label={t.message} value={t.words({ link, email })} copyLabel={t.copyMessage} />
      <CopyField label={t.code} value={invitation.code} copyLabel={t.copyCode} />
      <Text size="sm" c="dimmed">
        {t.good} <When at={invitation.expires_at} />
      </Text>
    </Stack>
  )
}
