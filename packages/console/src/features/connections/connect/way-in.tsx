/** How one is let in there (ledger S2-UI-03): OAuth, which is recommended, a key, or nothing; and whose that is. */
import { Badge, Group, PasswordInput, Radio, SegmentedControl, Stack, Text } from '@mantine/core'
import type { CatalogEntry } from '@toolway/contract'
import { OutsideLink } from '../../../parts/call/outside-link.tsx'
import { texts } from '../../../texts/texts.ts'
import classes from './connect.module.css'
import { WAYS, type AuthType, type Draft } from './draft.ts'
import type { Owner } from './keep-draft.ts'

const t = texts.connect.auth

export interface WayInProps {
  readonly draft: Draft
  readonly onChange: (change: Partial<Draft>) => void
  /** The first is recommended where it is OAuth. */
  readonly ways: readonly AuthType[]
  readonly chosen: AuthType
  readonly entry: CatalogEntry | undefined
  readonly owner: Owner
  readonly onOwner: (owner: Owner) => void
}

export function WayIn({ draft, onChange, ways, chosen, entry, owner, onOwner }: WayInProps) {
  return (
    <Stack gap="md">
      <Radio.Group label={t.label} value={chosen} onChange={(auth) => onChange({ auth })}>
        <Stack gap="xs" mt="xs">
          {ways.map((way) => (
            <Way key={way} way={way} chosen={way === chosen}>
              {way === 'api_key' ? (
                <PasswordInput
                  mt="sm"
                  ml={32}
                  label={t.key}
                  placeholder={entry?.key?.placeholder}
                  autoComplete="off"
                  value={draft.key}
                  onChange={({ currentTarget }) => onChange({ key: currentTarget.value })}
                  description={
                    entry?.key == null ? undefined : (
                      <OutsideLink to={entry.key.page}>{t.keyPage({ title: entry.title })}</OutsideLink>
                    )
                  }
                />
              ) : null}
            </Way>
          ))}
        </Stack>
      </Radio.Group>
      {chosen === 'none' || !WAYS[draft.kind].accounts ? null : <Whose owner={owner} onOwner={onOwner} />}
    </Stack>
  )
}

interface WayProps {
  readonly way: AuthType
  readonly chosen: boolean
  /** Asked for where it is chosen. */
  readonly children: React.ReactNode
}

function Way({ way, chosen, children }: WayProps) {
  return (
    <div className={classes['entry']} style={{ display: 'block' }}>
      <Radio
        value={way}
        label={
          <Group component="span" gap="xs">
            <Text component="span" fw={600}>
              {t.ways[way]}
            </Text>
            {way === 'oauth' ? (
              <Badge variant="light" tt="none">
                {t.recommended}
              </Badge>
            ) : null}
          </Group>
        }
        description={t.about[way]}
      />
      {chosen ? children : null}
    </div>
  )
}

function Whose({ owner, onOwner }: Pick<WayInProps, 'owner' | 'onOwner'>) {
  return (
    <Stack gap={4}>
      <Text size="sm" fw={600} id="whose">
        {t.whose}
      </Text>
      <SegmentedControl
        aria-labelledby="whose"
        value={owner}
        onChange={(value) => onOwner(value)}
        data={[
          { value: 'organization', label: t.owners.organization },
          { value: 'member', label: t.owners.member },
        ]}
        style={{ alignSelf: 'flex-start' }}
      />
      <Text size="xs" c="dimmed">
        {t.ownersHint[owner]}
      </Text>
    </Stack>
  )
}
