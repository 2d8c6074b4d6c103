/**
 * The content of a tool's result, part by part. Text is shown as text, never as markup; images as images; links where they are
 * safe; unknown kinds as JSON.
 */
import { Button, Group, Image, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { visibleText } from '@toolway/contract'
import { texts } from '../../../texts/texts.ts'
import { CodeBlock } from '../../../ui/copy.tsx'
import { isObject, type Json, type JsonObject } from '../mcp/wire.ts'
import { OutsideLink } from '../outside-link.tsx'
import { safeAddress } from '../safe-address.ts'

export interface ContentProps {
  readonly content: Json | undefined
  /** Reads a resource that a part leads to. */
  readonly onRead?: ((uri: string) => void) | undefined
}

export function Content({ content, onRead }: ContentProps) {
  const parts = Array.isArray(content) ? (content as readonly Json[]) : []
  if (parts.length === 0)
    return (
      <Text size="sm" c="dimmed">
        {texts.call.nothing}
      </Text>
    )
  return (
    <Stack gap="sm">
      {parts.map((part, at) => (
        // Parts have no names: their order is all they have.
        <Part
          key={at}
          part={isObject(part) ? part : { value: part }}
          name={texts.call.part({ at: at + 1 })}
          onRead={onRead}
        />
      ))}
    </Stack>
  )
}

function Part({ part, name, onRead }: { part: JsonObject; name: string; onRead: ContentProps['onRead'] }) {
  const { type, text, data, mimeType, resource } = part
  if (type === 'text' && typeof text === 'string') return <LongText text={text} name={name} />
  if (type === 'image' && typeof data === 'string' && isImage(mimeType))
    return <Image src={`data:${mimeType};base64,${data}`} alt={texts.call.image} maw={480} radius="sm" />
  if (type === 'audio' && typeof data === 'string')
    return (
      <Text size="sm">{texts.call.audio({ type: String(mimeType), bytes: Math.round((data.length * 3) / 4) })}</Text>
    )
  if (type === 'resource_link') return <ResourceLink part={part} onRead={onRead} />
  if (type === 'resource' && isObject(resource)) return <Resource resource={resource} name={name} />
  return <CodeBlock label={name}>{JSON.stringify(part, null, 2)}</CodeBlock>
}

/** Pictures only: a drawing may have scripts, but not where it is shown as an image (HTML standard, img). */
const isImage = (type: unknown): type is string => typeof type === 'string' && /^image\/[\w.+-]+$/.test(type)

const MOST_SHOWN = 20_000

export function LongText({ text, name }: { text: string; name: string }) {
  const [all, setAll] = useState(false)
  const short = all || text.length <= MOST_SHOWN ? text : text.slice(0, MOST_SHOWN)
  return (
    <>
      <CodeBlock label={name}>{short === '' ? ' ' : short}</CodeBlock>
      {short === text ? null : (
        <Button size="xs" variant="default" onClick={() => setAll(true)} style={{ alignSelf: 'flex-start' }}>
          {texts.call.showAll({ characters: text.length })}
        </Button>
      )}
    </>
  )
}

/** The contents of a resource that was read, with a control to read on where it is long. */
export function Contents({ contents, onRead }: { contents: Json | undefined; onRead: ContentProps['onRead'] }) {
  const parts = Array.isArray(contents) ? (contents as readonly Json[]).filter(isObject) : []
  return (
    <Stack gap="sm">
      {parts.map((resource, at) => (
        // Several parts may have one address.
        <Stack key={at} gap="xs">
          <Resource resource={resource} name={texts.call.part({ at: at + 1 })} />
          <Onward resource={resource} onRead={onRead} />
        </Stack>
      ))}
    </Stack>
  )
}

function Onward({ resource: { uri, _meta: meta }, onRead }: { resource: JsonObject; onRead: ContentProps['onRead'] }) {
  const range = isObject(meta) ? meta['dev.toolway/range'] : undefined
  if (!isObject(range)) return null
  const [begin, total] = [Number(range['offset']), Number(range['total'])]
  const end = begin + Number(range['length'])
  return (
    <Group gap="sm">
      <Text size="sm" c="dimmed">
        {texts.call.range({ begin, end, total })}
      </Text>
      {end >= total || onRead === undefined ? null : (
        <Button size="xs" variant="default" onClick={() => onRead(partOf(String(uri), end))}>
          {texts.call.readOn}
        </Button>
      )}
    </Group>
  )
}

/** Results that the gateway stored are read in parts short enough to display (docs/guides/results.md). */
const KEPT = /^toolway:\/\/results\//
const partOf = (uri: string, offset: number): string => `${uri.split('?', 1)[0]}?offset=${offset}&length=${MOST_SHOWN}`

function ResourceLink({ part, onRead }: { part: JsonObject; onRead: ContentProps['onRead'] }) {
  const uri = String(part['uri'])
  const title = String(part['title'] ?? part['name'] ?? uri)
  if (safeAddress(uri) !== undefined) return <OutsideLink to={uri}>{visibleText(title)}</OutsideLink>
  return (
    <Stack gap={4} align="flex-start">
      <Text size="sm" className="breakable">
        {visibleText(`${title}: ${uri}`)}
      </Text>
      {onRead === undefined ? null : (
        <Button size="xs" variant="default" onClick={() => onRead(KEPT.test(uri) ? partOf(uri, 0) : uri)}>
          {texts.call.read({ title })}
        </Button>
      )}
    </Stack>
  )
}

function Resource({ resource, name }: { resource: JsonObject; name: string }) {
  const { uri, text, blob, mimeType } = resource
  return (
    <Stack gap={4}>
      <Text size="sm" c="dimmed" className="breakable">
        {visibleText(String(uri))}
      </Text>
      {typeof text === 'string' ? (
        <LongText text={text} name={name} />
      ) : typeof blob === 'string' && isImage(mimeType) ? (
        <Image src={`data:${mimeType};base64,${blob}`} alt={texts.call.image} maw={480} radius="sm" />
      ) : (
        <Text size="sm">{texts.call.bytes({ count: Math.round((String(blob ?? '').length * 3) / 4) })}</Text>
      )}
    </Stack>
  )
}
