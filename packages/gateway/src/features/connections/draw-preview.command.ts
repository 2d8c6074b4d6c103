/** A preview and a drift as lines for a person. */
import { countWithNoun } from '../../lib/count-with-noun.ts'
import type { OpenApiDrift, OpenApiPreview } from '@toolway/contract/admin'
import { table } from '../../cli/terminal/output.ts'

/** Of each list so many are shown; `--json` has all of them. */
const SHOWN = 200

export function drawPreview(preview: OpenApiPreview): string[] {
  const { title, version, format, url, security, counts, operations, left_out: left, notes } = preview
  const some = operations.slice(0, SHOWN)
  const rows = some.map(({ name, effect, method, path, notes: ownNotes, deprecated }) => [
    name,
    effect,
    `${method} ${path}${ownNotes.length + Number(deprecated) === 0 ? '' : `  (${[...(deprecated ? ['deprecated'] : []), ...ownNotes].join('; ')})`}`,
  ])
  return [
    `${title} ${version} (OpenAPI ${format})`,
    `Base address for calls: ${url ?? 'none, set it with --url'}.`,
    `${countWithNoun(counts.tools, 'tool')}: ${counts.read} read, ${counts.write} write, ${counts.destructive} destructive; ${counts.left_out} left out, ${counts.unselected} not selected.`,
    ...security.map(
      ({ name, kind, place, scopes }) =>
        `Requires ${kind}${place === null ? '' : ` in ${place}`} (${name})${scopes.length === 0 ? '' : `: ${scopes.slice(0, 5).join(', ')}${scopes.length > 5 ? ' …' : ''}`}`,
    ),
    ...(some.length === 0 ? [] : ['', ...table(['TOOL', 'EFFECT', 'OPERATION'], rows)]),
    ...more(operations.length),
    ...(left.length === 0 ? [] : ['', 'Left out:']),
    ...left.slice(0, SHOWN).map(({ method, path, reason }) => `  ${method} ${path}: it ${reason}`),
    ...more(left.length),
    ...notes.flatMap((note) => ['', note]),
  ]
}

const more = (count: number): string[] =>
  count > SHOWN ? [`… and ${count - SHOWN} more; use --json to see them all.`] : []

export function drawDrift({ added, removed, changed }: OpenApiDrift): string[] {
  if (added.length + removed.length + changed.length === 0) return ['No tool changes.']
  const mark = (item: { held: boolean }) => (item.held ? '  held for review' : '')
  return [
    `${added.length} new, ${removed.length} removed, ${changed.length} changed.`,
    ...added.slice(0, SHOWN).map((item) => `+ ${item.name} (${item.effect})${mark(item)}`),
    ...removed.slice(0, SHOWN).map((name) => `- ${name}`),
    ...changed.slice(0, SHOWN).map((item) => {
      const effect = item.effect === null ? '' : `, ${item.effect.before} → ${item.effect.after}`
      const turn =
        item.arguments === 'same' ? '' : `, accepts ${item.arguments === 'wider' ? 'more' : 'less'} than before`
      return `~ ${item.name}: ${item.what.join(', ')}${turn}${effect}${mark(item)}`
    }),
    ...more(Math.max(added.length, removed.length, changed.length)),
  ]
}
