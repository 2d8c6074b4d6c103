/**
 * The steps to a new connection: the service, the authentication, the name; then its tools, and the first call.
 *
 * The current step is in the address. The typed values are not, because they contain secrets: a user who is sent the address
 * starts over. A reload keeps those that cannot be secrets.
 */
import { Button, Stack, Stepper } from '@mantine/core'
import type { CatalogEntry } from '@toolway/contract'
import { listConnectorCatalog, type Connection } from '@toolway/contract/admin'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { z } from 'zod'
import { useMay } from '../../../data/me.ts'
import { ask } from '../../../data/queries.ts'
import { useUrlState } from '../../../data/url-state.ts'
import { useOAuthRedirect, type OAuthRedirect } from '../../../parts/account/use-oauth-redirect.ts'
import { localized } from '../../../texts/gateway-words.ts'
import { texts } from '../../../texts/texts.ts'
import { Empty } from '../../../ui/empty.tsx'
import { Failed } from '../../../ui/failed.tsx'
import { Loaded } from '../../../ui/loaded.tsx'
import { Screen } from '../../../ui/screen.tsx'
import { draftOfEntry, wayOf, type Draft, type Kind } from './draft.ts'
import type { Owner } from './keep-draft.ts'
import { Starting } from './starting.tsx'
import { StepAuth } from './step-auth.tsx'
import { StepName } from './step-name.tsx'
import { StepTools } from './step-tools.tsx'
import { StepWhat } from './step-what.tsx'
import { useFinish, type Finish } from './use-finish.ts'
import { useTyped } from './use-typed.ts'
import { VendorServer } from './vendor-server.tsx'

const t = texts.connect

const STEPS = ['what', 'auth', 'name', 'tools'] as const
const Place = z.object({
  step: z.enum(STEPS).default('what'),
  /** Of the catalog. */
  entry: z.string().max(100).default(''),
  /** Alias of what was made. */
  made: z.string().max(100).default(''),
})

/** A stable function, so that what it made is kept. */
const inOwnWords = ({ items }: { readonly items: readonly CatalogEntry[] }) => ({
  items: items.map((entry) => ({
    ...entry,
    ...{ title: localized(entry.title), about: localized(entry.about) },
    asks: entry.asks.map((catalogAsk) => ({ ...catalogAsk, about: localized(catalogAsk.about) })),
  })),
})

export function ConnectScreen() {
  const may = useMay('connector_create')
  const catalog = useQuery({ ...ask('catalog', listConnectorCatalog), select: inOwnWords })
  const [{ entry: id, step }] = useUrlState(Place)
  const entry = step === 'tools' ? undefined : catalog.data?.items.find((item) => item.id === id)
  return (
    <Screen
      title={entry === undefined ? t.title : t.titleOf({ title: entry.title })}
      hint={t.hint}
      parent={{ to: '/connections', title: texts.nav.connections }}
    >
      {may ? (
        <Loaded query={catalog}>{({ items }) => <Wizard entries={items} />}</Loaded>
      ) : (
        <Empty title={t.notAllowed} hint={t.notAllowedHint} icon="lock" />
      )}
    </Screen>
  )
}

type Entries = Parameters<typeof StepWhat>[0]['entries']

function Wizard({ entries }: { entries: Entries }) {
  const [place, setPlace] = useUrlState(Place)
  const [text, setText] = useState('')
  const [kind, setKind] = useState<Kind>()
  const { typed, setTyped, forget } = useTyped(place.step === 'auth' || place.step === 'name', place.entry)
  const [owner, setOwner] = useState<Owner>('organization')
  const { finish, oauthRedirect, connect } = useConnecting(owner, ({ alias }) => {
    forget()
    setPlace({ step: 'tools', made: alias }, 'push')
  })

  const entry = entries.find(({ id }) => id === (typed?.entry ?? place.entry))
  const draft = typed ?? (entry === undefined ? undefined : draftOfEntry(entry))
  const step = draft === undefined && place.step !== 'tools' ? 'what' : place.step

  const begin = (next: Draft) => {
    setTyped(next)
    setPlace({ step: 'auth', entry: next.entry ?? '', made: '' }, 'push')
  }
  const change = (input: Partial<Draft>) => {
    if (draft !== undefined) setTyped((before) => ({ ...(before ?? draft), ...input }))
  }
  const anew = () => {
    finish.forget()
    setTyped(undefined)
    setText('')
    setKind(undefined)
    setPlace({ step: 'what', entry: '', made: '' }, 'push')
  }

  const onFinish = () => {
    if (draft === undefined) return
    const chosen = { ...draft, auth: wayOf(draft) }
    setTyped(chosen)
    oauthRedirect.end()
    connect(chosen)
  }

  return (
    <Stack gap="xl">
      <Steps at={STEPS.indexOf(step)} onStep={(at) => setPlace({ step: STEPS[at] ?? 'what' }, 'push')} />
      {step === 'what' ? (
        <StepWhat {...{ entries, text, kind }} onText={setText} onKind={setKind} onNext={begin} />
      ) : step === 'tools' ? (
        <StepTools
          made={place.made}
          oauthRedirect={oauthRedirect}
          onCorrect={draft === undefined ? undefined : () => setPlace({ step: 'auth' }, 'push')}
          onAnother={anew}
        />
      ) : draft === undefined ? null : step === 'auth' ? (
        <>
          <VendorServer {...{ draft, entries }} onChoose={begin} />
          <StepAuth
            {...{ draft, entry, owner }}
            onChange={change}
            onOwner={setOwner}
            onNext={() => setPlace({ step: 'name' }, 'push')}
            onBack={() => setPlace({ step: 'what' }, 'push')}
            onFinish={() => {
              setPlace({ step: 'name' }, 'push')
              onFinish()
            }}
          />
        </>
      ) : (
        <NameAndEnd
          {...{ draft, owner, finish, oauthRedirect, onFinish }}
          onChange={change}
          onAuth={() => setPlace({ step: 'auth' }, 'push')}
        />
      )}
    </Stack>
  )
}

/** Both ways to the end: its server is asked at once, or the person goes there first. */
function useConnecting(owner: Owner, onMade: (made: Connection) => void) {
  const finish = useFinish()
  const oauthRedirect = useOAuthRedirect(undefined)
  const askServer = async (draft: Draft) => {
    const made = await finish.connect(draft, owner)
    if (made !== undefined) onMade(made)
  }
  /** The window opens in the very press of the button; what it goes to is made meanwhile. */
  const leave = (draft: Draft) =>
    oauthRedirect.depart({ owner }, async () => {
      const made = await finish.keep(draft, owner)
      onMade(made)
      return made
    })
  return {
    finish,
    oauthRedirect,
    connect: (draft: Draft) => void (draft.auth === 'oauth' ? leave(draft) : askServer(draft)),
  }
}

interface NameAndEndProps extends Pick<Parameters<typeof StepName>[0], 'draft' | 'owner' | 'onChange' | 'onFinish'> {
  readonly finish: Finish
  readonly oauthRedirect: OAuthRedirect
  readonly onAuth: () => void
}

function NameAndEnd({ finish, oauthRedirect, onAuth, ...naming }: NameAndEndProps) {
  const isProgram = naming.draft.kind === 'program'
  return (
    <>
      <StepName {...naming} busy={finish.busy || oauthRedirect.state === 'leaving'} onBack={onAuth} />
      <Starting finish={finish} isProgram={isProgram} onRetry={naming.onFinish}>
        {isProgram ? null : <ChangeAuth onAuth={onAuth} />}
      </Starting>
      {finish.failure !== undefined || oauthRedirect.failure === undefined ? null : (
        <Failed failure={oauthRedirect.failure}>
          <ChangeAuth onAuth={onAuth} />
        </Failed>
      )}
    </>
  )
}

const ChangeAuth = ({ onAuth }: { onAuth: () => void }) => (
  <Button size="xs" onClick={onAuth}>
    {t.tools.changeAuth}
  </Button>
)

function Steps({ at, onStep }: { at: number; onStep: (at: number) => void }) {
  return (
    <Stepper
      active={at}
      onStepClick={onStep}
      allowNextStepsSelect={false}
      size="sm"
      iconSize={28}
      maw={720}
      aria-label={t.steps.label}
    >
      <Stepper.Step label={t.steps.what} allowStepSelect={at > 0} />
      <Stepper.Step label={t.steps.auth} allowStepSelect={at > 1} />
      <Stepper.Step label={t.steps.name} allowStepSelect={at > 2} />
    </Stepper>
  )
}
