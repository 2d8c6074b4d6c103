/** One toolset: its tools and their words, how they are found, for whom it is there, and what a client sees of it. */
import { Alert, Button, Group, Paper, Stack, Tabs, Text, TextInput } from '@mantine/core'
import { getToolset, putToolset, removeToolset, type Toolset } from '@toolway/contract/admin'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { z } from 'zod'
import { call } from '../../data/call.ts'
import { useOrganization } from '../../data/me.ts'
import { Problem } from '../../data/problem.ts'
import { ask } from '../../data/queries.ts'
import { useUrlState } from '../../data/url-state.ts'
import { ListPreviewPart } from '../../parts/list-preview.tsx'
import { titleOf } from '../../data/toolset-title.ts'
import { sayProblem } from '../../parts/say-problem.ts'
import { texts } from '../../texts/texts.ts'
import { CopyField } from '../../ui/copy.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Icon } from '../../ui/icon.tsx'
import { LinkButton, TextLink } from '../../ui/links.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { sayDone } from '../../ui/say.tsx'
import { Screen } from '../../ui/screen.tsx'
import { addressOfToolset } from './address.ts'
import { AudienceTab } from './audience-tab.tsx'
import { DiscoveryTab } from './discovery-tab.tsx'
import { PickTools } from './pick-tools.tsx'
import { RulesTab } from './rules-tab.tsx'
import { problemsOf } from './tool-words.ts'
import { useDraft, type Drafting } from './use-draft.ts'
import { keepOrganization } from '../../ui/keep-organization.ts'

const Shown = z.object({ tab: z.enum(['tools', 'discovery', 'audience', 'rules', 'preview']).default('tools') })

export function ToolsetScreen() {
  const organization = useOrganization()
  const { toolset: slug = '' }: { readonly toolset?: string } = useParams({ strict: false })
  const query = useQuery(ask('toolsets', getToolset, { path: { organization, toolset: slug } }))
  const parent = { to: '/toolsets', title: texts.nav.toolsets }
  const { missing } = texts.toolsets
  if (query.error !== null && Problem.of(query.error).status === 404)
    return (
      <Screen title={missing.title} parent={parent}>
        <Empty title={missing.empty} hint={missing.hint} icon="help-circle">
          <LinkButton to="/toolsets">{missing.all}</LinkButton>
        </Empty>
      </Screen>
    )
  return (
    <Screen
      title={query.data === undefined ? slug : titleOf(query.data)}
      parent={parent}
      action={<Removal toolset={query.data} />}
    >
      <Loaded query={query}>{(toolset) => <Shape key={toolset.slug} toolset={toolset} />}</Loaded>
    </Screen>
  )
}

function Shape({ toolset }: { toolset: Toolset }) {
  const organization = useOrganization()
  const drafting = useDraft(toolset)
  const [{ tab }, set] = useUrlState(Shown)
  const t = texts.toolsets
  const declared = toolset.origin === 'file'
  return (
    <Stack>
      <CopyField value={addressOfToolset(organization, toolset.slug)} label={t.endpoint} copyLabel={t.copyAddress} />
      <TextInput
        label={t.titleLabel}
        value={drafting.draft.title}
        maxLength={100}
        disabled={declared}
        onChange={({ currentTarget }) => drafting.change({ title: currentTarget.value })}
        maw={460}
      />
      {declared || toolset.origin === 'supplied' ? (
        <Alert icon={<Icon name={declared ? 'lock' : 'info-circle'} />}>{declared ? t.isDeclared : t.isSupplied}</Alert>
      ) : null}
      <Tabs value={tab} onChange={(next) => set({ tab: next as typeof tab }, 'push')} keepMounted={false}>
        <Tabs.List>
          {Object.entries(t.tabs).map(([value, label]) => (
            <Tabs.Tab key={value} value={value}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <fieldset disabled={declared && tab !== 'preview'} style={{ border: 0, padding: 0, margin: 0, minWidth: 0 }}>
          <Tabs.Panel value="tools" pt="md">
            <PickTools drafting={drafting} />
          </Tabs.Panel>
          <Tabs.Panel value="discovery" pt="md">
            <DiscoveryTab toolset={toolset} drafting={drafting} />
          </Tabs.Panel>
          <Tabs.Panel value="audience" pt="md">
            <AudienceTab drafting={drafting} />
            <Group mt="lg">
              <TextLink to="/rules" search={{ tab: 'access', selected: `toolset:${toolset.slug}` }}>
                {texts.access.who}
              </TextLink>
            </Group>
          </Tabs.Panel>
          <Tabs.Panel value="rules" pt="md">
            <RulesTab toolset={toolset} />
          </Tabs.Panel>
          <Tabs.Panel value="preview" pt="md">
            {drafting.changed ? <Text size="sm">{t.discovery.figures}</Text> : null}
            <ListPreviewPart toolset={toolset.slug} />
          </Tabs.Panel>
        </fieldset>
      </Tabs>
      <SaveBar drafting={drafting} />
    </Stack>
  )
}

/** Stays in sight while there is something to save. */
function SaveBar({ drafting }: { drafting: Drafting }) {
  const { changed, saving, draft, discard, save } = drafting
  const t = texts.toolsets
  if (!changed) return null
  const problem = problemsOf(draft.settings)
  return (
    <Paper withBorder shadow="md" p="sm" style={{ position: 'sticky', bottom: 12, zIndex: 3 }}>
      <Group justify="space-between" gap="sm">
        <Text size="sm" style={{ flex: '2 1 14rem' }} role="status" c={problem === undefined ? 'dimmed' : 'red'}>
          {problem ?? t.unsaved}
        </Text>
        <Group gap="xs">
          <Button variant="default" onClick={discard}>
            {t.discard}
          </Button>
          <Button loading={saving} disabled={problem !== undefined || draft.title.trim() === ''} onClick={save}>
            {t.save}
          </Button>
        </Group>
      </Group>
    </Paper>
  )
}

/** Of what was made here; it can be brought back for a moment, with all that was said of it. */
function Removal({ toolset }: { toolset: Toolset | undefined }) {
  const organization = useOrganization()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const { mutate, isPending } = useMutation({
    mutationFn: ({ slug }: Toolset) => call(removeToolset, { path: { organization, toolset: slug } }),
    onError: sayProblem,
    async onSuccess(_, { slug, title, settings }) {
      await navigate({
        to: '/toolsets' as never,
        search: keepOrganization as never,
      })
      void queries.invalidateQueries({ queryKey: ['toolsets'] })
      sayDone(texts.toolsets.removed({ title }), () => void bringBack({ slug, title, settings }))
    },
  })
  const bringBack = async ({ slug, title, settings }: Pick<Toolset, 'slug' | 'title' | 'settings'>) => {
    try {
      await call(putToolset, {
        path: { organization, toolset: slug },
        query: { force: 'true' },
        body: { ...settings, title },
      })
    } catch (thrown) {
      sayProblem(thrown)
    }
    await queries.invalidateQueries({ queryKey: ['toolsets'] })
  }
  if (toolset === undefined || toolset.origin === 'supplied' || toolset.origin === 'file') return null
  return (
    <Button
      variant="default"
      loading={isPending}
      leftSection={<Icon name="trash" size={16} />}
      onClick={() => mutate(toolset)}
    >
      {texts.toolsets.remove}
    </Button>
  )
}
