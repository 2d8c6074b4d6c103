/** Uploads a file that is picked, and shows how far it is. */
import { Button, FileButton, Group, Progress, Stack, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { useOrganization } from '../../data/me.ts'
import { sayProblem } from '../../parts/say-problem.ts'
import { texts } from '../../texts/texts.ts'
import { Icon } from '../../ui/icon.tsx'
import { sayDone } from '../../ui/say.tsx'
import { size } from '../../ui/times.ts'
import { sendFile } from './send-file.ts'

export function useUpload() {
  const organization = useOrganization()
  const queries = useQueryClient()
  const [sent, setSent] = useState(0)
  const stop = useRef<AbortController>(undefined)
  const upload = useMutation({
    mutationFn(file: File) {
      stop.current = new AbortController()
      setSent(0)
      return sendFile(organization, file, { signal: stop.current.signal, onSent: setSent })
    },
    onSuccess: ({ name }) => sayDone(texts.files.uploaded({ name })),
    onError: (thrown) => {
      if (stop.current?.signal.aborted !== true) sayProblem(thrown)
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['files'] }),
  })
  return { upload, sent, cancel: () => stop.current?.abort() }
}

type Upload = ReturnType<typeof useUpload>

export function UploadButton({ upload: { upload } }: { upload: Upload }) {
  return (
    <FileButton onChange={(file) => file !== null && upload.mutate(file)}>
      {(props) => (
        <Button {...props} leftSection={<Icon name="plus" size={16} />} loading={upload.isPending}>
          {texts.files.upload}
        </Button>
      )}
    </FileButton>
  )
}

export function UploadProgress({ upload: { upload, sent, cancel } }: { upload: Upload }) {
  const file = upload.variables
  if (!upload.isPending || file === undefined) return null
  const t = texts.files
  return (
    <Stack gap={4} maw={560}>
      <Group justify="space-between" wrap="nowrap">
        <Text size="sm" className="breakable">
          {t.uploading({ name: file.name, done: size(sent), all: size(file.size) })}
        </Text>
        <Button variant="subtle" size="compact-sm" onClick={cancel}>
          {texts.files.cancel}
        </Button>
      </Group>
      <Progress value={file.size === 0 ? 100 : (sent / file.size) * 100} aria-label={t.progress({ name: file.name })} />
    </Stack>
  )
}
