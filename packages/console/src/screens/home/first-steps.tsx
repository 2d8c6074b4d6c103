/**
 * The first steps of a new user; each is marked done from the actual state. The panel can be hidden, and then stays hidden in
 * this browser for this user and organization; it disappears when all steps are done.
 */
import { Button, Group, Stack, Text } from '@mantine/core'
import { visibleText } from '@toolway/contract'
import { useQuery } from '@tanstack/react-query'
import {
  findUsage,
  getSettings,
  listMembers,
  listMyKeys,
  listOrganizationRules,
  listOwnAccounts,
  listOwnGrants,
  type Usage,
} from '@toolway/contract/admin'
import { useState } from 'react'
import { useMay, useMe, useOrganization } from '../../data/me.ts'
import { askAll } from '../../data/pages.ts'
import { ask } from '../../data/queries.ts'
import { texts } from '../../texts/texts.ts'
import { Icon } from '../../ui/icon.tsx'
import { TextLink } from '../../ui/links.tsx'
import { Panel } from '../../ui/panel.tsx'
import { sayDone } from '../../ui/say.tsx'

const MONTH_MS = 30 * 86_400_000

/** Calls that were not refused; undefined also where there are none among those that are counted, and not all are. */
export function carriedOut(usage: Usage | undefined): number | undefined {
  if (usage === undefined) return undefined
  const calls = usage.total.calls - usage.total.refused
  return calls === 0 && usage.uncounted > 0 ? undefined : calls
}

interface StepsProps {
  /** Undefined while nobody knows. */
  readonly connected: number | undefined
  /** Calls of the last day that were not refused. */
  readonly called: number | undefined
}

export function FirstSteps(props: StepsProps) {
  const { user } = useMe()
  const organization = useOrganization()
  const place = `toolway.first-steps.${user?.id ?? ''}.${organization}`
  const [hidden, setHidden] = useState(() => localStorage.getItem(place) !== null)
  if (hidden) return null
  const hide = () => {
    localStorage.setItem(place, 'hidden')
    setHidden(true)
    sayDone(texts.home.steps.hidden, () => {
      localStorage.removeItem(place)
      setHidden(false)
    })
  }
  return <Steps {...props} onHide={hide} />
}

interface Step {
  readonly name: keyof typeof texts.home.steps.list
  readonly to: string
  readonly may: boolean
  readonly done: boolean | undefined
  /** In place of the words of the step. */
  readonly hint?: string | undefined
}

const MOST_NAMED = 3

/** The services at which the calls of whoever looks need an account of their own; nothing where no service wants one. */
function useAccountStep(): Step {
  const path = { organization: useOrganization() }
  const { user } = useMe()
  const query = { kind: 'needed', limit: MOST_NAMED } as const
  const { data, isPending } = useQuery(ask('accounts', listOwnAccounts, { path, query }))
  // A person who may not read connections has no account to connect.
  const concerns = user !== undefined && ((data?.by_kind['needed'] ?? 0) > 0 || (data?.by_kind['yours'] ?? 0) > 0)
  const names = (data?.items ?? []).map(({ connection: { title } }) => visibleText(title)).join(', ')
  return {
    ...{ name: 'accounts', to: '/accounts', may: concerns || isPending },
    done: isPending ? undefined : names === '',
    hint:
      names === ''
        ? undefined
        : texts.home.steps.accountsNeeded({ names, more: Math.max(0, (data?.total ?? 0) - MOST_NAMED) }),
  }
}

function useSteps({ connected, called }: StepsProps): readonly Step[] {
  const organization = useOrganization()
  const path = { organization }
  const [mayCall, mayRule] = [useMay('tool_call'), useMay('policy_manage')]
  const [mayConnect, mayInvite] = [useMay('connector_create'), useMay('user_manage')]
  const mayDecide = useMay('tenant_update')
  const accounts = useAccountStep()
  const firstRow = { limit: 1 }
  const keys = useQuery(ask('keys', listMyKeys, { query: { organization } }))
  const grants = useQuery(askAll('grants', listOwnGrants))
  const rules = useQuery({ ...ask('rules', listOrganizationRules, { path, query: firstRow }), enabled: mayRule })
  const members = useQuery({ ...ask('people', listMembers, { path, query: firstRow }), enabled: mayInvite })
  const [longer] = useState(() => ({ from: new Date(Date.now() - MONTH_MS).toISOString(), step: 'day' }) as const)
  const month = useQuery({ ...ask('stats', findUsage, { path, query: longer }), enabled: called === 0 })
  const calls = called === 0 ? carriedOut(month.data) : called
  const client =
    keys.data === undefined || grants.data === undefined
      ? undefined
      : keys.data.items.some(({ last_used_at: used }) => used !== null) || grants.data.total > 0
  const settings = useQuery({ ...ask('settings', getSettings, { path }), enabled: mayDecide })
  // Saved settings count as a decision about approvals; the untouched default does not.
  const decided =
    settings.data &&
    (settings.data.approvals !== 'ask-destructive' || settings.data.updated_at !== settings.data.created_at)
  const more = (number: number | undefined, than = 0) => (number === undefined ? undefined : number > than)
  return [
    { name: 'connect', to: '/connections/new', may: mayConnect, done: more(connected) },
    accounts,
    { name: 'call', to: '/playground', may: mayCall, done: more(calls) },
    { name: 'client', to: '/clients', may: mayCall, done: client },
    { name: 'approvals', to: '/settings', may: mayDecide, done: decided },
    { name: 'rule', to: '/rules', may: mayRule, done: more(rules.data?.total) },
    { name: 'invite', to: '/people', may: mayInvite, done: more(members.data?.total, 1) },
  ]
}

function Steps({ onHide, ...props }: StepsProps & { onHide: () => void }) {
  const steps = useSteps(props).filter(({ may }) => may)
  const t = texts.home.steps
  const done = steps.filter((step) => step.done === true).length
  // Steps of unknown state are not shown as undone: the panel appears when all states are known, and disappears when all steps
  // are done.
  if (steps.some((step) => step.done === undefined) || done === steps.length) return null
  return (
    <Panel
      title={t.title}
      hint={t.done({ done, all: steps.length })}
      action={
        <Button size="xs" variant="default" onClick={onHide}>
          {t.hide}
        </Button>
      }
    >
      <Stack gap="sm" component="ol" m={0} p={0} style={{ listStyle: 'none' }}>
        {steps.map(({ name, to, hint, done: isDone }) => (
          <Group key={name} component="li" gap="sm" wrap="nowrap" align="flex-start">
            <Text component="span" c={isDone === true ? 'var(--mantine-color-teal-text)' : 'dimmed'} pt={2} lh={1}>
              <Icon
                name={isDone === true ? 'circle-check' : 'circle'}
                size={20}
                label={isDone === true ? t.isDone : t.isOpen}
              />
            </Text>
            <div>
              <div>
                <TextLink to={to}>{t.list[name].title}</TextLink>
              </div>
              <Text size="sm" c="dimmed">
                {hint ?? t.list[name].hint}
              </Text>
            </div>
          </Group>
        ))}
      </Stack>
    </Panel>
  )
}
