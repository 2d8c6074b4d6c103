/**
 * Where an invitation link leads: a password is chosen, and one is signed in. The code is in the fragment of the link, which no
 * browser sends anywhere, and is taken out of the address at once. Whose account it is for is asked of the gateway: what else a link
 * says is the word of whoever made it.
 */
import { Anchor, Button, Paper, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { choosePassword, findCodeOwner, login } from '@toolway/contract/admin'
import { useEffect, useRef, useState, type FormEvent } from 'react'
import { call } from '../../data/call.ts'
import { me } from '../../data/me.ts'
import { Problem } from '../../data/problem.ts'
import { texts } from '../../texts/texts.ts'
import { Failed } from '../../ui/failed.tsx'

const t = texts.welcome

export function WelcomeScreen() {
  const [code] = useState(readFragment)
  const [password, setPassword] = useState('')
  useEffect(() => {
    document.title = `${t.title} · Toolway`
    window.history.replaceState(null, '', window.location.pathname)
  }, [])
  const queries = useQueryClient()
  const navigate = useNavigate()
  const chosen = useRef(false)
  const owner = useQuery({
    queryKey: ['code owner', code],
    queryFn: () => call(findCodeOwner, { body: { code: code ?? '' } }),
    enabled: code !== undefined,
    retry: false,
    staleTime: Infinity,
  })
  const email = owner.data?.email
  const enter = useMutation({
    mutationFn: async ({ code, email }: Given) => {
      // The code is good once: when only the sign-in failed, it is the sign-in that is tried again.
      if (!chosen.current) await call(choosePassword, { body: { code, password } })
      chosen.current = true
      const signedIn = await call(login, { body: { email, password, cookies: true } })
      // The second step has a page of the gateway's.
      if ('second_step' in signedIn) location.assign('/sign-in')
    },
    onSuccess: async () => {
      await queries.fetchQuery(me)
      await navigate({ to: '/' })
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (code !== undefined && email !== undefined) enter.mutate({ code, email })
  }
  return (
    <Paper component="main" withBorder p="xl" maw={420} mx="auto" my="xl">
      <Stack>
        <img src="/assets/mark.svg" alt="Toolway" width={32} height={32} />
        <Title order={1}>{t.title}</Title>
        {code === undefined || owner.error !== null ? (
          <>
            {owner.error === null ? <Text>{t.incomplete}</Text> : <Failed failure={Problem.of(owner.error)} />}
            <Anchor href="/sign-in/code">{t.enterCode}</Anchor>
          </>
        ) : (
          <form onSubmit={submit}>
            <Stack>
              <TextInput label={t.email} value={email ?? ''} readOnly autoComplete="username" />
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
              <Button type="submit" disabled={email === undefined} loading={enter.isPending || enter.isSuccess}>
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

/** `#code=…`; undefined where it is missing. */
function readFragment(): string | undefined {
  const code = new URLSearchParams(window.location.hash.slice(1)).get('code') ?? ''
  return code === '' ? undefined : code
}
