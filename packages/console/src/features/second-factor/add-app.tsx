/** Adds an authenticator app: a QR code and its text, then a code that the app shows. */
import { Button, Text, TextInput } from '@mantine/core'
import { addAuthenticatorApp, beginAuthenticatorApp } from '@toolway/contract/admin'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../data/call.ts'
import { Problem } from '../../data/problem.ts'
import { texts } from '../../texts/texts.ts'
import { CopyField } from '../../ui/copy.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Failed } from '../../ui/failed.tsx'
import { QrCode } from './qr-code.tsx'

const t = texts.secondFactor.app

interface AddAppProps {
  readonly onAdded: (codes: readonly string[] | null) => void
  readonly onClose: () => void
}

export function AddApp({ onAdded, onClose }: AddAppProps) {
  const [name, setName] = useState<string>(t.name)
  const [code, setCode] = useState('')
  const begun = useQuery({
    queryKey: ['app to add'],
    queryFn: () => call(beginAuthenticatorApp),
    gcTime: 0,
    staleTime: Infinity,
    retry: false,
  })
  const add = useMutation({
    mutationFn: (challenge: string) => call(addAuthenticatorApp, { body: { challenge, code, name } }),
    onSuccess: ({ recovery_codes: codes }) => onAdded(codes),
  })
  const failure = begun.error ?? add.error
  return (
    <Dialog
      opened
      title={t.title}
      onClose={onClose}
      onSubmit={(event) => {
        event.preventDefault()
        if (begun.data !== undefined) add.mutate(begun.data.challenge)
      }}
    >
      <Text size="sm">{t.hint}</Text>
      {begun.data === undefined ? null : (
        <>
          <QrCode text={begun.data.uri} label={t.qr} />
          <CopyField label={t.secret} value={begun.data.secret} copyLabel={t.copy} />
        </>
      )}
      <TextInput label={t.nameLabel} value={name} required onChange={(event) => setName(event.currentTarget.value)} />
      <TextInput
        label={t.code}
        value={code}
        required
        inputMode="numeric"
        autoComplete="one-time-code"
        onChange={(event) => setCode(event.currentTarget.value)}
      />
      {failure === null ? null : <Failed failure={Problem.of(failure)} />}
      <Button type="submit" loading={add.isPending} disabled={begun.data === undefined}>
        {t.verb}
      </Button>
    </Dialog>
  )
}
