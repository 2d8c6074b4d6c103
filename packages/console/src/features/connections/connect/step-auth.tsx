/**
 * The authentication step: the values needed to authenticate or to start, alike for a server, a program, an OpenAPI document and
 * a contract backend.
 */
import { Button, Group, Stack, TextInput } from '@mantine/core'
import type { ReactNode } from 'react'
import { texts } from '../../../texts/texts.ts'
import { Icon } from '../../../ui/icon.tsx'
import {
  DOCUMENT_KIND,
  withValues,
  hasAddress,
  isGiven,
  missingIn,
  problemOfAddress,
  wayOf,
  WAYS,
  withProposed,
  type Draft,
} from './draft.ts'
import { OpenApiFields } from './openapi-fields.tsx'
import type { AuthFieldsProps } from './auth-fields.ts'
import { NativeFields, useLacksApp } from './native-fields.tsx'
import { ProbeLine, useProbe } from './probe.tsx'
import { ServiceFields } from './service-fields.tsx'
import { ProgramFields } from './program-fields.tsx'
import { AddValue, Values } from './values.tsx'
import { WayIn } from './way-in.tsx'

const t = texts.connect.auth

export interface StepAuthProps extends AuthFieldsProps {
  readonly onNext: () => void
  readonly onBack: () => void
  /** Connects at once, under the name that the catalog gives. */
  readonly onFinish: () => void
}

export function StepAuth(props: StepAuthProps) {
  const { onChange, onNext, onBack, onFinish } = props
  const { busy, probed } = useProbe(props.draft)
  // The probed method is preselected until the user chooses one.
  const draft = { ...props.draft, auth: props.draft.auth ?? probed?.auth ?? undefined }
  const lacksApp = useLacksApp({ draft, entry: props.entry })
  const unfinished = isUnfinished(draft) || lacksApp
  return (
    <Stack
      component="form"
      gap="lg"
      maw={720}
      onSubmit={(event) => {
        event.preventDefault()
        if (unfinished) return
        onChange({ auth: wayOf(draft) })
        onNext()
      }}
    >
      {draft.kind === 'program' ? (
        <ProgramFields {...props} />
      ) : draft.kind === 'native' ? (
        <NativeFields {...props} draft={draft} />
      ) : draft.kind === 'service' ? (
        <ServiceFields {...props} />
      ) : WAYS[draft.kind].ofDocument ? (
        <OpenApiFields {...props} />
      ) : (
        <RemoteFields {...props} draft={draft}>
          <ProbeLine
            busy={busy}
            probed={probed}
            onDocument={() => onChange({ kind: DOCUMENT_KIND, auth: undefined })}
          />
        </RemoteFields>
      )}
      <Group justify="space-between">
        <Button variant="default" onClick={onBack}>
          {texts.connect.back}
        </Button>
        {draft.kind === 'native' ? (
          <Group gap="sm">
            <Button type="submit" variant="default" disabled={unfinished}>
              {texts.connect.native.nameIt}
            </Button>
            <Button disabled={unfinished} onClick={onFinish} leftSection={<Icon name="plug-connected" size={16} />}>
              {wayOf(draft) === 'oauth' ? texts.connect.name.finishOAuth : texts.connect.name.finish}
            </Button>
          </Group>
        ) : (
          <Button type="submit" disabled={unfinished}>
            {texts.connect.next}
          </Button>
        )}
      </Group>
    </Stack>
  )
}

/** Whether something that it needs is still to be said. */
const isUnfinished = (draft: Draft): boolean =>
  missingIn(draft).length > 0 ||
  (draft.kind === 'program' && draft.command.trim() === '') ||
  (hasAddress(draft) && !isGiven(draft) && problemOfAddress(withValues(draft).url) !== undefined) ||
  (draft.kind !== 'program' && draft.auth === 'api_key' && draft.key.trim() === '')

function RemoteFields({ children, ...props }: AuthFieldsProps & { children: ReactNode }) {
  const { draft, onChange } = props
  const problem = problemOfAddress(withValues(draft).url)
  return (
    <>
      <TextInput
        label={t.address}
        type="url"
        value={draft.url}
        error={problem === undefined ? undefined : t.problems[problem]}
        onChange={({ currentTarget }) => onChange({ url: currentTarget.value, ...withProposed(draft, '') })}
      />
      {draft.blanks.length === 0 ? null : <Values values={draft.blanks} onChange={(blanks) => onChange({ blanks })} />}
      {children}
      <WayIn {...props} ways={WAYS[draft.kind].ways} chosen={wayOf(draft)} />
      <Stack gap="xs">
        {draft.headers.length === 0 ? null : (
          <Values values={draft.headers} onChange={(headers) => onChange({ headers })} fixed={false} />
        )}
        <AddValue
          values={draft.headers}
          onChange={(headers) => onChange({ headers })}
          label={t.addHeader}
          nameLabel={t.headerName}
          secret
        />
      </Stack>
    </>
  )
}
