/**
 * What does the prompt `plan_my_day` ask for?
 *
 * It tells the model where and when it is, so that it need not guess the date, and which tools of this server help. The
 * place completes from the zones of the runtime. Changes nothing.
 */
import { completable, type McpServer } from '@modelcontextprotocol/server'
import * as z from 'zod'
import { completeZone, findZone, readClock } from './times/zone.ts'

/** Registers `plan_my_day` with completion of its place. */
export function registerDayPrompt(server: McpServer, { now }: { now(): Date }): void {
  const argsSchema = z.object({
    place: completable(z.string().min(1).max(60).describe('City or time zone, for example Lisbon'), completeZone),
    focus: z.string().max(500).optional().describe('What matters most today'),
  })
  const about = {
    title: 'Plan my day',
    description: 'Plan the rest of the day in a place from the notes kept so far.',
    argsSchema,
  }
  server.registerPrompt('plan_my_day', about, ({ place, focus }) => ({
    description: 'A plan for the rest of the day',
    messages: [{ role: 'user', content: { type: 'text', text: asked(findZone(place), now(), focus) } }],
  }))
}

function asked(zone: string, at: Date, focus: string | undefined): string {
  const { local, weekday, offset } = readClock(zone, at)
  const [date, time] = local.split('T')
  return [
    `It is ${weekday}, ${date}, ${time?.slice(0, 5)} in ${zone} (UTC${offset}).`,
    'Look through my notes with notes_search and plan the rest of my day hour by hour.',
    focus
      ? `What matters most today: ${focus}`
      : 'Put what has a date or a deadline first; date_between tells how far it is.',
    'Leave room for breaks, and end with the one thing to do first. Ask before you add or remove a note.',
  ].join('\n')
}
