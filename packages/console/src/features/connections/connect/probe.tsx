/** A probe of the typed address, sent once the user has stopped typing and shown in one line; it decides nothing. */
import { Alert, Button, Group, Loader, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { probeAddress, type Probed } from '@toolway/contract/admin'
import { useQuery } from '@tanstack/react-query'
import { useOrganization } from '../../../data/me.ts'
import { ask } from '../../../data/queries.ts'
import { localized } from '../../../texts/gateway-words.ts'
import { texts } from '../../../texts/texts.ts'
import { Icon } from '../../../ui/icon.tsx'
import { problemOfAddress, type Draft } from './draft.ts'

const t = texts.connect.probe
const TYPING_MS = 600

/** Returns undefined until the result is known. Catalog entries need no probe. */
export function useProbe({ url, entry, kind }: Draft): { readonly busy: boolean; readonly probed: Probed | undefined } {
  const organization = useOrganization()
  const [settled] = useDebouncedValue(url.trim(), TYPING_MS)
  // The result for one address is not reused as a placeholder for the next.
  const { placeholderData: _, ...query } = ask('catalog', probeAddress, {
    path: { organization },
    body: { url: settled },
  })
  const probe = useQuery({
    ...query,
    enabled: kind === 'remote' && entry === undefined && settled === url.trim() && problemOfAddress(url) === undefined,
    retry: false,
    staleTime: 60_000,
    refetchOnMount: false,
    refetchOnWindowFocus: false,
  })
  return { busy: probe.isFetching, probed: probe.data }
}

export interface ProbeLineProps {
  readonly busy: boolean
  readonly probed: Probed | undefined
  /** It is to be connected as the OpenAPI document that it is. */
  readonly onDocument: () => void
}

export function ProbeLine({ busy, probed, onDocument }: ProbeLineProps) {
  if (busy)
    return (
      <Group gap="xs" role="status">
        <Loader size="xs" />
        <Text size="sm" c="dimmed">
          {t.asking}
        </Text>
      </Group>
    )
  if (probed === undefined) return null
  if (probed.found === 'openapi')
    return (
      <Alert color="blue" icon={<Icon name="api" />} role="status" title={t.document}>
        <Button size="xs" onClick={onDocument}>
          {t.takeDocument}
        </Button>
      </Alert>
    )
  const good = probed.found === 'mcp'
  return (
    <Group gap="xs" wrap="nowrap" align="flex-start" role="status">
      <Text span c={good ? 'teal' : 'dimmed'} style={{ display: 'inline-flex' }}>
        <Icon name={good ? 'circle-check' : 'info-circle'} />
      </Text>
      <Text size="sm" c={good ? 'inherit' : 'dimmed'} className="breakable">
        {good ? t.ways[probed.auth ?? 'none'] : t.unknown({ problem: localized(probed.failure?.problem ?? '') })}
      </Text>
    </Group>
  )
}
