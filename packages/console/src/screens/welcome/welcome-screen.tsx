/**
 * Where an invitation link leads: a password is chosen, and one is signed in. The code is in the fragment of the link, which no
 * browser sends anywhere, and is taken out of the address at once.
 */
import { Anchor, Button, Paper, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { choosePassword, login } from '@toolway/contract/admin'
import { useEffect, useRef, useState, type FormEvent } from 'react'
import { call } from '../../data/call.ts'
import { me } from '../../data/me.ts'
import { Problem } from '../../data/problem.ts'
import { texts } from '../../texts/texts.ts'
import { Failed } from '../../ui/failed.tsx'

const t = texts.welcome

export function WelcomeScreen() {
  const [given] = useState(readFragment)
  const [password, setPassword] = useState('')
  useEffect(() => {
    document.title = `${t.title} · Toolway`
    window.history.replaceState(null, '', window.location.pathname)
  }, [])
  const queries = useQueryClient()
  const navigate = useNavigate()
  const chosen = useRef(false)
  const enter = useMutation({
    mutationFn: async ({ code, email }: Given) => {
      // The code is good once: when only the sign-in failed, it is the sign-in that is tried again.
      if (!chosen.current) await call(choosePassword, { body: { code, password } })
      chosen.current = true
      await call(login, { body: { email, password, cookies: true } })
    },
    onSuccess: async () => {
      await queries.fetchQuery(me)
      await navigate({ to: '/' })
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (given !== undefined) enter.mutate(given)
  }
  return (
    <Paper component="main" withBorder p="xl" maw={420} mx="auto" my="xl">
      <Stack>
        <img src="/assets/mark.svg" alt="Toolway" width={32} height={32} />
        <Title order={1}>{t.title}</Title>
        {given === undefined ? (
          <>
            <Text>{t.incomplete}</Text>
            <Anchor href="/sign-in/code">{t.enterCode}</Anchor>
          </>
        ) : (
          <form onSubmit={submit}>
            <Stack>
              <TextInput label={t.email} value={given.email} readOnly autoComplete="username" />
              <PasswordInput
                label={t.password}
                description={t.passwordHint}
                required
                autoComplete="new-password"
                value={password}
                onChange={({ currentTarget }) => setPassword(currentTarget.value)}
                visibilityToggleButtonProps={{ 'aria-label': t.show }}
              />
              {enter.error === null ? null : <Failed failure={Problem.of(enter.error)} />}
              <Button type="submit" loading={enter.isPending || enter.isSuccess}>
                {t.enter}
              </Button>
            </Stack>
          </form>
        )}
      </Stack>
    </Paper>
  )
}

interface Given {
  readonly code: string
  readonly email: string
}

/** `#code=…&email=…`; undefined where one of them is missing. */
function readFragment(): Given | undefined {
  const given = new URLSearchParams(window.location.hash.slice(1))
  const [code, email] = [given.get('code') ?? '', given.get('email') ?? '']
  return code === '' || email === '' ? undefined : { code, email }
}
