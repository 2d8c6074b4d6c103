/** How a way to a vendor ended, at the address that it leads back to (ledger S2-QRK-01): `?connected={id}` or `?error=…&why=…&details=…`. */
import { Alert, Group, Stack, Text } from '@mantine/core'
import { getConnection, listProviders } from '@toolway/contract/admin'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { failureDetails } from '../../data/failure-details.ts'
import { tellArrival, type Arrival } from '../../data/oauth-redirect.ts'
import { useOrganization } from '../../data/me.ts'
import { ask } from '../../data/queries.ts'
import { localized } from '../../texts/gateway-words.ts'
import { texts } from '../../texts/texts.ts'
import { Icon } from '../../ui/icon.tsx'
import { LinkButton } from '../../ui/links.tsx'

const t = texts.connections.outcome

export interface Ended {
  /** Id of a connection, or a vendor whose account serves several. */
  readonly connected: string
  readonly error: string
  readonly why: string
  /** Sealed; see `failure-details.ts`. */
  readonly details: string
}

export function Outcome({ ended, onClose }: { ended: Ended; onClose: () => void }) {
  const taken = useArrived(ended)
  if (ended.error !== '') return <Refused ended={ended} taken={taken} onClose={onClose} />
  if (ended.connected !== '') return <Connected connected={ended.connected} taken={taken} onClose={onClose} />
  return null
}

/** In a window of its own it tells the page that waits for it, and closes. */
function useArrived({ connected, error, why, details }: Ended): boolean {
  const [taken, setTaken] = useState(false)
  useEffect(() => {
    if (connected === '' && error === '') return
    const arrival: Arrival = error === '' ? { connected } : { error, why: why === '' ? undefined : why, details }
    const tell = async () => {
      if (!(await tellArrival(arrival))) return
      setTaken(true)
      window.close()
    }
    void tell()
  }, [connected, error, why, details])
  return taken
}

interface Closable {
  readonly taken: boolean
  readonly onClose: () => void
}

/** Anybody can write such an address: what it names counts where it is here. */
function Connected({ connected, taken, onClose }: Closable & { connected: string }) {
  const path = { organization: useOrganization(), connection: connected }
  const found = useQuery({ ...ask('connections', getConnection, { path }), retry: false })
  const isOther = found.data === undefined && found.error !== null
  const providers = useQuery({ ...ask('oauth', listProviders), enabled: isOther })
  const connection = found.data
  const provider = isOther ? providers.data?.items.find(({ id }) => id === connected) : undefined
  if (connection === undefined && provider === undefined) return null
  return (
    <Alert
      color={connection === undefined ? 'blue' : 'teal'}
      role="status"
      icon={<Icon name={connection === undefined ? 'info-circle' : 'circle-check'} />}
      title={
        connection === undefined
          ? t.back({ provider: provider?.name ?? connected })
          : t.connected({ title: connection.title })
      }
      withCloseButton
      closeButtonLabel={texts.close}
      onClose={onClose}
    >
      <Group gap="md">
        <Text size="sm">{taken ? t.closeWindow : connection === undefined ? t.backHint : t.ready}</Text>
        {connection === undefined || taken ? null : (
          <LinkButton size="xs" to={`/connections/${connection.alias}`}>
            {t.open({ title: connection.title })}
          </LinkButton>
        )}
      </Group>
    </Alert>
  )
}

/** The vendor's own word is shown as text, and what we know of it in a sentence. */
function Refused({ ended: { error, why, details: sealed }, taken, onClose }: Closable & { ended: Ended }) {
  const details = useQuery(failureDetails(sealed)).data ?? undefined
  const reason = Object.hasOwn(t.whys, why) ? t.whys[why as keyof typeof t.whys] : undefined
  return (
    <Alert
      color="red"
      role="alert"
      icon={<Icon name="alert-triangle" />}
      title={t.failed}
      withCloseButton
      closeButtonLabel={texts.close}
      onClose={onClose}
    >
      <Stack gap={4}>
        <Text size="sm" className="breakable">
          {reason === undefined ? t.said({ error: error.slice(0, 200) }) : t.because({ reason })}
        </Text>
        {details === undefined ? null : (
          <Text size="sm" className="breakable">
            {t.details({ details: localized(details) })}
          </Text>
        )}
        <Text size="sm">{taken ? t.closeWindow : t.again}</Text>
      </Stack>
    </Alert>
  )
}
