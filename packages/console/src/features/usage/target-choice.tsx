/** The availability that the organization wants, and its choice by those who may change settings. */
import { Select } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { changeSettings } from '@toolway/contract/admin'
import { call } from '../../data/call.ts'
import { useMay, useOrganization } from '../../data/me.ts'
import { sayProblem } from '../../parts/say-problem.ts'
import { texts } from '../../texts/texts.ts'
import { sayDone } from '../../ui/say.tsx'
import { percent } from '../../ui/times.ts'

const t = texts.serviceLevels

const TARGETS = [95, 99, 99.5, 99.9, 99.95, 99.99]

export function TargetChoice({ target }: { target: number }) {
  const organization = useOrganization()
  const queries = useQueryClient()
  const may = useMay('tenant_update')
  const save = useMutation({
    mutationFn: (requested: number) =>
      call(changeSettings, { path: { organization }, body: { availability_target: requested } }),
    onSuccess: () => {
      sayDone(t.saved)
      return Promise.all(['stats', 'settings'].map((noun) => queries.invalidateQueries({ queryKey: [noun] })))
    },
    onError: sayProblem,
  })
  const choices = [...new Set([...TARGETS, target])].toSorted((first, other) => first - other)
  return (
    <Select
      label={t.target}
      description={t.targetHint}
      data={choices.map((value) => ({ value: String(value), label: percent(value, 2) }))}
      value={String(target)}
      allowDeselect={false}
      disabled={!may || save.isPending}
      maw={360}
      onChange={(next) => {
        if (next !== null && Number(next) !== target) save.mutate(Number(next))
      }}
    />
  )
}
