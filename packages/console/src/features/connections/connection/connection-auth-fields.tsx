/** How the server lets us in, and whose account a call may use. */
import { Checkbox, Group, Select, Stack, Switch, TagsInput, TextInput } from '@mantine/core'
import { findProvider, type ConnectionAuth } from '@toolway/contract'
import { texts } from '../../../texts/texts.ts'

const t = texts.connection.authFields
const KINDS = ['auto', 'none', 'oauth', 'key'] as const
const OWNERS = ['member', 'organization'] as const

export interface AuthFieldsProps {
  readonly auth: ConnectionAuth
  readonly disabled: boolean
  readonly onChange: (auth: ConnectionAuth) => void
}

export function ConnectionAuthFields({ auth, disabled, onChange }: AuthFieldsProps) {
  const put = (change: Partial<ConnectionAuth>) => onChange({ ...auth, ...change })
  const isOAuth = auth.kind === 'oauth' || auth.kind === 'auto'
  return (
    <Stack gap="sm">
      <Select
        label={t.kind}
        description={t.kinds[auth.kind]}
        data={KINDS.map((value) => ({ value, label: texts.connection.auths[value] }))}
        value={auth.kind}
        allowDeselect={false}
        disabled={disabled}
        onChange={(kind) => put({ kind: kind as ConnectionAuth['kind'] })}
      />
      {auth.kind === 'none' ? null : (
        <>
          <AccountOwners auth={auth} disabled={disabled} onChange={onChange} />
          <Switch
            label={t.brought}
            description={t.broughtHint}
            checked={auth.brought}
            disabled={disabled}
            onChange={(event) => put({ brought: event.currentTarget.checked })}
          />
        </>
      )}
      {isOAuth ? (
        <TagsInput
          label={t.scopes}
          description={scopesHint(auth)}
          value={[...(auth.scopes ?? [])]}
          disabled={disabled}
          onChange={(scopes) => put({ scopes })}
        />
      ) : null}
      {isOAuth && findProvider(auth.provider ?? '')?.tenant !== undefined ? (
        <TextInput
          label={t.tenant}
          description={t.tenantHint}
          value={auth.tenant ?? ''}
          disabled={disabled}
          onChange={({ currentTarget: { value } }) => put({ tenant: value.trim() === '' ? 'common' : value.trim() })}
        />
      ) : null}
      {auth.kind === 'key' ? (
        <Group gap="sm" align="flex-start" grow>
          <TextInput
            label={t.header}
            value={auth.header}
            disabled={disabled}
            onChange={(event) => put({ header: event.currentTarget.value })}
          />
          <TextInput
            label={t.prefix}
            value={auth.prefix}
            disabled={disabled}
            onChange={(event) => put({ prefix: event.currentTarget.value })}
          />
        </Group>
      ) : null}
    </Stack>
  )
}

/** Whose accounts a call may use, and how many each person has. */
export function AccountOwners({ auth, disabled, onChange }: AuthFieldsProps) {
  return (
    <>
      <Checkbox.Group
        label={t.owners}
        description={t.ownersHint}
        value={[...auth.owners]}
        onChange={(owners) => owners.length > 0 && onChange({ ...auth, owners: owners })}
      >
        <Group gap="lg" mt="xs">
          {OWNERS.map((owner) => (
            <Checkbox key={owner} value={owner} label={t.owner[owner]} disabled={disabled} />
          ))}
        </Group>
      </Checkbox.Group>
      <Switch
        label={t.many}
        description={t.manyHint}
        checked={auth.accounts === 'many'}
        disabled={disabled}
        onChange={(event) => onChange({ ...auth, accounts: event.currentTarget.checked ? 'many' : 'one' })}
      />
    </>
  )
}

function scopesHint({ scopes }: ConnectionAuth): string {
  if (scopes === undefined) return t.scopesOfServer
  return scopes.length === 0 ? t.scopesNone : t.scopesOwn
}
