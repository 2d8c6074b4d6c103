/** One member: what they are here and by what, when they were last seen, and the reset of a second factor that they have lost. */
import { Button, Group, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { resetMemberSecondFactor, type ListedMember } from '@toolway/contract/admin'
import { useState } from 'react'
import { call } from '../../data/call.ts'
import { useMay, useMe, useOrganization } from '../../data/me.ts'
import { sayProblem } from '../../parts/say-problem.ts'
import { texts } from '../../texts/texts.ts'
import { Confirm } from '../../ui/confirm.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Facts } from '../../ui/facts.tsx'
import { IconLink } from '../../ui/icon-link.tsx'
import { sayDone } from '../../ui/say.tsx'
import { When } from '../../ui/when.tsx'
import { sourceOf, State } from './member-cells.tsx'

export function MemberPage({ member, onClose }: { member: ListedMember; onClose: () => void }) {
  const mayRules = useMay('policy_manage')
  const t = texts.people
  const { name, email, role, groups, added_at: added, signed_in_at: signedIn, last_seen_at: seen } = member
  return (
    <Dialog opened title={name} onClose={onClose}>
      <Facts
        facts={[
          [t.email, email],
          [t.role, texts.roles[role]],
          [t.columns.state, <State key="state" {...member} />],
          [t.columns.source, sourceOf(member)],
          [t.columns.groups, groups.join(', ')],
          [t.page.added, <When key="added" at={added} />],
          [t.page.signedIn, <When key="signed-in" at={signedIn} never={t.never} />],
          [t.columns.seen, <When key="seen" at={seen} never={t.never} />],
        ]}
      />
      {mayRules ? (
        <Group gap="xs">
          <IconLink
            to="/rules"
            search={{ tab: 'access', as: email }}
            label={texts.access.of({ name })}
            icon="shield-check"
          />
          <Text size="sm">{texts.access.of({ name })}</Text>
        </Group>
      ) : null}
      <SecondFactor member={member} />
    </Dialog>
  )
}

function SecondFactor({ member: { user_id: id, name } }: { member: ListedMember }) {
  const { user } = useMe()
  const organization = useOrganization()
  const [asks, setAsks] = useState(false)
  const t = texts.people.page
  const reset = useMutation({
    mutationFn: () => call(resetMemberSecondFactor, { path: { organization, user: id } }),
    onSuccess: () => sayDone(t.isReset({ name })),
    onError: sayProblem,
    onSettled: () => setAsks(false),
  })
  // Administrators change their own under "Your account".
  if (user?.id === id) return null
  return (
    <Stack gap="xs" align="flex-start">
      <Button variant="default" onClick={() => setAsks(true)}>
        {t.reset}
      </Button>
      <Confirm
        opened={asks}
        title={t.resetTitle({ name })}
        verb={t.resetVerb}
        busy={reset.isPending}
        onClose={() => setAsks(false)}
        onConfirm={() => reset.mutate()}
      >
        {t.resetWhat}
      </Confirm>
    </Stack>
  )
}
