/** Adds an identity provider, or changes one. The secret is written and never shown. */
import {
  ActionIcon,
  Button,
  Checkbox,
  Group,
  NumberInput,
  PasswordInput,
  Select,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core'
import { PROVIDER_PRESETS, putIdentityProvider } from '@toolway/contract/admin'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from '../../data/call.ts'
import { useMay, useOrganization } from '../../data/me.ts'
import { PrivateNetwork } from '../../parts/destination/private-network.tsx'
import { FormFoot } from '../../parts/form/form-foot.tsx'
import { useWords } from '../../parts/form/use-words.ts'
import { texts } from '../../texts/texts.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Icon } from '../../ui/icon.tsx'
import { sayDone } from '../../ui/say.tsx'
import {
  bodyOf,
  faultsFor,
  newSlug,
  presetWords,
  SAML,
  wordsOf,
  type MappingWords,
  type ProviderWords,
  type Row,
} from './provider-words.ts'

const t = texts.identityProviders

const PRESETS = [
  ...PROVIDER_PRESETS.map(({ id: value, title: label }) => ({ value, label })),
  { value: SAML, label: t.presetSaml },
]

interface FormProps {
  /** `new`, a slug, or nothing. */
  readonly open: string | undefined
  readonly rows: readonly Row[]
  readonly onClose: () => void
}

export function ProviderForm({ open, rows, onClose }: FormProps) {
  const row = rows.find(({ id }) => id === open)
  const isShown = open === 'new' || row !== undefined
  return (
    <Dialog opened={isShown} onClose={onClose} title={row === undefined ? t.add : t.change}>
      {isShown ? <Fields key={open} row={row} rows={rows} onClose={onClose} /> : null}
    </Dialog>
  )
}

interface FieldsProps extends Omit<FormProps, 'open'> {
  readonly row: Row | undefined
}

function Fields({ row, rows, onClose }: FieldsProps) {
  const queries = useQueryClient()
  const organization = useOrganization()
  const mayPrivate = useMay('user_manage', 'platform')
  const save = useMutation({
    mutationFn: (words: ProviderWords) =>
      call(putIdentityProvider, {
        path: { organization, provider: row?.slug ?? newSlug(words.title, rows) },
        body: bodyOf(words, row, mayPrivate),
      }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['identity-providers'] })
      sayDone(t.saved)
      onClose()
    },
  })
  const { words, faults, put, submit } = useWords(() => wordsOf(row), faultsFor(row), save.mutate)
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        {row === undefined ? (
          <Select
            label={t.preset}
            data={PRESETS}
            value={words.preset}
            placeholder={t.presetNone}
            onChange={(preset) => put(presetWords(preset ?? '', words))}
          />
        ) : null}
        <Title words={words} faults={faults} put={put} />
        {words.kind === 'saml' ? (
          <Metadata words={words} faults={faults} put={put} isStored={row !== undefined} />
        ) : (
          <Client words={words} faults={faults} put={put} hasSecret={row?.has_secret === true} />
        )}
        <People words={words} faults={faults} put={put} />
        <PrivateNetwork
          may={mayPrivate}
          words={t}
          checked={words.private}
          onChange={(checked) => put({ private: checked })}
        />
        <FormFoot verb={t.save} sending={save} onClose={onClose} />
      </Stack>
    </form>
  )
}

interface PartProps {
  readonly words: ProviderWords
  readonly faults: Readonly<Record<string, string>>
  readonly put: (change: Partial<ProviderWords>) => void
}

const Title = ({ words, faults, put }: PartProps) => (
  <TextInput
    label={t.name}
    description={t.nameHint}
    value={words.title}
    error={faults['title']}
    maxLength={60}
    data-autofocus
    onChange={({ currentTarget: { value: title } }) => put({ title })}
  />
)

/** Of a SAML provider: its entity id, address and certificates are in there. */
const Metadata = ({ words, faults, put, isStored }: PartProps & { readonly isStored: boolean }) => (
  <Textarea
    label={t.metadata}
    description={isStored ? t.metadataKept : t.metadataHint}
    value={words.metadata}
    error={faults['metadata']}
    autosize
    minRows={4}
    maxRows={10}
    spellCheck={false}
    onChange={({ currentTarget: { value: metadata } }) => put({ metadata })}
  />
)

/** Where the provider is, and as whom the gateway comes to it. */
const Client = ({ words, faults, put, hasSecret }: PartProps & { readonly hasSecret: boolean }) => (
  <>
    <TextInput
      label={t.issuer}
      description={t.issuerHint}
      value={words.issuer}
      error={faults['issuer']}
      inputMode="url"
      onChange={({ currentTarget: { value: issuer } }) => put({ issuer })}
    />
    <TextInput
      label={t.clientId}
      value={words.clientId}
      error={faults['clientId']}
      autoComplete="off"
      onChange={({ currentTarget: { value: clientId } }) => put({ clientId })}
    />
    <PasswordInput
      label={t.secret}
      description={hasSecret ? t.secretKept : undefined}
      value={words.secret}
      autoComplete="new-password"
      onChange={({ currentTarget: { value: secret } }) => put({ secret })}
    />
    <TextInput
      label={t.scopes}
      value={words.scopes}
      onChange={({ currentTarget: { value: scopes } }) => put({ scopes })}
    />
  </>
)

/** The people who are let in, and their role. */
const People = ({ words, faults, put }: PartProps) => (
  <>
    <Select
      label={t.newcomers}
      data={Object.entries(t.newcomersChoices).map(([value, label]) => ({ value, label }))}
      value={words.newcomers}
      allowDeselect={false}
      onChange={(value) => put({ newcomers: value === 'member' || value === 'viewer' ? value : 'refuse' })}
    />
    <Select
      label={t.addresses}
      description={t.addressesHint}
      data={Object.entries(t.addressesChoices).map(([value, label]) => ({ value, label }))}
      value={words.addresses}
      allowDeselect={false}
      onChange={(value) => put({ addresses: value === 'provider' ? 'provider' : 'claim' })}
    />
    <NumberInput
      label={t.hours}
      value={words.hours}
      error={faults['hours']}
      min={1}
      max={720}
      onChange={(hours) => put({ hours })}
    />
    <Checkbox
      label={t.assumed}
      description={t.assumedHint}
      checked={words.isAssumed}
      onChange={({ currentTarget: { checked: isAssumed } }) => put({ isAssumed })}
    />
    <TextInput
      label={t.groupClaims}
      description={words.kind === 'saml' ? t.groupAttributesHint : t.groupClaimsHint}
      value={words.groupClaims}
      onChange={({ currentTarget: { value: groupClaims } }) => put({ groupClaims })}
    />
    <Mappings words={words} faults={faults} put={put} />
  </>
)

const NEW_MAPPING: MappingWords = { group: '', role: '', groups: '' }

function Mappings({ words: { mappings }, faults, put }: PartProps) {
  const change = (at: number, part: Partial<MappingWords>) =>
    put({ mappings: mappings.map((mapping, index) => (index === at ? { ...mapping, ...part } : mapping)) })
  return (
    <Stack gap="xs" role="group" aria-label={t.mappings}>
      <Text size="sm" fw={500}>
        {t.mappings}
      </Text>
      <Text size="xs" c="dimmed">
        {t.mappingsHint}
      </Text>
      {mappings.map((mapping, at) => (
        <Group key={at} gap="xs" align="flex-end">
          <TextInput
            aria-label={t.mappingGroup}
            placeholder={t.mappingGroup}
            value={mapping.group}
            style={{ flex: '2 1 9rem' }}
            onChange={({ currentTarget: { value: group } }) => change(at, { group })}
          />
          <Select
            aria-label={t.mappingRole}
            placeholder={t.mappingRole}
            data={Object.entries(t.roles).map(([value, label]) => ({ value, label }))}
            value={mapping.role === '' ? null : mapping.role}
            clearable
            style={{ flex: '1 1 8rem' }}
            onChange={(role) => change(at, { role: (role ?? '') as MappingWords['role'] })}
          />
          <TextInput
            aria-label={t.mappingGroups}
            placeholder={t.mappingGroups}
            value={mapping.groups}
            style={{ flex: '1 1 8rem' }}
            onChange={({ currentTarget: { value: groups } }) => change(at, { groups })}
          />
          <ActionIcon
            variant="default"
            size={36}
            aria-label={t.mappingRemove({ group: mapping.group })}
            onClick={() => put({ mappings: mappings.filter((_, index) => index !== at) })}
          >
            <Icon name="trash" size={16} />
          </ActionIcon>
        </Group>
      ))}
      {faults['mappings'] === undefined ? null : (
        <Text size="xs" c="red" role="alert">
          {faults['mappings']}
        </Text>
      )}
      <Button
        variant="default"
        size="xs"
        style={{ alignSelf: 'flex-start' }}
        leftSection={<Icon name="plus" size={14} />}
        onClick={() => put({ mappings: [...mappings, NEW_MAPPING] })}
      >
        {t.mappingAdd}
      </Button>
    </Stack>
  )
}
