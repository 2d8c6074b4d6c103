/** The changes to a record stream, and the notifications that follow them. */
import { changeRecordStream, removeRecordStream, testRecordStream, type RecordStream } from '@toolway/contract/admin'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from '../../data/call.ts'
import { useOrganization } from '../../data/me.ts'
import { Problem } from '../../data/problem.ts'
import { texts } from '../../texts/texts.ts'
import { sayDone, sayFailed } from '../../ui/say.tsx'

const t = texts.recordStreams

export type StreamChanges = ReturnType<typeof useStreamChanges>

export function useStreamChanges() {
  const organization = useOrganization()
  const queries = useQueryClient()
  const of = ({ id }: RecordStream) => ({ path: { organization, stream: id } })
  const always = {
    onError: (thrown: Error) => sayFailed(Problem.of(thrown)),
    onSettled: () => queries.invalidateQueries({ queryKey: ['record-streams'] }),
  }
  const test = useMutation({
    ...always,
    mutationFn: (stream: RecordStream) => call(testRecordStream, of(stream)),
    onSuccess: ({ delivered, problem }) => {
      if (delivered) return sayDone(t.tested)
      sayFailed({ message: `${t.notTested}${problem === null ? '' : `: ${problem}`}`, mend: t.testMend })
    },
  })
  const toggle = useMutation({
    ...always,
    mutationFn: (stream: RecordStream) =>
      call(changeRecordStream, { ...of(stream), body: { enabled: !stream.enabled } }),
    onSuccess: ({ enabled }) => sayDone(enabled ? t.switchedOn : t.switchedOff),
  })
  const remove = useMutation({
    ...always,
    mutationFn: (stream: RecordStream) => call(removeRecordStream, of(stream)),
    onSuccess: () => sayDone(t.removed),
  })
  return { test, toggle, remove }
}
