/** One file in its row, with what can be done about it. */
import { ActionIcon, Group, Stack, Text, Tooltip } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { addDownloadLink, removeFile, type FileEntry } from '@toolway/contract/admin'
import { call } from '../../data/call.ts'
import { useOrganization } from '../../data/me.ts'
import { ConfirmedAction } from '../../parts/confirmed-action.tsx'
import { sayProblem } from '../../parts/say-problem.ts'
import { texts } from '../../texts/texts.ts'
import { StateBadge } from '../../ui/badges.tsx'
import { Icon } from '../../ui/icon.tsx'
import { size } from '../../ui/times.ts'

export const Named = ({ file: { name, media_type: type, state } }: { file: FileEntry }) => (
  <Stack gap={0}>
    <Group gap="xs">
      <Text fw={600} className="breakable">
        {name}
      </Text>
      {state === 'uploading' ? <StateBadge tone="plain">{texts.files.unfinished}</StateBadge> : null}
    </Group>
    <Text size="sm" c="dimmed" className="breakable">
      {type}
    </Text>
  </Stack>
)

export const sizeOf = ({ size: bytes }: FileEntry) => (bytes === null ? '' : size(bytes))
export const ownerOf = ({ own, owner, owner_email: email }: FileEntry) => (own ? texts.files.you : (email ?? owner))
export const originOf = ({ origin, tool }: FileEntry) =>
  tool === null ? texts.files.origins[origin] : `${texts.files.origins[origin]}: ${tool}`

export function Actions({ file }: { file: FileEntry }) {
  return (
    <Group gap={4} wrap="nowrap">
      {file.own && file.state === 'ready' ? <Download file={file} /> : null}
      <Remove file={file} />
    </Group>
  )
}

function Download({ file: { id, name } }: { file: FileEntry }) {
  const organization = useOrganization()
  const label = texts.files.download({ name })
  const downloading = useMutation({
    mutationFn: () => call(addDownloadLink, { path: { organization, file: id } }),
    // An attachment: the page stays.
    onSuccess: ({ url }) => window.location.assign(new URL(url).pathname),
    onError: sayProblem,
  })
  return (
    <Tooltip label={label}>
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={label}
        loading={downloading.isPending}
        onClick={() => downloading.mutate()}
      >
        <Icon name="download" size={16} />
      </ActionIcon>
    </Tooltip>
  )
}

function Remove({ file: { id, name } }: { file: FileEntry }) {
  const organization = useOrganization()
  const t = texts.files.remove
  return (
    <ConfirmedAction
      look="remove"
      label={t.label({ name })}
      verb={t.verb}
      noun="files"
      done={t.done({ name })}
      run={() => call(removeFile, { path: { organization, file: id } })}
    >
      {t.warning}
    </ConfirmedAction>
  )
}
