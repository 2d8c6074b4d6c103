/** The one question about a server that was just connected: whether what it says of its tools is believed. Remembered with it. */
import { Switch } from '@mantine/core'
import type { Tool } from '@toolway/contract/admin'
import { TrustOffer, useForecast, useTrust } from '../../../parts/trust-offer.tsx'
import { texts } from '../../../texts/texts.ts'

export interface TrustProps {
  readonly alias: string
  readonly tools: readonly Tool[]
}

/** A question while its marks would save approvals; else a switch where it has marks, or is trusted. */
export function Trust({ alias, tools }: TrustProps) {
  const forecast = useForecast(alias)
  const trust = useTrust(alias)
  if (forecast === undefined) return null
  if (forecast.marked > 0) return <TrustOffer alias={alias} />
  const isMarked = tools.some(({ effect_from: from, stated_effect: stated }) => from === 'unknown' && stated === 'read')
  const isBelieved = tools.some(({ effect_from: from }) => from === 'server')
  if (!isMarked && !(forecast.trusted && isBelieved)) return null
  return (
    <Switch
      label={texts.connection.changes.trusted}
      description={texts.connection.changes.trustedHint}
      checked={forecast.trusted}
      disabled={trust.isPending}
      onChange={({ currentTarget: { checked } }) => trust.mutate(checked)}
    />
  )
}
