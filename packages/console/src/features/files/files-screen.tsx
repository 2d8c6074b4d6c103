/** Files that travel by reference: one's own, and for administrators of members those of everybody. */
import { Group, SegmentedControl, Text } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { getFileUsage, listFiles, type FileEntry } from '@toolway/contract/admin'
import { z } from 'zod'
import { useMay, useOrganization } from '../../data/me.ts'
import { ask } from '../../data/queries.ts'
import { useUrlState } from '../../data/url-state.ts'
import { texts } from '../../texts/texts.ts'
import { Empty } from '../../ui/empty.tsx'
import { Forbidden } from '../../ui/forbidden.tsx'
import { Screen } from '../../ui/screen.tsx'
import { column, Table } from '../../ui/table.tsx'
import { size } from '../../ui/times.ts'
import { When } from '../../ui/when.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { Actions, Named, originOf, ownerOf, sizeOf } from './file-cells.tsx'
import { UploadButton, UploadProgress, useUpload } from './upload-button.tsx'

const Address = z.object({
  search: z.string().max(100).default(''),
  whose: z.enum(['own', 'everybody']).default('own'),
  offset: z
    .string()
    .regex(/^\d{1,7}$/)
    .default('0'),
})
const PATIENCE = 250

export function FilesScreen() {
  const may = useMay('tool_call')
  const t = texts.files
  if (may) return <Files />
  return <Forbidden screen={texts.nav.files} {...t.forbidden} />
}

function Files() {
  const organization = useOrganization()
  const path = { organization }
  const [{ search, whose, offset }, set] = useUrlState(Address)
  const look = useDebouncedCallback((text: string) => set({ search: text, offset: undefined }), PATIENCE)
  const files = useQuery(ask('files', listFiles, { path, query: { search, whose, limit: 50, offset } }))
  const usage = useQuery(ask('files', getFileUsage, { path }))
  const oversees = useMay('user_manage')
  const upload = useUpload()
  const t = texts.files
  const nothing = search === '' ? t.none : t.notFound
  return (
    <Screen title={texts.nav.files} hint={t.hint} action={<UploadButton upload={upload} />}>
      <UploadProgress upload={upload} />
      <Group>
        <SearchField
          aria-label={t.search}
          placeholder={t.search}
          maw={360}
          defaultValue={search}
          onChange={({ currentTarget }) => look(currentTarget.value)}
        />
        {oversees ? (
          <SegmentedControl
            aria-label={t.whose}
            value={whose}
            data={[
              { value: 'own', label: t.own },
              { value: 'everybody', label: t.everybody },
            ]}
            onChange={(value) => set({ whose: value, offset: undefined })}
          />
        ) : null}
        {usage.data === undefined ? null : (
          <Text size="sm" c="dimmed">
            {t.usage({ used: size(usage.data.used), quota: size(usage.data.quota) })}
          </Text>
        )}
      </Group>
      <Table
        label={texts.nav.files}
        query={files}
        rowKey={({ id }) => id}
        empty={<Empty title={nothing.title} hint={nothing.hint} icon="file" />}
        onPage={(at) => set({ offset: String(at) })}
        columns={[
          column(t.columns.name, (item: FileEntry) => <Named file={item} />, 4, { plain: true }),
          column(t.columns.size, sizeOf, 2),
          column(t.columns.origin, originOf, 2),
          column(t.columns.owner, ownerOf, 2),
          column(t.columns.expires, ({ expires_at: at }: FileEntry) => <When at={at} />, 2),
          column(t.columns.actions, (action: FileEntry) => <Actions file={action} />, 2, { plain: true }),
        ]}
      />
    </Screen>
  )
}
