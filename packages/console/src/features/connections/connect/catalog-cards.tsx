/** The catalog: what can be connected with one press (ledger S2-QRK-07). */
import { Button, Chip, Group, SimpleGrid, Stack, Text, Title, UnstyledButton } from '@mantine/core'
import { CATALOG_CATEGORIES, type CatalogCategory, type CatalogEntry } from '@toolway/contract'
import { useState } from 'react'
import { texts } from '../../../texts/texts.ts'
import { logoOfService } from '../../../ui/logo-of.ts'
import { Logo } from '../../../ui/logo.tsx'
import { SearchField } from '../../../ui/search-field.tsx'
import classes from './connect.module.css'
import { searchCatalog } from './guess/guess.ts'
import { choosable } from './vendor-server.tsx'

const t = texts.connect.catalog

/** These ask for what the box below takes. */
const BY_HAND = new Set(['custom_url', 'custom_command'])
const FEW = 12

interface CatalogProps {
  readonly entries: readonly CatalogEntry[]
  readonly onChoose: (entry: CatalogEntry) => void
}

export function Catalog({ entries, onChoose }: CatalogProps) {
  const [search, setSearch] = useState('')
  const [all, setAll] = useState(false)
  const [category, setCategory] = useState<CatalogCategory | 'all'>('all')
  const known = choosable(entries).filter(({ id }) => !BY_HAND.has(id))
  const within = category === 'all' ? known : known.filter((entry) => entry.category === category)
  const found = search.trim() === '' ? within : searchCatalog(search, within)
  const shown = all || search.trim() !== '' || category !== 'all' ? found : found.slice(0, FEW)
  const there = CATALOG_CATEGORIES.filter((catalogCategory) =>
    known.some((entry) => entry.category === catalogCategory),
  )
  return (
    <Stack gap="sm" component="section" aria-labelledby="catalog">
      <Group justify="space-between" align="flex-end" gap="sm">
        <Title order={2} id="catalog">
          {t.title}
        </Title>
        <SearchField
          aria-label={t.search}
          placeholder={t.search}
          value={search}
          onChange={({ currentTarget }) => setSearch(currentTarget.value)}
          style={{ flex: '0 1 18rem' }}
        />
      </Group>
      <Chip.Group value={category} onChange={setCategory}>
        <Group gap="xs" role="radiogroup" aria-label={t.categories}>
          {(['all', ...there] as const).map((item) => (
            <Chip key={item} size="xs" value={item}>
              {t.category[item]}
            </Chip>
          ))}
        </Group>
      </Chip.Group>
      {shown.length === 0 ? <Text c="dimmed">{t.nothing}</Text> : <EntryCards entries={shown} onChoose={onChoose} />}
      {shown.length < found.length ? (
        <Button variant="subtle" size="xs" onClick={() => setAll(true)} style={{ alignSelf: 'flex-start' }}>
          {t.all({ count: found.length })}
        </Button>
      ) : null}
    </Stack>
  )
}

export function EntryCards({ entries, onChoose }: CatalogProps) {
  return (
    <SimpleGrid cols={{ base: 1, xs: 2, lg: 3 }} spacing="sm" component="ul" className={classes['list'] ?? ''}>
      {entries.map((entry) => (
        <li key={entry.id}>
          <UnstyledButton className={classes['entry'] ?? ''} onClick={() => onChoose(entry)}>
            <Logo logo={logoOfService(entry.icon)} name={entry.title} size={36} />
            <span className={classes['words']}>
              <Text component="span" fw={600} display="block">
                {entry.title}
              </Text>
              <Text component="span" size="xs" c="dimmed" lineClamp={2}>
                {entry.about}
              </Text>
            </span>
          </UnstyledButton>
        </li>
      ))}
    </SimpleGrid>
  )
}
