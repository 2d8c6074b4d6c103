/** Asks a person to confirm that it is them, with the second factor, or with the password where there is none. */
import { Anchor, Button, PasswordInput, Text, TextInput } from '@mantine/core'
import { beginProof, proveAgain } from '@toolway/contract/admin'
import { startAuthentication, type PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/browser'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../data/call.ts'
import { Problem } from '../../data/problem.ts'
import { texts } from '../../texts/texts.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Failed } from '../../ui/failed.tsx'

const t = texts.secondFactor.proof

export function ProofDialog({ onProven, onClose }: { onProven: () => void; onClose: () => void }) {
  const [word, setWord] = useState('')
  const begun = useQuery({ queryKey: ['proof'], queryFn: () => call(beginProof), gcTime: 0, staleTime: Infinity })
  const by = begun.data?.by ?? []
  const prove = useMutation({
    mutationFn: async (how: 'passkey' | 'word') => {
      if (how === 'word')
        return call(proveAgain, { body: by.includes('password') ? { password: word } : { code: word } })
      const { challenge, options } = begun.data ?? {}
      const optionsJSON = options as unknown as PublicKeyCredentialRequestOptionsJSON
      const { response, ...passkey } = await startAuthentication({ optionsJSON })
      return call(proveAgain, {
        body: { challenge: challenge ?? '', passkey: { ...passkey, clientExtensionResults: {}, response } },
      })
    },
    onSuccess: onProven,
    onError: () => begun.refetch(),
  })
  const failure = begun.error ?? prove.error
  const field = {
    value: word,
    required: true,
    'data-autofocus': true,
    onChange: (event: { currentTarget: { value: string } }) => setWord(event.currentTarget.value),
  }
  return (
    <Dialog
      opened
      title={t.title}
      onClose={onClose}
      onSubmit={(event) => {
        event.preventDefault()
        prove.mutate('word')
      }}
    >
      <Text size="sm">{t.hint}</Text>
      {by.includes('password') ? (
        <PasswordInput
          {...field}
          label={t.password}
          autoComplete="current-password"
          visibilityToggleButtonProps={{ 'aria-label': t.look }}
        />
      ) : null}
      {by.includes('code') ? (
        <TextInput {...field} label={t.code} description={t.codeHint} autoComplete="one-time-code" />
      ) : null}
      {begun.data !== undefined && by.length === 0 ? (
        <Text size="sm">
          {t.none} <Anchor href="/sign-in">{t.signIn}</Anchor>
        </Text>
      ) : (
        <Button type="submit" loading={prove.isPending}>
          {t.verb}
        </Button>
      )}
      {by.includes('passkey') ? (
        <Button variant="default" onClick={() => prove.mutate('passkey')}>
          {t.passkey}
        </Button>
      ) : null}
      {failure === null ? null : <Failed failure={Problem.of(failure)} />}
    </Dialog>
  )
}
