/** Nothing arrives: what the reason mostly is, and what mends it. Administrators of the installation see who was refused lately. */
import { Accordion, Button, Group, Stack, Text } from '@mantine/core'
import { listAudit, type AuditEvent } from '@toolway/contract/admin'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { z } from 'zod'
import { useMay } from '../../data/me.ts'
import { ask } from '../../data/queries.ts'
import { useUrlState } from '../../data/url-state.ts'
import { texts } from '../../texts/texts.ts'
import { Icon } from '../../ui/icon.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { When } from '../../ui/when.tsx'
import { isNear } from './place.ts'
import type { Preset } from './presets.ts'

interface DoctorProps {
  readonly preset: Preset
  readonly url: string
  /** Something was seen, so that the address and the sign-in are right. */
  readonly started: boolean
}

const State = z.object({ help: z.enum(['yes', 'no']).default('no') })
const ITEM = 'doctor'

type Cause = keyof typeof texts.clients.doctor.causes

export function Doctor({ preset, url, started }: DoctorProps) {
  const [{ help }, set] = useUrlState(State)
  const seesRefused = useMay('audit_view_global', 'platform')
  const t = texts.clients.doctor
  return (
    <Accordion
      variant="contained"
      value={help === 'yes' ? ITEM : null}
      onChange={(opened) => set({ help: opened === null ? undefined : 'yes' })}
      chevron={<Icon name="chevron-down" size={16} />}
    >
      <Accordion.Item value={ITEM}>
        <Accordion.Control icon={<Icon name="help-circle" size={18} />}>{t.title}</Accordion.Control>
        <Accordion.Panel>
          <Stack gap="md">
            {causesOf(preset, url, started).map((cause) => {
              const { what, mend } = t.causes[cause]
              return (
                <div key={cause}>
                  <Text size="sm" fw={600}>
                    {what}
                  </Text>
                  <Text size="sm" c="dimmed" className="breakable">
                    {typeof mend === 'string' ? mend : mend({ url })}
                  </Text>
                </div>
              )
            })}
            {/* Asked only where it is looked at. */}
            {seesRefused && help === 'yes' ? <Refused /> : null}
          </Stack>
        </Accordion.Panel>
      </Accordion.Item>
    </Accordion>
  )
}

/** The likeliest first. */
function causesOf({ cloud, ways }: Preset, url: string, started: boolean): readonly Cause[] {
  if (started) return ['restart', 'tools', 'prompt']
  return [
    ...(isNear(url) && cloud === true ? (['far'] as const) : []),
    ...(window.location.origin === new URL(url).origin ? [] : (['other'] as const)),
    'restart',
    'address',
    ...(ways.includes('key') ? (['key'] as const) : []),
    ...(isNear(url) ? (['container'] as const) : (['proxy', 'host'] as const)),
  ]
}

const HOUR_MS = 3_600_000
const MOST = 10
/** The actor id of unauthenticated callers in the installation's audit log. */
const STRANGER = 'anonymous'

function Refused() {
  const t = texts.clients.doctor.refused
  const [start, setStart] = useState(() => new Date(Date.now() - HOUR_MS).toISOString())
  const refused = useQuery(
    ask('records', listAudit, { query: { actor_id: STRANGER, outcome: 'refused', start, limit: MOST } }),
  )
  const again = () => setStart(new Date(Date.now() - HOUR_MS).toISOString())
  return (
    <div>
      <Group justify="space-between">
        <Text size="sm" fw={600}>
          {t.title}
        </Text>
        <Button size="compact-xs" variant="default" loading={refused.isFetching} onClick={again}>
          {t.again}
        </Button>
      </Group>
      <Loaded query={refused} lines={2}>
        {({ items }) =>
          items.length === 0 ? (
            <Text size="sm" c="dimmed">
              {t.none}
            </Text>
          ) : (
            <Stack gap={4} component="ul" p={0} m={0}>
              {items.map((row) => (
                <Try key={row.id} row={row} />
              ))}
            </Stack>
          )
        }
      </Loaded>
    </div>
  )
}

function Try({ row: { timestamp, code, ip_address: address, user_agent: agent } }: { row: AuditEvent }) {
  const t = texts.clients.doctor.refused
  const why = (t.codes as Record<string, string>)[code ?? ''] ?? t.other({ code: code ?? '' })
  return (
    <Text component="li" size="sm" style={{ listStyle: 'none' }} className="breakable">
      <When at={timestamp} />: {why} {t.from({ address: address ?? t.unknown, agent: agent ?? t.unknown })}
    </Text>
  )
}
