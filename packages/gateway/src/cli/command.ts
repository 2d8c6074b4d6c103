/**
 * A command as data: its arguments and options, how it calls operations, and what it prints.
 *
 * The transport decides where the operations are carried out, so that a command is the same here and at a gateway elsewhere.
 */
import { Command, type Argument, type Option } from 'commander'
import { createOutput, EXIT, type Output } from './terminal/output.ts'
import { countWithNoun } from '../lib/count-with-noun.ts'
import type { Transport } from './transport/transport.ts'

export type Finish = (code: number) => void

export interface Printed {
  /** For programs, with --json; undefined where the answer went somewhere else. */
  readonly value: unknown
  /** For people. */
  readonly lines: readonly string[]
  /** For people too, beside the result: on stderr. */
  readonly notes?: readonly string[]
  readonly code?: number
}

/** `Words` are the command's arguments by name, and its options. */
export interface CommandDescription<Words, Answer> {
  readonly name: string
  readonly about: string
  readonly arguments?: readonly Argument[]
  readonly options?: readonly Option[]
  readonly examples: readonly string[]
  /** It is about what belongs to whoever calls: the key in `TOOLWAY_KEY` counts, as it does for `toolway call`. */
  readonly asCaller?: true
  /** Says more, after the options. */
  readonly more?: string
  /** An installation is opened by the first operation: a command that calls none needs none. */
  call(transport: Transport, words: Words, output: Output): Promise<Answer>
  print(answer: Answer, words: Words): Printed
}

/** One that is called with some words; `finish` is told the exit code. */
export type Described = (finish: Finish) => Command

export function describeCommand<Words extends object, Answer>(it: CommandDescription<Words, Answer>): Described {
  return (finish) => {
    const command = new Command(it.name).description(it.about)
    for (const argument of it.arguments ?? []) command.addArgument(argument)
    for (const option of it.options ?? []) command.addOption(option)
    if (it.more !== undefined) command.addHelpText('after', it.more)
    command.addHelpText('after', `\nExamples:\n${it.examples.map((line) => `  ${line}`).join('\n')}`)
    return command.action(async (...input: unknown[]) => {
      const named = command.registeredArguments.map((argument, at) => [argument.name(), input[at]] as const)
      const options: { json?: boolean } = command.opts()
      const words = { ...options, ...Object.fromEntries(named) } as unknown as Words
      finish(await run(it, words, createOutput(options.json ?? false)))
    })
  }
}

async function run<Words, Answer>(
  it: CommandDescription<Words, Answer>,
  words: Words,
  output: Output,
): Promise<number> {
  const { withTransport } = await import('./transport/with-transport.ts')
  const left = { out: 0 }
  const answer = await withTransport((transport) => it.call(countLeftOut(transport, left), words, output), {
    asCaller: it.asCaller === true,
  })
  const { value, lines, notes = [], code = EXIT.ok } = it.print(answer, words)
  if (value !== undefined) output.result(value, lines)
  if (!output.json) for (const note of notes) output.progress(note)
  if (left.out > 0)
    output.progress(
      `${countWithNoun(left.out, 'entry', 'entries')} of this list cannot be read as stored and ${left.out === 1 ? 'is' : 'are'} left out; see the log of the gateway.`,
    )
  return code
}

/** Counts what lists leave out because it cannot be read. */
function countLeftOut(transport: Transport, left: { out: number }): Transport {
  const call: Transport['call'] = async (operation, input) => {
    const answer = await transport.call(operation, input)
    const { unreadable } = (answer ?? {}) as { unreadable?: unknown }
    if (typeof unreadable === 'number') left.out += unreadable
    return answer
  }
  return Object.assign(Object.create(transport) as Transport, { call })
}

/** A command whose subcommands are these. */
export function groupOf(name: string, about: string, commands: readonly Described[], finish: Finish): Command {
  const group = new Command(name).description(about)
  for (const command of commands) group.addCommand(command(finish))
  return group
}
