/** Short news at the edge of the window: what was done, with a way to undo it; what failed stays until it is closed. */
import { Button, Group, Text } from '@mantine/core'
import type { NotificationData } from '@mantine/notifications'
import { lazy, Suspense, useSyncExternalStore } from 'react'
import { texts } from '../texts/texts.ts'
import { Failed, type Failure } from './failed.tsx'

/** Milliseconds in which something can still be undone. */
const UNDO_MS = 8_000

const load = () => import('./notes.tsx')
const Notes = lazy(() => load().then(({ Notes }) => ({ default: Notes })))

/** How many there were; the place for them is made for the first. */
let count = 0
let listener: () => void = () => undefined
const listen = (onNews: () => void) => {
  listener = onNews
  return () => undefined
}

/** Stands once in the page, and shows whatever is said below. */
export function News() {
  const some = useSyncExternalStore(listen, () => count > 0)
  return some ? (
    <Suspense>
      <Notes />
    </Suspense>
  ) : null
}

function say(data: Omit<NotificationData, 'id'>): string {
  const id = `news-${(count += 1)}`
  listener()
  void load().then(({ show }) => show({ id, ...data }))
  return id
}
const unsay = (id: string) => void load().then(({ hide }) => hide(id))

export function sayDone(message: string, undo?: () => void): void {
  const id = say({
    color: 'teal',
    autoClose: undo === undefined ? 4_000 : UNDO_MS,
    closeButtonProps: { 'aria-label': texts.close },
    message:
      undo === undefined ? (
        message
      ) : (
        <Group justify="space-between" wrap="nowrap">
          <Text size="sm">{message}</Text>
          <Button
            size="xs"
            variant="default"
            style={{ flexShrink: 0 }}
            onClick={() => {
              unsay(id)
              undo()
            }}
          >
            {texts.undo}
          </Button>
        </Group>
      ),
  })
}

export function sayFailed(failure: Failure): void {
  say({
    color: 'red',
    autoClose: false,
    withBorder: false,
    closeButtonProps: { 'aria-label': texts.close },
    message: <Failed failure={failure} />,
  })
}
