/** Some vendors run an MCP server of their own for what a native connector does: both are offered, with what differs. */
import { SegmentedControl, Stack, Text } from '@mantine/core'
import type { CatalogEntry } from '@toolway/contract'
import { texts } from '../../../texts/texts.ts'
import { draft as draftOf, draftOfEntry, type Draft } from './draft.ts'

const t = texts.connect.native

interface VendorServerProps {
  readonly draft: Draft
  readonly entries: readonly CatalogEntry[]
  readonly onChoose: (draft: Draft) => void
}

export function VendorServer({ draft, entries, onChoose }: VendorServerProps) {
  const own = entries.find((entry) => isOf(entry, draft))
  const server = own?.native?.official_server ?? undefined
  if (own === undefined || server === undefined) return null
  const official = () => {
    const entry = entries.find(({ url }) => url === server)
    return { ...(entry === undefined ? draftOf({ url: server, auth: 'oauth' }) : draftOfEntry(entry)), name: own.title }
  }
  return (
    <Stack gap={4} maw={720}>
      <Text size="sm" fw={600} id="whose-tools">
        {t.which}
      </Text>
      <SegmentedControl
        aria-labelledby="whose-tools"
        value={draft.kind === 'native' ? 'native' : 'official'}
        onChange={(value) => onChoose(value === 'native' ? draftOfEntry(own) : official())}
        data={[
          { value: 'native', label: t.own },
          { value: 'official', label: t.official({ title: own.title }) },
        ]}
        style={{ alignSelf: 'flex-start' }}
      />
      <Text size="xs" c="dimmed">
        {draft.kind === 'native' ? t.ownHint : t.officialHint({ title: own.title })}
      </Text>
    </Stack>
  )
}

const isOf = ({ id, native }: CatalogEntry, { entry, url, kind }: Draft): boolean =>
  native !== null && (kind === 'native' ? id === entry : native.official_server === url)

/** The entries to choose among: a vendor with a native connector is there once. */
export function choosable(entries: readonly CatalogEntry[]): CatalogEntry[] {
  const official = new Set(entries.map(({ native }) => native?.official_server))
  return entries.filter(({ native, url }) => native !== null || url === null || !official.has(url))
}
