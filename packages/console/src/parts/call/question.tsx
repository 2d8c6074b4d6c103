/** A question from the server in the middle of a call, as a client shows it to its user: a form to fill in, or a page to open. */
import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import { texts } from '../../texts/texts.ts'
import { Icon } from '../../ui/icon.tsx'
import type { Question } from './mcp/exchange.ts'
import { isObject, type JsonObject } from './mcp/wire.ts'
import { OutsideLink } from './outside-link.tsx'
import { safeAddress } from './safe-address.ts'

const SchemaForm = lazy(() => import('./form/schema-form.tsx'))

export interface QuestionProps {
  readonly question: Question
  readonly onAnswer: (answer: JsonObject) => void
}

export function AskedQuestion({ question, onAnswer }: QuestionProps) {
  const { params, method } = question
  const t = texts.call
  const isPage = params['mode'] === 'url'
  const box = useFocusWhileThere()
  return (
    <Alert
      ref={box}
      tabIndex={-1}
      color="blue"
      icon={<Icon name="help-circle" />}
      title={isPage ? t.asksPage : t.asks}
      role="group"
    >
      <Stack gap="sm">
        <Text size="sm" className="breakable" style={{ whiteSpace: 'pre-wrap' }}>
          {String(params['message'] ?? method)}
        </Text>
        {method !== 'elicitation/create' ? (
          <Unanswerable method={method} onAnswer={onAnswer} />
        ) : isPage ? (
          <PageQuestion address={params['url']} onAnswer={onAnswer} />
        ) : (
          <FormQuestion schema={params['requestedSchema']} onAnswer={onAnswer} />
        )}
      </Stack>
    </Alert>
  )
}

/** Focuses the question while it is shown, because the caller of the tool waits for it, and restores the focus afterwards. */
function useFocusWhileThere() {
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const before = document.activeElement
    box.current?.focus({ preventScroll: true })
    return () => {
      if (before instanceof HTMLElement) before.focus({ preventScroll: true })
    }
  }, [])
  return box
}

function FormQuestion({ schema, onAnswer }: { schema: unknown; onAnswer: QuestionProps['onAnswer'] }) {
  const [content, setContent] = useState<JsonObject>({})
  const accept = () => onAnswer({ action: 'accept', content })
  return (
    <>
      <Suspense fallback={null}>
        <SchemaForm schema={isObject(schema) ? schema : {}} value={content} onChange={setContent} onSubmit={accept} />
      </Suspense>
      <Answers onAccept={accept} accept={texts.call.answer} onAnswer={onAnswer} />
    </>
  )
}

/** Opening the page accepts the question; the call continues when the user has finished there. */
function PageQuestion({ address, onAnswer }: { address: unknown; onAnswer: QuestionProps['onAnswer'] }) {
  const url = safeAddress(address)
  const open = () => {
    window.open(url?.href, '_blank', 'noopener,noreferrer')
    onAnswer({ action: 'accept' })
  }
  return (
    <>
      <OutsideLink to={address} />
      <Answers
        onAccept={url === undefined ? undefined : open}
        accept={texts.call.openPage({ host: url?.host ?? '' })}
        onAnswer={onAnswer}
      />
    </>
  )
}

function Unanswerable({ method, onAnswer }: { method: string; onAnswer: QuestionProps['onAnswer'] }) {
  return (
    <>
      <Text size="sm">{texts.call.unanswerable({ method })}</Text>
      <Answers onAnswer={onAnswer} accept="" />
    </>
  )
}

interface AnswersProps {
  readonly onAccept?: (() => void) | undefined
  readonly accept: string
  readonly onAnswer: QuestionProps['onAnswer']
}

function Answers({ onAccept, accept, onAnswer }: AnswersProps) {
  return (
    <Group gap="xs">
      {onAccept === undefined ? null : (
        <Button size="xs" onClick={onAccept}>
          {accept}
        </Button>
      )}
      <Button size="xs" variant="default" onClick={() => onAnswer({ action: 'decline' })}>
        {texts.call.decline}
      </Button>
      <Button size="xs" variant="subtle" onClick={() => onAnswer({ action: 'cancel' })}>
        {texts.call.dismiss}
      </Button>
    </Group>
  )
}
