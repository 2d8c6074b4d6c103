/** Allows a key to call on behalf of members that an administrator of the organization made for it: for platform administrators. */
import { trustKey } from '@toolway/contract/admin'
import { call } from '../../data/call.ts'
import { ConfirmedAction } from '../../parts/confirmed-action.tsx'
import { texts } from '../../texts/texts.ts'

export function TrustButton({ id, name }: { id: string; name: string }) {
  const t = texts.keys.trust
  return (
    <ConfirmedAction
      look="allow"
      label={t.label({ name })}
      verb={t.verb}
      noun="keys"
      done={t.done({ name })}
      run={() => call(trustKey, { path: { key: id } })}
    >
      {t.warning}
    </ConfirmedAction>
  )
}
