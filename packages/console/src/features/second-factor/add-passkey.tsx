/** Adds a passkey, which the browser makes. */
import { Button, Text, TextInput } from '@mantine/core'
import { addPasskey, beginPasskey } from '@toolway/contract/admin'
import { startRegistration, type PublicKeyCredentialCreationOptionsJSON } from '@simplewebauthn/browser'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../data/call.ts'
import { Problem } from '../../data/problem.ts'
import { texts } from '../../texts/texts.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Failed } from '../../ui/failed.tsx'

const t = texts.secondFactor.passkey

interface AddPasskeyProps {
  readonly onAdded: (codes: readonly string[] | null) => void
  readonly onClose: () => void
}

export function AddPasskey({ onAdded, onClose }: AddPasskeyProps) {
  const [name, setName] = useState<string>(t.name)
  const add = useMutation({
    mutationFn: async () => {
      const { challenge, options } = await call(beginPasskey)
      const optionsJSON = options as unknown as PublicKeyCredentialCreationOptionsJSON
      const { response, ...made } = await startRegistration({ optionsJSON })
      const passkey = { ...made, clientExtensionResults: {}, response }
      return call(addPasskey, { body: { challenge, name, passkey } })
    },
    onSuccess: ({ recovery_codes: codes }) => onAdded(codes),
  })
  return (
    <Dialog
      opened
      title={t.title}
      onClose={onClose}
      onSubmit={(event) => {
        event.preventDefault()
        add.mutate()
      }}
    >
      <Text size="sm">{t.hint}</Text>
      <TextInput
        label={t.nameLabel}
        value={name}
        required
        data-autofocus
        onChange={(event) => setName(event.currentTarget.value)}
      />
      {add.error === null ? null : <Failed failure={Problem.of(add.error)} />}
      <Button type="submit" loading={add.isPending}>
        {t.verb}
      </Button>
    </Dialog>
  )
}
