/** The servers of one configuration as rows: which of them are wanted, what each still lacks, and how far each is. */
import { aliasOf } from '@toolway/contract'
import { listConnections, type Connection } from '@toolway/contract/admin'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useOrganization } from '../../../data/me.ts'
import { askAll } from '../../../data/pages.ts'
import type { Problem } from '../../../data/problem.ts'
import { texts } from '../../../texts/texts.ts'
import { isThere, missingIn, nameOf, twinOf, type Draft } from './draft.ts'
import { useConnectOne } from './use-connect-one.ts'
import { useMayStart } from './use-may-start.ts'

const review = texts.importReview

export type Progress =
  | { readonly at: 'idle' | 'waiting' | 'busy' }
  | { readonly at: 'connected'; readonly alias: string; readonly tools: number }
  | { readonly at: 'sign-in'; readonly alias: string }
  | { readonly at: 'failed'; readonly alias: string | undefined; readonly problem: Problem }

export interface Row {
  readonly draft: Draft
  /** Undefined: nobody said; what is not there yet is wanted. */
  readonly wanted: boolean | undefined
  readonly progress: Progress
  /** The names of values that were missing when the text was pasted: their fields stay visible while they are filled in. */
  readonly asks: readonly string[]
  /** Its header names a key that was not in the configuration. */
  readonly asksKey: boolean
  /** Its name is being changed: the field stays. */
  readonly naming: boolean
}

/** The alias that what was made of it has for good. */
const madeOf = ({ progress }: Row): string | undefined => ('alias' in progress ? progress.alias : undefined)
const aliasIn = (row: Row): string => madeOf(row) ?? aliasOf(nameOf(row.draft))

const lacksKey = ({ auth, key }: Draft): boolean => auth === 'api_key' && key.trim() === ''

/** A row with what follows from the others and from the connections. */
export interface SeveralServer {
  readonly row: Row
  readonly wanted: boolean
  /** Alias of the connection that it is already. */
  readonly there: string | undefined
  /** Another of the same configuration that reaches the same. */
  readonly twin: Draft | undefined
  readonly alias: string
  /** Why its name cannot be taken. */
  readonly nameProblem: string | undefined
  readonly may: boolean
}

export function useSeveralRows(drafts: readonly Draft[]) {
  const mayStart = useMayStart()
  const connectOne = useConnectOne()
  const [rows, setRows] = useState<readonly Row[]>(() =>
    drafts.map((draft) => ({
      draft,
      wanted: draft.off ? false : undefined,
      progress: { at: 'idle' },
      asks: missingIn(draft).map(({ name }) => name),
      asksKey: lacksKey(draft),
      naming: false,
    })),
  )
  const change = (at: number, next: Partial<Row>) =>
    setRows((before) => before.map((row, index) => (index === at ? { ...row, ...next } : row)))
  const may = ({ draft }: Row) => draft.kind !== 'program' || mayStart
  const path = { organization: useOrganization() }
  const connections = useQuery(askAll('connections', listConnections, { path }))
  const [before, setBefore] = useState<readonly Connection[]>()
  // Connections added by this import do not mark their rows as existing before.
  if (before === undefined && connections.data !== undefined) setBefore(connections.data.items)
  const there = ({ draft }: Row) => before?.find((item) => isThere(draft, item))
  const twins = drafts.map((_, at) => twinOf(drafts, at))
  /** A server that another entry reaches too is not selected, unless the person selects it or gives it another name. */
  const isWanted = (row: Row) => {
    const at = rows.indexOf(row)
    return row.wanted ?? (row.draft.name !== drafts[at]?.name || (there(row) === undefined && twins[at] === undefined))
  }
  const isOpen = (row: Row) => isWanted(row) && may(row) && (row.progress.at === 'idle' || row.progress.at === 'failed')
  const open = rows.filter(isOpen)
  /** Two with one name would get aliases that nobody chose. */
  const nameProblem = (row: Row) => {
    if (!isOpen(row) || madeOf(row) !== undefined) return undefined
    const alias = aliasIn(row)
    if (before?.some((item) => item.alias === alias)) return review.taken({ alias })
    const others = rows.filter((item) => item !== row && ((isWanted(item) && may(item)) || madeOf(item) !== undefined))
    return others.some((item) => aliasIn(item) === alias) ? review.takenHere({ alias }) : undefined
  }
  const isIncomplete = (row: Row) =>
    missingIn(row.draft).length > 0 || lacksKey(row.draft) || nameProblem(row) !== undefined
  const isBusy = rows.some(({ progress }) => progress.at === 'busy' || progress.at === 'waiting')

  /** One after another: a machine that starts ten programs at once serves nobody. */
  const connectAll = async () => {
    const turn = rows.flatMap((row, at) => (isOpen(row) ? [{ row, at }] : []))
    for (const { at } of turn) change(at, { progress: { at: 'waiting' } })
    for (const { row, at } of turn) {
      change(at, { progress: { at: 'busy' } })
      change(at, { progress: await connectOne(row.draft, at) })
    }
  }

  const servers = rows.map((row, at): SeveralServer => ({
    row,
    wanted: isWanted(row),
    there: there(row)?.alias,
    twin: rows.find((_, index) => drafts[index] === twins[at])?.draft,
    alias: aliasIn(row),
    nameProblem: nameProblem(row),
    may: may(row),
  }))
  const isReady = !connections.isPending && open.length > 0 && !open.some(isIncomplete)
  return { rows, servers, open, isReady, isBusy, change, connectAll }
}
