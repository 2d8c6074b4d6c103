/** A switch that stands as it was set before the gateway has answered, and as it was when the change fails. */
import { Switch, type SwitchProps } from '@mantine/core'
import { startTransition, useOptimistic } from 'react'

export interface OptimisticSwitchProps extends Omit<SwitchProps, 'checked' | 'onChange'> {
  readonly checked: boolean
  /** Makes the change and says why where it fails; ends when what changed has been read again, and never rejects. */
  readonly onSet: (on: boolean) => Promise<unknown>
}

export function OptimisticSwitch({ checked, onSet, ...others }: OptimisticSwitchProps) {
  const [shown, show] = useOptimistic(checked)
  const set = (on: boolean) =>
    startTransition(async () => {
      show(on)
      await onSet(on)
    })
  return <Switch {...others} checked={shown} onChange={({ currentTarget }) => set(currentTarget.checked)} />
}
