/** A program that the gateway starts on its own machine: its command line, and what it has to be given. */
import { Alert, Code, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { texts } from '../../../texts/texts.ts'
import { Icon } from '../../../ui/icon.tsx'
import { ChildAccessFields } from '../../../parts/child-access/child-access.tsx'
import { argsOf, placeOf } from './draft.ts'
import { splitWords } from './guess/split-words.ts'
import type { AuthFieldsProps } from './auth-fields.ts'
import { useMayStart } from './use-may-start.ts'
import { AddValue, Values } from './values.tsx'

const t = texts.connect.program

export function ProgramFields({ draft, onChange, entry }: AuthFieldsProps) {
  const [line, setLine] = useState(() => placeOf({ ...draft, blanks: [] }))
  const mayStart = useMayStart()
  const hasValues = draft.blanks.length + draft.environment.length > 0
  return (
    <Stack gap="md">
      {mayStart ? (
        <Alert color="gray" icon={<Icon name="info-circle" />}>
          <Text size="sm">{t.hint}</Text>
          {entry === undefined || entry.programs.length === 0 ? null : (
            <Text size="sm" mt={4}>
              {t.needs} <Code>{entry.programs.join(', ')}</Code>
            </Text>
          )}
        </Alert>
      ) : (
        <Alert color="gray" icon={<Icon name="lock" />} title={t.notAllowed}>
          {t.notAllowedHint}
        </Alert>
      )}
      <TextInput
        label={t.line}
        description={t.lineHint}
        value={line}
        spellCheck={false}
        autoComplete="off"
        disabled={!mayStart}
        onChange={({ currentTarget: { value } }) => {
          const [command = '', ...args] = splitWords(value)
          setLine(value)
          onChange({ command, args })
        }}
      />
      {draft.blanks.length === 0 ? null : <Values values={draft.blanks} onChange={(blanks) => onChange({ blanks })} />}
      {hasValues ? (
        <Values values={draft.environment} onChange={(environment) => onChange({ environment })} fixed={false} />
      ) : null}
      <AddValue
        values={draft.environment}
        onChange={(environment) => onChange({ environment })}
        label={t.addVariable}
        nameLabel={t.variableName}
      />
      <ChildAccessFields
        access={draft.access}
        args={argsOf(draft)}
        disabled={!mayStart}
        onChange={(access) => onChange({ access })}
      />
    </Stack>
  )
}
