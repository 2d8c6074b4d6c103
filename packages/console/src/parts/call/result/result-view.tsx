/** A result in three ways: what a person reads, what a program reads, and every message as it was on the wire. */
import { Stack, Tabs } from '@mantine/core'
import { texts } from '../../../texts/texts.ts'
import { CodeBlock } from '../../../ui/copy.tsx'
import { Failed } from '../../../ui/failed.tsx'
import type { Run } from '../runs.ts'
import { Content, Contents } from './content.tsx'
import { Told } from './call-notes.tsx'

export interface ResultViewProps {
  readonly run: Run
  readonly onRead?: ((uri: string) => void) | undefined
}

export function ResultView({ run, onRead }: ResultViewProps) {
  const { result, failure, wire } = run
  const t = texts.call
  const structured = result?.['structuredContent']
  return (
    <Stack gap="sm">
      {failure === undefined ? null : <Failed failure={failure} />}
      {result === undefined ? null : <Told result={result} />}
      <Tabs defaultValue="text" keepMounted={false} variant="outline">
        <Tabs.List mb="sm">
          {result === undefined ? null : <Tabs.Tab value="text">{t.result}</Tabs.Tab>}
          {structured === undefined ? null : <Tabs.Tab value="structured">{t.structured}</Tabs.Tab>}
          <Tabs.Tab value="raw">{t.raw}</Tabs.Tab>
        </Tabs.List>
        {result === undefined ? null : (
          <Tabs.Panel value="text">
            {run.method === 'resources/read' ? (
              <Contents contents={result['contents']} onRead={onRead} />
            ) : (
              <Content content={result['content']} onRead={onRead} />
            )}
          </Tabs.Panel>
        )}
        {structured === undefined ? null : (
          <Tabs.Panel value="structured">
            <CodeBlock label={t.structured}>{JSON.stringify(structured, null, 2)}</CodeBlock>
          </Tabs.Panel>
        )}
        <Tabs.Panel value="raw">
          <CodeBlock label={t.raw}>{wireText(wire)}</CodeBlock>
        </Tabs.Panel>
      </Tabs>
    </Stack>
  )
}

const wireText = (wire: Run['wire']): string =>
  wire
    .map(({ at, direction, message }) => {
      const time = new Date(at).toISOString().slice(11, 23)
      return `${direction === 'sent' ? '→' : '←'} ${time}\n${JSON.stringify(message, null, 2)}`
    })
    .join('\n\n')
