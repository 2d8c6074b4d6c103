/** The facts about one thing, name by name: side by side where there is room, below one another where there is not. */
import { Text } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './facts.module.css'

export type Fact = readonly [name: string, value: ReactNode]

/** Facts without a value (null, undefined, an empty text) are left out. */
export function Facts({ facts }: { facts: readonly Fact[] }) {
  const known = facts.filter(([, value]) => value !== null && value !== undefined && value !== '')
  return (
    <dl className={classes['facts']}>
      {known.map(([name, value]) => (
        <div key={name} className={classes['fact']}>
          <Text component="dt" size="sm" c="dimmed">
            {name}
          </Text>
          <Text component="dd" size="sm" m={0} className="breakable">
            {value}
          </Text>
        </div>
      ))}
    </dl>
  )
}
