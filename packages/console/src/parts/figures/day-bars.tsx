/** A bar for each day by how its calls ended, as on a status page. Its label says the whole; each bar says its day when pointed at. */
import { Tooltip } from '@mantine/core'
import type { Usage } from '@toolway/contract/admin'
import { texts } from '../../texts/texts.ts'
import { dayStateOf } from './usage-figures.ts'
import { stepLabel } from '../../ui/times.ts'
import classes from './day-bars.module.css'

interface DayBarsProps {
  readonly days: Usage['steps']
  /** What a screen reader says of all of it. */
  readonly label: string
}

export function DayBars({ days, label }: DayBarsProps) {
  const ends = [days[0], days.at(-1)].map((day) => (day === undefined ? '' : stepLabel(day.at, 'day')))
  return (
    <div role="img" aria-label={label}>
      <div className={classes['days']}>
        {days.map((day) => (
          <Tooltip
            key={day.at}
            label={texts.usageDetails.day({
              at: stepLabel(day.at, 'day'),
              calls: day.calls,
              failed: day.failed,
              refused: day.refused,
            })}
          >
            <div className={`${classes['day']} ${classes[dayStateOf(day)]}`} />
          </Tooltip>
        ))}
      </div>
      <div className={classes['ends']} aria-hidden="true">
        <span>{ends[0]}</span>
        <span>{ends[1]}</span>
      </div>
    </div>
  )
}
