/** Members from a CSV file: a preview of every line, then the import. The codes of new people are in its answer, and nowhere else. */
import { Alert, Button, Checkbox, FileButton, Group, List, Progress, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { csvLine, csvTextOf } from '@toolway/contract'
import { importMembers, previewMemberImport, type ImportedMember, type MemberImport } from '@toolway/contract/admin'
import { useState } from 'react'
import { call, follow } from '../../data/call.ts'
import { useOrganization } from '../../data/me.ts'
import { texts } from '../../texts/texts.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Failed } from '../../ui/failed.tsx'
import { Icon } from '../../ui/icon.tsx'
import { saveFile } from '../../ui/save-file.ts'

/** Lines that are left out and shown; the others are counted. */
const SHOWN = 50

export function ImportMembers({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const t = texts.people.file
  const organization = useOrganization()
  const queries = useQueryClient()
  const [done, setDone] = useState(0)
  const [invite, setInvite] = useState(false)
  const read = useMutation({
    mutationFn: async (file: File) => {
      const csv = csvTextOf(new Uint8Array(await file.arrayBuffer()))
      if (csv === undefined) return undefined
      return { csv, preview: await call(previewMemberImport, { path: { organization }, body: { csv } }) }
    },
  })
  const carryOut = useMutation({
    mutationFn: (csv: string) =>
      follow(importMembers, { path: { organization }, body: { csv, invite } }, (progress) => {
        const { done: lines, of } = progress as { readonly done: number; readonly of: number }
        setDone((100 * lines) / of)
      }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['people'] }),
  })
  const open = (file: File | null) => {
    carryOut.reset()
    setDone(0)
    if (file !== null) read.mutate(file)
  }
  const shown = carryOut.data ?? read.data?.preview
  const failure = carryOut.error ?? read.error
  const csv = read.data?.csv
  return (
    <Dialog opened={opened} title={t.title} onClose={onClose}>
      <Text size="sm">{t.hint}</Text>
      <Group>
        <FileButton
          accept=".csv,text/csv"
          onChange={open}
          disabled={carryOut.isPending}
          inputProps={{ 'aria-label': t.choose }}
        >
          {({ onClick }) => (
            <Button
              variant="default"
              leftSection={<Icon name="file" size={16} />}
              loading={read.isPending}
              onClick={onClick}
            >
              {t.choose}
            </Button>
          )}
        </FileButton>
      </Group>
      {read.isSuccess && csv === undefined ? <Alert color="red">{t.notUtf8}</Alert> : null}
      {failure === null ? null : <Failed failure={failure} />}
      {shown === undefined ? null : <Outcome result={shown} isDone={carryOut.isSuccess} />}
      {carryOut.isPending ? <Progress value={done} aria-label={t.progress} /> : null}
      {csv === undefined || carryOut.isSuccess ? null : (
        <>
          <Checkbox
            label={t.invite}
            description={t.inviteHint}
            checked={invite}
            onChange={({ currentTarget }) => setInvite(currentTarget.checked)}
          />
          <Group justify="flex-end">
            <Button loading={carryOut.isPending} onClick={() => carryOut.mutate(csv)}>
              {t.verb}
            </Button>
          </Group>
        </>
      )}
    </Dialog>
  )
}

function Outcome({ result, isDone }: { result: MemberImport; isDone: boolean }) {
  const t = texts.people.file
  const { counts, ignored_columns: ignored, items } = result
  const refused = items.filter(({ problem }) => problem !== null)
  const codes = items.filter(({ code }) => code !== null)
  return (
    <>
      <Text fw={600} role="status">
        {isDone ? t.done(counts) : t.preview(counts)}
      </Text>
      {ignored.length === 0 ? null : <Text size="sm">{t.ignored({ columns: ignored.join(', ') })}</Text>}
      {refused.length === 0 ? null : (
        <List size="sm" aria-label={t.leftOut}>
          {refused.slice(0, SHOWN).map((row) => (
            <List.Item key={row.line} style={{ overflowWrap: 'anywhere' }}>
              {t.line({ line: String(row.line), problem: problemOf(row) })}
            </List.Item>
          ))}
        </List>
      )}
      {refused.length > SHOWN ? <Text size="sm">{t.more({ count: refused.length - SHOWN })}</Text> : null}
      {codes.length === 0 ? null : (
        <Alert color="blue" title={t.codes({ count: codes.length })}>
          <Button variant="default" leftSection={<Icon name="download" size={16} />} onClick={() => saveCodes(codes)}>
            {t.saveCodes}
          </Button>
        </Alert>
      )}
    </>
  )
}

function problemOf({ problem, about }: ImportedMember): string {
  if (problem === null) return ''
  const words = texts.people.file.problems[problem]
  return typeof words === 'string' ? words : words({ about: about ?? '' })
}

function saveCodes(codes: readonly ImportedMember[]): void {
  const lines = codes.map(({ name, email, code }) => csvLine([name, email, code]))
  saveFile(new Blob(['\uFEFF', csvLine(['name', 'email', 'code']), ...lines], { type: 'text/csv' }), 'codes.csv')
}
