/** `toolway completion`: scripts by which a shell completes commands, options and choices, made of the command line itself. */
import { Argument, Command } from 'commander'

const SHELLS = ['bash', 'zsh', 'fish'] as const
type Shell = (typeof SHELLS)[number]

interface Word {
  readonly word: string
  readonly about: string
}

/** A command with what may follow it. */
interface Place {
  /** The commands that lead there: `connection add`. */
  readonly path: string
  readonly commands: readonly Word[]
  readonly options: readonly Word[]
  /** By an option: the values that it takes. */
  readonly choices: readonly { readonly option: string; readonly values: readonly string[] }[]
}

const completionScript = (program: Command, shell: Shell): string => {
  const places = placesOf(program, [])
  if (shell === 'fish') return fish(places)
  return shell === 'bash' ? bash(places) : zsh(places)
}

function placesOf(command: Command, path: readonly string[]): Place[] {
  const inner = command.commands.filter((item) => item.name() !== 'help')
  const choices = command.options.flatMap((option) =>
    option.argChoices === undefined ? [] : [{ option: option.long ?? option.short ?? '', values: option.argChoices }],
  )
  const words = command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices)
  const commandPlace: Place = {
    path: path.join(' '),
    commands: [
      ...inner.map((item) => ({ word: item.name(), about: item.description() })),
      ...words.map((word) => ({ word, about: '' })),
    ],
    options: [
      ...command.options.flatMap(({ long, description }) =>
        long === undefined || long === null ? [] : [{ word: long, about: description }],
      ),
      { word: '--help', about: 'show help' },
    ],
    choices,
  }
  return [commandPlace, ...inner.flatMap((item) => placesOf(item, [...path, item.name()]))]
}

const patterns = (words: readonly string[]) => words.map((word) => `'${word}'`).join('|')
const listOf = (words: readonly Word[]) => words.map(({ word }) => word).join(' ')

/** The function that bash calls; zsh runs the same by its bashcompinit. */
function bash(places: readonly Place[]): string {
  const paths = places.map(({ path }) => path).filter((path) => path !== '')
  const values = places.flatMap(({ path, choices }) =>
    choices.map(
      ({ option, values: allowed }) =>
        `    '${path} ${option}') COMPREPLY=($(compgen -W '${allowed.join(' ')}' -- "$cur")); return ;;`,
    ),
  )
  const words = places.map(
    ({ path, commands, options }) => `    '${path}') words='${listOf(commands)}'; options='${listOf(options)}' ;;`,
  )
  return `# toolway completion for bash: source it, or save it as ~/.local/share/bash-completion/completions/toolway
_toolway() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" path='' next words='' options='' i
  for ((i = 1; i < COMP_CWORD; i++)); do
    next="\${path:+$path }\${COMP_WORDS[i]}"
    case "$next" in
    ${patterns(paths)}) path="$next" ;;
    esac
  done
  case "$path $before" in
${values.join('\n')}
  esac
  case "$path" in
${words.join('\n')}
  esac
  case "$cur" in
    -*) COMPREPLY=($(compgen -W "$options" -- "$cur")) ;;
    *) COMPREPLY=($(compgen -W "$words" -- "$cur")) ;;
  esac
}
complete -o default -F _toolway toolway
`
}

const zsh = (places: readonly Place[]): string =>
  `# toolway completion for zsh: source it in ~/.zshrc, after compinit.
autoload -U +X bashcompinit && bashcompinit
${bash(places).split('\n').slice(1).join('\n')}`

const shellQuoted = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", String.raw`\'`)}'`

function fish(places: readonly Place[]): string {
  const lines = places.flatMap(({ path, commands, options, choices }) => {
    const when = shellQuoted(`__toolway_at ${shellQuoted(path)}`.replaceAll("'", '"'))
    return [
      ...commands.map(({ word, about }) => `complete -c toolway -f -n ${when} -a ${word} -d ${shellQuoted(about)}`),
      ...options.map(({ word, about }) => {
        const allowed = choices.find(({ option }) => option === word)?.values
        const values = allowed === undefined ? '' : ` -x -a ${shellQuoted(allowed.join(' '))}`
        return `complete -c toolway -n ${when} -l ${word.slice(2)} -d ${shellQuoted(about)}${values}`
      }),
    ]
  })
  const paths = places.map(({ path }) => path).filter((path) => path !== '')
  return `# toolway completion for fish: save it as ~/.config/fish/completions/toolway.fish
function __toolway_at
    set -l path ''
    for word in (commandline -opc)[2..]
        set -l next (string trim "$path $word")
        contains -- $next ${paths.map(shellQuoted).join(' ')}; and set path $next
    end
    test "$path" = "$argv[1]"
end
${lines.join('\n')}
`
}

/** `program`: the command line that it completes; it is known when all of it is made. */
export const completionCommand = (program: Command): Command =>
  new Command('completion')
    .description('print a completion script for a shell')
    .addArgument(new Argument('<shell>', 'the shell').choices(SHELLS))
    .addHelpText(
      'after',
      `
Examples:
  source <(toolway completion bash)
  source <(toolway completion zsh)    # in ~/.zshrc, after compinit
  toolway completion fish > ~/.config/fish/completions/toolway.fish`,
    )
    .action((shell: Shell) => void process.stdout.write(completionScript(program, shell)))
