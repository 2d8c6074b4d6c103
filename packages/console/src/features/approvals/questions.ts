/** Queries and mutations of approvals: a grant can be undone as long as the call has not been made. */
import { answerApproval, endLastingApproval, getApproval, listApprovals, type Approval } from '@toolway/contract/admin'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from '../../data/call.ts'
import { useOrganization } from '../../data/me.ts'
import { ask } from '../../data/queries.ts'
import { sayProblem } from '../../parts/say-problem.ts'
import { texts } from '../../texts/texts.ts'
import { sayDone } from '../../ui/say.tsx'

export type ApprovalState = Approval['state']
export type Verdict = 'grant' | 'always' | 'deny'

export const approvalsQuery = (organization: string, state: ApprovalState | undefined, offset: number) =>
  ask('approvals', listApprovals, { path: { organization }, query: { state, offset, limit: 50 } })

export const approvalQuery = (organization: string, approval: string) =>
  ask('approvals', getApproval, { path: { organization, approval } })

export interface GivenAnswer {
  readonly approval: Approval
  readonly answer: Verdict
  readonly note: string
}

export function useAnswer() {
  const organization = useOrganization()
  const queries = useQueryClient()
  const again = () => queries.invalidateQueries({ queryKey: ['approvals'] })
  const send = ({ approval, answer, note }: GivenAnswer) =>
    call(answerApproval, {
      path: { organization, approval: approval.id },
      body: { answer, ...(note === '' ? {} : { note }) },
    })
  /**
   * Undoes a grant and returns the outcome in words. A standing grant is ended, so that later calls need approval again, though
   * one may already have been made.
   */
  const takeBack = async (input: GivenAnswer, lasting: string | undefined): Promise<string> => {
    const { always, said: t } = texts.approvals
    const { tool } = input.approval
    const denied = send({ ...input, answer: 'deny', note: t.takenBack }).then(() => t.denied({ tool }))
    if (lasting === undefined) return denied
    const ended = await denied.catch(() => undefined)
    // A no takes it along.
    if (ended !== undefined) return ended
    await call(endLastingApproval, { path: { organization, lasting } })
    return always.done({ tool })
  }
  const answer = useMutation({
    mutationFn: send,
    onSuccess: ({ state, missing, lasting }, input) => {
      const t = texts.approvals.said
      const { tool } = input.approval
      if (state === 'denied') return sayDone(t.denied({ tool }))
      // A call may have used it by then: whoever is too late is told so.
      const undo = () =>
        void takeBack(input, lasting)
          .then(sayDone)
          .catch(sayProblem)
          .finally(() => void again())
      const done = lasting === undefined ? t.granted({ tool }) : t.always({ tool })
      sayDone(state === 'pending' ? t.more({ missing }) : done, undo)
    },
    onError: sayProblem,
    onSettled: again,
  })
  return answer
}
