/** One rule: a new one, begun by its address or not; one that is kept, to be changed; or one that stands elsewhere, to be read. */
import { Alert, Group, SegmentedControl, Stack } from '@mantine/core'
import { RULE_ACTIONS, RULE_SCOPES, RULE_STATES, type RuleState } from '@toolway/contract'
import type { KeptRule } from '@toolway/contract/admin'
import { useMutation, useQuery, type UseMutationResult } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { z } from 'zod'
import { useKeptDraft } from '../../data/kept-draft.ts'
import { useMay, useOrganization } from '../../data/me.ts'
import { Problem } from '../../data/problem.ts'
import { useUrlState } from '../../data/url-state.ts'
import { sayProblem } from '../../parts/say-problem.ts'
import { texts } from '../../texts/texts.ts'
import { Confirm } from '../../ui/confirm.tsx'
import { CodeBlock } from '../../ui/copy.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Icon } from '../../ui/icon.tsx'
import { LinkButton } from '../../ui/links.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { sayDone } from '../../ui/say.tsx'
import { Screen } from '../../ui/screen.tsx'
import { useElsewhere, useRuleChanges, useRules, type Elsewhere } from './all-rules.ts'
import { draftOf, inState, newDraft, placeOf, wordsOf, type Draft } from './draft.ts'
import { Editor } from './editor.tsx'
import { ShadowResults } from './shadow-tab.tsx'
import { shadows, WATCHED_DAYS } from './shadows.ts'
import { Summary } from './summary.tsx'
import { useCheck } from './use-check.ts'
import { keepOrganization } from '../../ui/keep-organization.ts'

const PARENT = { to: '/rules', title: texts.nav.rules }

export function RuleScreen() {
  const { rule = 'new' }: { rule?: string } = useParams({ strict: false })
  const may = useMay('policy_manage')
  const t = texts.rules
  if (!may)
    return (
      <Screen title={texts.nav.rules}>
        <Empty title={t.notYours} hint={t.notYoursHint} icon="shield-check" />
      </Screen>
    )
  return rule === 'new' ? <NewRule /> : <OldRule key={rule} id={rule} />
}

const text = z.string().default('')
const Prefill = z.object({
  tools: text,
  effects: text,
  argument: text,
  of: text,
  action: z.enum(RULE_ACTIONS).optional(),
  scope: z.enum(RULE_SCOPES).optional(),
})

function NewRule() {
  const [{ effects, action, scope, ...rest }] = useUrlState(Prefill)
  const { add, remove, again } = useKeeping()
  const navigate = useNavigate()
  const t = texts.rules.edit
  const begun = newDraft({ ...rest, action, scope })
  const named = effects.split(',').filter((effect) => effect !== '')
  const initial = named.length === 0 ? begun : { ...begun, match: { ...begun.match, effects: named } }
  const drafting = useKeptDraft('rule:new', initial)
  const keep = useMutation<KeptRule, Error, { draft: Draft; state: RuleState; force?: boolean }>({
    mutationFn: ({ draft, state, force }) => add(inState(draft, state), force),
    onSuccess: (rule) => {
      drafting.discard()
      sayDone(t.kept({ name: rule.name }), () => remove(rule))
      void again()
      void navigate({ to: `/rules/${rule.id}`, search: keepOrganization as never, replace: true })
    },
    onError: sayUnlessIdle,
  })
  return (
    <Screen title={t.new} hint={t.newHint} parent={PARENT}>
      <Editor
        drafting={drafting}
        kept={undefined}
        busy={keep.isPending}
        verbs={[
          { label: t.keepShadow, hint: t.keepShadowHint, run: (draft) => keep.mutate({ draft, state: 'shadow' }) },
          { label: t.keepOn, run: (draft) => keep.mutate({ draft, state: 'on' }) },
        ]}
      />
      <ConfirmIdle keeping={keep} onConfirm={(words) => keep.mutate({ ...words, force: true })} />
    </Screen>
  )
}

/** The pattern of a rule matches no known tool: whoever keeps it is asked whether its tools are still to come. */
const isIdle = (thrown: Error | null): thrown is Problem => thrown instanceof Problem && thrown.code === 'rule.idle'

function sayUnlessIdle(thrown: Error): void {
  if (!isIdle(thrown)) sayProblem(thrown)
}

interface ConfirmIdleProps<Words> {
  readonly keeping: UseMutationResult<KeptRule, Error, Words>
  readonly onConfirm: (words: Words) => void
}

function ConfirmIdle<Words>({ keeping, onConfirm }: ConfirmIdleProps<Words>) {
  const { error, variables } = keeping
  const t = texts.rules.edit
  return (
    <Confirm
      opened={isIdle(error)}
      title={t.idle}
      verb={t.saveIdle}
      onClose={keeping.reset}
      onConfirm={() => variables !== undefined && onConfirm(variables)}
    >
      {error?.message} {t.idleHint}
    </Confirm>
  )
}

function useKeeping() {
  const { add, change, erase, again } = useRuleChanges()
  return { add, change, remove: (rule: KeptRule) => erase.mutate(rule), again }
}

function OldRule({ id }: { id: string }) {
  const rules = useRules()
  const elsewhere = useElsewhere()
  return (
    <Loaded query={rules}>
      {(all) => {
        const rule = all.find((item) => item.id === id)
        if (rule === undefined) return <Gone />
        const place = elsewhere(rule)
        return place === undefined ? <Changeable rule={rule} /> : <Readable rule={rule} place={place} />
      }}
    </Loaded>
  )
}

function Gone() {
  const t = texts.rules.edit
  return (
    <Screen title={texts.nav.rules} parent={PARENT}>
      <Empty title={t.gone} hint={t.goneHint} icon="help-circle">
        <LinkButton to="/rules">{t.back}</LinkButton>
      </Empty>
    </Screen>
  )
}

function Changeable({ rule }: { rule: KeptRule }) {
  const { turn } = useRuleChanges()
  const t = texts.rules
  return (
    <Screen
      title={rule.name}
      hint={rule.reason}
      parent={PARENT}
      action={
        <SegmentedControl
          aria-label={t.stateOf({ name: rule.name })}
          data={RULE_STATES.map((value) => ({ value, label: t.states[value] }))}
          value={rule.state}
          disabled={turn.isPending}
          onChange={(state) => turn.mutate({ rule, state: state })}
        />
      }
    >
      {rule.problem === null ? null : <Alert color="red">{t.unreadable({ problem: rule.problem })}</Alert>}
      {rule.state === 'shadow' ? <Seen rule={rule} /> : null}
      <Change key={rule.updated_at} rule={rule} />
    </Screen>
  )
}

function Change({ rule }: { rule: KeptRule }) {
  const { change, again } = useKeeping()
  const drafting = useKeptDraft(`rule:${rule.id}`, draftOf(rule))
  const t = texts.rules.edit
  const write = (draft: Draft, force?: boolean) => change(rule, wordsOf(draft), force)
  const save = useMutation<KeptRule, Error, { draft: Draft; force?: boolean }>({
    mutationFn: ({ draft, force }) => write(draft, force),
    onSuccess(changed) {
      drafting.discard()
      sayDone(t.saved({ name: changed.name }), () => void write(draftOf(rule), true).then(again, sayProblem))
    },
    onError: sayUnlessIdle,
    onSettled: again,
  })
  return (
    <>
      <Editor
        drafting={drafting}
        kept={rule.name}
        busy={save.isPending}
        verbs={[{ label: t.save, run: (draft) => save.mutate({ draft }) }]}
      />
      <ConfirmIdle keeping={save} onConfirm={(words) => save.mutate({ ...words, force: true })} />
    </>
  )
}

/** The calls that a shadow rule has matched. */
function Seen({ rule }: { rule: KeptRule }) {
  const organization = useOrganization()
  const { data } = useQuery(shadows(organization, WATCHED_DAYS))
  if (data === undefined) return null
  const items = data.items.filter((item) => item.rule === rule.name)
  if (items.length === 0)
    return (
      <Alert color="blue" icon={<Icon name="eye" />}>
        {texts.rules.edit.seenNothing}
      </Alert>
    )
  return <ShadowResults rule={rule.name} items={items} />
}

function Readable({ rule, place }: { rule: KeptRule; place: NonNullable<Elsewhere> }) {
  const draft = draftOf(rule)
  const { tools, error } = useCheck(draft, false)
  const t = texts.rules
  return (
    <Screen title={rule.name} hint={rule.reason} parent={PARENT}>
      <Stack gap="lg" maw={820}>
        <Alert color="blue" icon={<Icon name="lock" />}>
          {t.elsewhere[place]}
        </Alert>
        <Summary draft={draft} tools={tools} error={error} />
        <CodeBlock label={t.edit.words}>
          {JSON.stringify({ ...wordsOf(draft), ...placeOf(draft), state: rule.state }, undefined, 2)}
        </CodeBlock>
        {place === 'toolset' && rule.of !== null ? (
          <Group>
            <LinkButton to={`/toolsets/${rule.of}`} variant="light">
              {t.edit.toToolset}
            </LinkButton>
          </Group>
        ) : null}
      </Stack>
    </Screen>
  )
}
