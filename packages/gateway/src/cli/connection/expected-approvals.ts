/**
 * The end of `connection add`, `connection login` and `import`, as far as it is about approvals: how many tools ask, how many of these their
 * server marks read-only, and the command that trusts it. At a terminal it is a question; nothing is said where no tool asks.
 */
import { getApprovalForecast, getToolLock, setToolLock, type ApprovalForecast } from '@toolway/contract/admin'
import type { Printed } from '../command.ts'
import type { Output } from '../terminal/output.ts'
import { askYes } from '../terminal/terminal.ts'
import { Refusal, type Transport } from '../transport/transport.ts'
import type { Addressed } from './contact.ts'

const ask = (count: number): string => (count === 1 ? 'asks' : 'ask')

interface Expected extends ApprovalForecast {
  readonly alias: string
}

/** The lines of one connection; none where no tool asks. */
export function approvalLines({ alias, tools, asking, marked, ...then }: Expected): string[] {
  if (asking === 0) return []
  const first = `${whichOf({ alias, tools, asking })} for an approval before a call, as rules stand.`
  if (marked === 0) return [then.trusted ? first : `${first} ${noneMarkedReadOnly(alias)}`]
  return [
    `${first} Its server marks ${marked} of them read-only, which does not count until you trust it.`,
    `\`toolway lock trust ${alias}\` trusts what the server says about its tools. ${restOf(then)}`,
  ]
}

function whichOf({ alias, tools, asking }: Pick<Expected, 'alias' | 'tools' | 'asking'>): string {
  if (asking < tools) return `${asking} of the ${tools} tools of ${alias} ${ask(asking)}`
  return tools === 1 ? `The only tool of ${alias} asks` : `All ${tools} tools of ${alias} ask`
}

const noneMarkedReadOnly = (alias: string): string =>
  `Its server marks none read-only; \`toolway lock effect ${alias} TOOL read\` marks one.`

const restOf = ({ asking_if_trusted: left }: Pick<ApprovalForecast, 'asking_if_trusted'>): string =>
  left === 0 ? 'None of its tools asks then.' : `${left} of its tools still ${ask(left)} then.`

interface Named {
  readonly organization: string
  readonly aliases: readonly string[]
}

/**
 * The printed answer of a command, with what there is to say of approvals. At a terminal the answer is printed first, and then each
 * server with read-only marks is asked about. A person who may not know, and an older gateway, get the answer as it is.
 */
export async function withApprovals(
  transport: Transport,
  { organization, aliases }: Named,
  printed: Printed,
  output: Output,
): Promise<Printed> {
  const found: Expected[] = []
  for (const alias of aliases) {
    const forecast = await findForecast(transport, { organization, alias })
    if (forecast !== undefined && forecast.asking > 0) found.push({ alias, ...forecast })
  }
  if (found.length === 0) return printed
  const lines = [...printed.lines, ...found.flatMap(approvalLines)]
  const marked = found.filter((expected) => expected.marked > 0)
  if (output.json || !process.stdin.isTTY || marked.length === 0)
    return { ...printed, value: { ...(printed.value as object), approvals: found }, lines }
  output.result(printed.value, lines)
  for (const { alias } of marked) await offerTrust(transport, { organization, alias }, output)
  return { ...printed, value: undefined }
}

const findForecast = ({ call }: Transport, { organization, alias }: Addressed) =>
  call(getApprovalForecast, { params: { organization, connection: alias } }).catch((thrown: unknown) => {
    if (thrown instanceof Refusal) return undefined
    throw thrown
  })

async function offerTrust({ call }: Transport, { organization, alias }: Addressed, output: Output): Promise<void> {
  if (!(await askYes(`Trust what the server of ${alias} says about its tools?`))) return
  const params = { organization, connection: alias }
  const { mode } = await call(getToolLock, { params })
  await call(setToolLock, { params, body: { mode, trusted: true } })
  output.progress(`The effects stated by the server of ${alias} are used from now on.`)
}
