/** The accounts of a program: the variable in which it is given the key or token of the account that calls. */
import { Select, Stack, TextInput } from '@mantine/core'
import type { ConnectionAuth } from '@toolway/contract'
import { texts } from '../../../texts/texts.ts'
import { AccountOwners, type AuthFieldsProps } from './connection-auth-fields.tsx'

const t = texts.connection.authFields
const KINDS = ['none', 'key', 'oauth'] as const
type ProgramKind = (typeof KINDS)[number]

export function ProgramAuthFields({ auth, disabled, onChange }: AuthFieldsProps) {
  const put = (change: Partial<ConnectionAuth>) => onChange({ ...auth, ...change })
  const kind = KINDS.find((item) => item === auth.kind) ?? 'none'
  return (
    <Stack gap="sm">
      <Select
        label={t.programKind}
        description={t.programKinds[kind]}
        data={KINDS.map((value) => ({ value, label: texts.connection.auths[value] }))}
        value={kind}
        allowDeselect={false}
        disabled={disabled}
        onChange={(next) => put({ kind: next as ProgramKind })}
      />
      {kind === 'none' ? null : (
        <>
          <TextInput
            label={t.variable}
            description={t.variableHint}
            value={auth.variable ?? ''}
            required
            disabled={disabled}
            onChange={(event) => put({ variable: event.currentTarget.value })}
          />
          {kind === 'oauth' ? (
            <TextInput
              label={t.provider}
              description={t.providerHint}
              value={auth.provider ?? ''}
              required
              disabled={disabled}
              onChange={(event) => put({ provider: event.currentTarget.value })}
            />
          ) : null}
          <AccountOwners auth={auth} disabled={disabled} onChange={onChange} />
        </>
      )}
    </Stack>
  )
}
