/**
 * The gateway's handling of a call, in words: the account that acted, arguments that rules changed, content that was left out,
 * and the approval or sign-in that it waits for.
 */
import { List, Stack, Text } from '@mantine/core'
import { visibleText } from '@toolway/contract'
import { texts } from '../../../texts/texts.ts'
import { isObject, type JsonObject } from '../mcp/wire.ts'
import { OutsideLink } from '../outside-link.tsx'

export function Told({ result }: { result: JsonObject }) {
  const { _meta: meta } = result
  if (!isObject(meta)) return null
  const lines = [...accountOf(meta), ...changesOf(meta), ...budgetOf(meta)]
  const fault = meta['dev.toolway/fault']
  const link = isObject(fault) ? (fault['approval_url'] ?? fault['connect_url']) : undefined
  if (lines.length === 0 && link === undefined) return null
  return (
    <Stack gap={4}>
      {lines.length === 0 ? null : (
        <List size="sm" spacing={2}>
          {lines.map((value) => (
            <List.Item key={value} className="breakable">
              {visibleText(value)}
            </List.Item>
          ))}
        </List>
      )}
      {link === undefined ? null : (
        <Text size="sm" component="div">
          {texts.call.waitsFor} <OutsideLink to={link} />
        </Text>
      )}
    </Stack>
  )
}

function accountOf(meta: JsonObject): string[] {
  const said = meta['dev.toolway/account']
  if (!isObject(said)) return []
  const { account, owner, name } = said
  return [texts.call.acted({ account: String(name ?? account), owner: String(owner) })]
}

function changesOf(meta: JsonObject): string[] {
  const policy = meta['dev.toolway/policy']
  const changes = isObject(policy) ? policy['changes'] : undefined
  if (!Array.isArray(changes)) return []
  return changes.filter(isObject).map(({ place, how, from, to }) => {
    const shown = (value: unknown) => (value === undefined ? undefined : JSON.stringify(value))
    return texts.call.changed({ place: String(place), how: String(how), from: shown(from), to: shown(to) ?? '' })
  })
}

function budgetOf(meta: JsonObject): string[] {
  const budget = meta['dev.toolway/budget']
  if (!isObject(budget)) return []
  const { bytes, rows } = budget
  const [before, after] = isObject(bytes) ? [Number(bytes['before']), Number(bytes['after'])] : [0, 0]
  return [
    ...(after < before ? [texts.call.cut({ before, after })] : []),
    ...(isObject(rows) ? [texts.call.rows({ shown: Number(rows['shown']), of: Number(rows['of']) })] : []),
  ]
}
