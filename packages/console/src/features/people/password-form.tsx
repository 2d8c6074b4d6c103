/** Changes one's own password: with the one that one has, and twice the new one. None of them is kept longer than the form. */
import { Button, Group, PasswordInput, Stack } from '@mantine/core'
import { changePassword, showMe } from '@toolway/contract/admin'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState, type FormEvent } from 'react'
import { call } from '../../data/call.ts'
import { useMe } from '../../data/me.ts'
import { Problem } from '../../data/problem.ts'
import { whileReplacing } from '../../data/session.ts'
import { texts } from '../../texts/texts.ts'
import { Failed } from '../../ui/failed.tsx'
import { sayDone } from '../../ui/say.tsx'
import { Section } from '../../ui/section.tsx'

const t = texts.me
const EMPTY = { current: '', fresh: '', repeat: '' }
type Words = typeof EMPTY

/** Returns the errors found before submission; the gateway decides the minimum length of a password. */
const faultsOf = ({ current, fresh, repeat }: Words): Partial<Words> => ({
  ...(current === '' ? { current: t.needed } : {}),
  ...(fresh === '' ? { fresh: t.needed } : fresh === current ? { fresh: t.same } : {}),
  ...(repeat === fresh ? {} : { repeat: t.differs }),
})

export function PasswordForm() {
  const { user } = useMe()
  const [words, setWords] = useState(EMPTY)
  const [tried, setTried] = useState(false)
  const queries = useQueryClient()
  const change = useMutation({
    mutationFn: async ({ current, fresh }: Words) => {
      // An old access token is renewed first: while it is being replaced, nobody can.
      await call(showMe)
      return whileReplacing(call(changePassword, { body: { current_password: current, new_password: fresh } }))
    },
    onSuccess: () => {
      setWords(EMPTY)
      setTried(false)
      sayDone(t.changed)
      return queries.invalidateQueries({ queryKey: ['me'] })
    },
  })
  const faults = tried ? faultsOf(words) : {}
  const field = (name: keyof Words) => ({
    value: words[name],
    error: faults[name],
    onChange: ({ currentTarget: { value } }: { currentTarget: { value: string } }) =>
      setWords((before) => ({ ...before, [name]: value })),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setTried(true)
    if (Object.keys(faultsOf(words)).length === 0) change.mutate(words)
  }
  return (
    <Section title={t.password} hint={t.passwordHint}>
      <form onSubmit={submit} noValidate>
        <Stack maw={420}>
          {/* So that a password manager knows whose it is. */}
          <input type="email" autoComplete="username" value={user?.email ?? ''} readOnly hidden />
          <PasswordInput label={t.current} autoComplete="current-password" {...field('current')} />
          <PasswordInput label={t.fresh} description={t.freshRule} autoComplete="new-password" {...field('fresh')} />
          <PasswordInput label={t.repeat} autoComplete="new-password" {...field('repeat')} />
          {change.error === null ? null : <Failed failure={Problem.of(change.error)} />}
          <Group>
            <Button type="submit" loading={change.isPending}>
              {t.change}
            </Button>
          </Group>
        </Stack>
      </form>
    </Section>
  )
}
