/**
 * The offer to trust a server that marks tools read-only, with what its calls meet until then. Nothing is shown where no tool asks for an
 * approval, where the server marks none of them, or to somebody who may not trust it.
 */
import { Alert, Button, Stack, Text } from '@mantine/core'
import { getApprovalForecast, getToolLock, setToolLock } from '@toolway/contract/admin'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { call } from '../data/call.ts'
import { useMay, useOrganization } from '../data/me.ts'
import { ask } from '../data/queries.ts'
import { sayProblem } from './say-problem.ts'
import { texts } from '../texts/texts.ts'
import { Icon } from '../ui/icon.tsx'
import { sayDone } from '../ui/say.tsx'

const usePath = (connection: string) => ({ organization: useOrganization(), connection })

/** How many tools of a connection ask for an approval; undefined until it is known, and for who may not know. */
export function useForecast(alias: string) {
  const path = usePath(alias)
  const enabled = useMay('connector_update')
  return useQuery({ ...ask('tools', getApprovalForecast, { path }), enabled }).data
}

/** Believes what a server says about its tools, or no longer; its lock stays as it is. */
export function useTrust(alias: string) {
  const path = usePath(alias)
  const queries = useQueryClient()
  return useMutation({
    async mutationFn(trusted: boolean) {
      const { mode } = await call(getToolLock, { path })
      return call(setToolLock, { path, body: { mode, trusted } })
    },
    // Here, and not where it is pressed: the offer is gone by then.
    onSuccess(_, trusted) {
      if (trusted) sayDone(texts.trust.done({ alias }))
    },
    onError: sayProblem,
    onSettled: () => Promise.all(['tools', 'approvals'].map((noun) => queries.invalidateQueries({ queryKey: [noun] }))),
  })
}

export function TrustOffer({ alias }: { alias: string }) {
  const forecast = useForecast(alias)
  const trust = useTrust(alias)
  const t = texts.trust
  if (forecast === undefined || forecast.marked === 0) return null
  const { tools, asking, marked, asking_if_trusted: left } = forecast
  return (
    <Alert icon={<Icon name="shield-check" />} title={t.question({ alias })}>
      <Stack gap="sm" align="flex-start">
        <Text size="sm">
          {t.asks({ asking, tools })} {t.marks({ marked })} {t.then({ left })}
        </Text>
        <Button size="xs" loading={trust.isPending} onClick={() => trust.mutate(true)}>
          {t.trust}
        </Button>
      </Stack>
    </Alert>
  )
}
