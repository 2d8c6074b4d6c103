/** Takes records away as a file, while saying how much has come; it can be stopped. That it was done is on record itself. */
import { Button, Group, Loader, Modal, Select, Stack, Text } from '@mantine/core'
import { exportAudit, exportOrganizationAudit } from '@toolway/contract/admin'
import { useEffect, useRef, useState } from 'react'
import { download } from '../../data/call.ts'
import { useOrganization } from '../../data/me.ts'
import { Problem } from '../../data/problem.ts'
import { texts } from '../../texts/texts.ts'
import { Failed } from '../../ui/failed.tsx'
import { Icon } from '../../ui/icon.tsx'
import { saveFile } from '../../ui/save-file.ts'
import { size } from '../../ui/times.ts'
import type { RecordsQuery } from './records-filter.ts'

const t = texts.records.export

type Format = 'jsonl' | 'csv' | 'ocsf'
const FORMATS = ['jsonl', 'csv', 'ocsf'] as const satisfies readonly Format[]
const ENDINGS: Readonly<Record<Format, string>> = { jsonl: 'jsonl', csv: 'csv', ocsf: 'ocsf.jsonl' }

/** The filter of the list, without its pages. */
type Filter = Omit<RecordsQuery, 'limit' | 'offset'>

interface ExportProps {
  readonly opened: boolean
  /** Of every organization, and of the installation. */
  readonly everywhere: boolean
  /** The rows that the list shows. */
  readonly filter: Filter
  readonly onClose: () => void
}

type State =
  | { readonly at: 'rest' }
  | { readonly at: 'busy'; readonly bytes: number }
  | { readonly at: 'done'; readonly name: string; readonly bytes: number }
  | { readonly at: 'failed'; readonly problem: Problem }

export function ExportDialog({ opened, everywhere, filter, onClose }: ExportProps) {
  const [format, setFormat] = useState<Format>('jsonl')
  const [whole, setWhole] = useState(true)
  const { state, start, stop } = useExport(everywhere)
  const limited = Object.values(filter).some((value) => value !== undefined)
  const close = () => {
    stop()
    onClose()
  }
  return (
    <Modal opened={opened} onClose={close} title={t.title} closeButtonProps={{ 'aria-label': texts.close }}>
      <Stack>
        <Select
          label={t.format}
          data={FORMATS.map((value) => ({ value, label: t.formats[value] }))}
          value={format}
          onChange={(value) => setFormat(value ?? 'jsonl')}
          allowDeselect={false}
        />
        <Select
          label={t.range}
          data={[{ value: 'whole', label: t.rangeAll }, ...(limited ? [{ value: 'shown', label: t.rangeShown }] : [])]}
          value={whole || !limited ? 'whole' : 'shown'}
          onChange={(value) => setWhole(value === 'whole')}
          allowDeselect={false}
        />
        <Text size="sm" c="dimmed">
          {whole || !limited ? t.filters : t.unproven}
        </Text>
        <Progress state={state} />
        <Group justify="flex-end">
          {state.at === 'busy' ? (
            <Button variant="default" onClick={stop}>
              {t.stop}
            </Button>
          ) : (
            <Button
              leftSection={<Icon name="download" size={16} />}
              onClick={() => void start(format, whole ? {} : filter)}
            >
              {t.start}
            </Button>
          )}
        </Group>
      </Stack>
    </Modal>
  )
}

function Progress({ state }: { state: State }) {
  if (state.at === 'failed') return <Failed failure={state.problem} />
  if (state.at === 'rest') return null
  return (
    <Group gap="sm" role="status">
      {state.at === 'busy' ? <Loader size="xs" /> : <Icon name="circle-check" />}
      <Text size="sm">
        {state.at === 'busy'
          ? t.busy({ size: size(state.bytes) })
          : t.done({ name: state.name, size: size(state.bytes) })}
      </Text>
    </Group>
  )
}

function useExport(everywhere: boolean) {
  const organization = useOrganization()
  const [state, setState] = useState<State>({ at: 'rest' })
  const running = useRef<AbortController>(undefined)
  useEffect(() => () => running.current?.abort(), [])

  async function start(format: Format, filter: Filter) {
    const abort = new AbortController()
    running.current = abort
    setState({ at: 'busy', bytes: 0 })
    try {
      const input = { query: { ...filter, format }, signal: abort.signal }
      const say = (bytes: number) => setState({ at: 'busy', bytes })
      const file = everywhere
        ? await download(exportAudit, input, say)
        : await download(exportOrganizationAudit, { ...input, path: { organization } }, say)
      const name = `records-${everywhere ? 'all' : organization}.${ENDINGS[format]}`
      saveFile(file, name)
      setState({ at: 'done', name, bytes: file.size })
    } catch (thrown) {
      setState(abort.signal.aborted ? { at: 'rest' } : { at: 'failed', problem: Problem.of(thrown) })
    }
  }

  return { state, start, stop: () => running.current?.abort() }
}
