/** Removes a key, whoever it belongs to. */
import { ConfirmedAction } from '../../parts/confirmed-action.tsx'
import { texts } from '../../texts/texts.ts'

export function RemoveKey({ name, run }: { name: string; run: () => Promise<unknown> }) {
  const t = texts.keys.remove
  return (
    <ConfirmedAction
      look="remove"
      label={t.label({ name })}
      verb={t.verb}
      noun="keys"
      done={t.done({ name })}
      run={run}
    >
      {t.warning}
    </ConfirmedAction>
  )
}
