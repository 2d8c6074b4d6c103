/** The changes to a webhook, and the notifications that follow them. */
import { changeWebhook, removeWebhook, rotateWebhookSecret, testWebhook, type Webhook } from '@toolway/contract/admin'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from '../../data/call.ts'
import { useOrganization } from '../../data/me.ts'
import { localized } from '../../texts/gateway-words.ts'
import { sayProblem } from '../../parts/say-problem.ts'
import { texts } from '../../texts/texts.ts'
import { sayDone, sayFailed } from '../../ui/say.tsx'

const t = texts.webhooks

export type WebhookChanges = ReturnType<typeof useWebhookChanges>

/** @param onSecret hears of a new one, which is shown once */
export function useWebhookChanges(onSecret: (secret: string) => void) {
  const organization = useOrganization()
  const queries = useQueryClient()
  const of = ({ id }: Webhook) => ({ path: { organization, webhook: id } })
  const always = {
    onError: sayProblem,
    onSettled: () => queries.invalidateQueries({ queryKey: ['webhooks'] }),
  }
  const test = useMutation({
    ...always,
    mutationFn: (webhook: Webhook) => call(testWebhook, of(webhook)),
    onSuccess: ({ delivered, status, problem }) => {
      if (delivered) return sayDone(t.tested({ status: String(status ?? '') }))
      sayFailed({ message: `${t.notDelivered}${problem === null ? '' : `: ${localized(problem)}`}`, mend: t.testMend })
    },
  })
  const rotate = useMutation({
    ...always,
    mutationFn: (webhook: Webhook) => call(rotateWebhookSecret, of(webhook)),
    onSuccess: ({ secret }) => onSecret(secret),
  })
  const store = (webhook: Webhook) => call(changeWebhook, { ...of(webhook), body: { enabled: webhook.enabled } })
  const toggle = useMutation({
    ...always,
    mutationFn: store,
    onSuccess: (_, webhook) => {
      const undo = () =>
        void store({ ...webhook, enabled: !webhook.enabled })
          .catch(always.onError)
          .finally(() => void always.onSettled())
      sayDone(webhook.enabled ? t.switchedOn : t.switchedOff, undo)
    },
  })
  const remove = useMutation({
    ...always,
    mutationFn: (webhook: Webhook) => call(removeWebhook, of(webhook)),
    onSuccess: () => sayDone(t.removed),
  })
  return { test, rotate, toggle, remove }
}
