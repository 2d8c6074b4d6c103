/** The changes to a record stream, and the notifications that follow them. */
import type { RecordStream } from '@toolway/contract/admin'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { localized } from '../../texts/gateway-words.ts'
import { sayProblem } from '../../parts/say-problem.ts'
import { texts } from '../../texts/texts.ts'
import { sayDone, sayFailed } from '../../ui/say.tsx'
import type { StreamCalls } from './stream-owner.ts'

const t = texts.recordStreams

export type StreamChanges = ReturnType<typeof useStreamChanges>

export function useStreamChanges(calls: StreamCalls) {
  const queries = useQueryClient()
  const always = {
    onError: sayProblem,
    onSettled: () => queries.invalidateQueries({ queryKey: ['record-streams'] }),
  }
  const test = useMutation({
    ...always,
    mutationFn: ({ id }: RecordStream) => calls.test(id),
    onSuccess: ({ delivered, problem }) => {
      if (delivered) return sayDone(t.tested)
      sayFailed({ message: `${t.notTested}${problem === null ? '' : `: ${localized(problem)}`}`, mend: t.testMend })
    },
  })
  const toggle = useMutation({
    ...always,
    mutationFn: ({ id, enabled }: RecordStream) => calls.change(id, { enabled: !enabled }),
    onSuccess: ({ enabled }) => sayDone(enabled ? t.switchedOn : t.switchedOff),
  })
  const remove = useMutation({
    ...always,
    mutationFn: ({ id }: RecordStream) => calls.remove(id),
    onSuccess: () => sayDone(t.removed),
  })
  return { test, toggle, remove }
}
