/**
 * Finds and masks secrets in a command or an address.
 *
 * Values of variables and headers are always secret and are masked by the code that prints them. Arguments and addresses may hold
 * secrets too; here a generous guess is made from the flag before them, their own form and their length. A false positive only
 * hides a word on a screen. Never prints any part of a suspected secret.
 */
export const MASK = '•••'

const TELLING_NAME =
  /(?:token|secret|passw|passphrase|credential|api.?key|access.?key|private.?key|bearer|(?:^|[-_.])(?:key|auth|authorization|headers?|pat|dsn)(?:$|[-_.]))/i
const TELLING_FORM =
  /^(?:sk|pk|rk|ghp|gho|ghu|ghs|github_pat|glpat|xox[abeprs]|ya29|AKIA|ASIA|eyJ|figd|lin_api|ntn|secret|tvly|npm|pypi|dop_v1|shp(?:at|ss)|AIza)[-_.]?[\w-]{10,}|^(?:bearer|basic)\s/i
const SCHEME_ALONE = /(?:^|[\s"':=])(?:bearer|basic|token):?$/i
const TELLING_INSIDE = /(?:passw(?:or)?d|pwd|secret|token|key)\s*[=:]/i
const ASSIGNMENT = /^(-{0,2}[A-Za-z_][\w.-]*)=([^]+)$/

/** Whether a name says that what it names is a secret. */
export const isTellingName = (name: string): boolean => TELLING_NAME.test(name)

/** Whether a value has the form that a vendor gives its tokens, also within brackets or quotes. */
export const hasSecretForm = (value: string): boolean => TELLING_FORM.test(value.replace(/^[^\p{L}\p{N}]+/u, ''))

/** Positions of the arguments to mask; `known` are those that a variable or an input went into. */
export function secretArguments(args: readonly string[], known: ReadonlySet<number> = new Set()): number[] {
  return args.flatMap((arg, at) => {
    // docker gives a variable after -e, curl a header after -H: their values are secret whatever they are called.
    const before = args[at - 1] ?? ''
    const flag = args[at - 2] ?? ''
    // Some programs take name and value of a header as two words; in a line of words, a scheme stands before its credential.
    const isName = flag === '--headers' || (flag === '-H' && /^(?:authorization|cookie|\w+(?:-\w+)+)$/i.test(before))
    const second = (isName && !/[:=]./.test(before)) || SCHEME_ALONE.test(before)
    const named = /^(?:-H|--headers?)$/.test(before) || second || (/^-[^=]*$/.test(before) && TELLING_NAME.test(before))
    const variable = /^(?:-e|--env)$/.test(before) && ASSIGNMENT.test(arg)
    return known.has(at) || variable || (named && !arg.startsWith('--')) || looksSecret(arg) ? [at] : []
  })
}

/** How an argument with a secret is shown: the name of an assignment stays, its value does not. */
export function maskArgument(arg: string): string {
  const name = ASSIGNMENT.exec(arg)?.[1]
  return name === undefined ? MASK : `${name}=${MASK}`
}

/** Arguments as they may be shown and logged. `known` as for `secretArguments`. */
export function maskArguments(args: readonly string[], known?: ReadonlySet<number>): string[] {
  const secret = new Set(secretArguments(args, known))
  return args.map((arg, at) => (secret.has(at) ? maskArgument(arg) : arg))
}

/** The secrets in arguments, to be hidden in whatever the program prints: of an assignment its value, else the argument. */
export const secretValues = (args: readonly string[], known?: ReadonlySet<number>): string[] =>
  secretArguments(args, known).flatMap((at) => {
    const arg = args[at] ?? ''
    return [ASSIGNMENT.exec(arg)?.[2] ?? arg]
  })

/** A command that is a whole line, as some clients allow, with its secret words masked. */
export const maskCommand = (command: string): string => maskArguments(command.match(WORD) ?? []).join(' ')

/** A word of a command line, with the spaces that stand in quotes. */
const WORD = /(?:"[^"]*"|'[^']*'|[^\s"']|["'])+/g

/** A name that a message quotes: its words stay, but for those that have the form of a secret or follow the name of a scheme. */
export function maskName(name: string): string {
  const words = name.split(/(\s+)/)
  return words
    .map((word, at) => {
      const secret = hasSecretForm(word) || (isRandom(word) && !IDENTIFIER.test(word))
      return secret || (word !== '' && SCHEME_ALONE.test(words[at - 2] ?? '')) ? MASK : word
    })
    .join('')
}

/** Words with underscores or dashes between them, as variables and tools are named. */
const IDENTIFIER = /^(?=.*[_-])(?:[A-Z]+|[a-z]+|\d{1,4})(?:[_-](?:[A-Z]+\d?|[a-z]+\d?|\d{1,4}))*$/

/** A mask as parsers of addresses write it. */
const ENCODED_MASK = encodeURIComponent(MASK)

/** A text with its masks as they were shown, also where a parser of addresses has written them anew. */
export const plainMasks = (text: string): string => text.replaceAll(ENCODED_MASK, MASK)

export const hasMask = (text: string): boolean => plainMasks(text).includes(MASK)

/** An address without what may be secret: user, password, query values, fragment and long random path parts. A masked one stays as it is. */
export function maskUrl(text: string): string {
  const url = URL.parse(text)
  if (!url) return MASK
  const path = url.pathname
    .split('/')
    .map((part) => (part === ENCODED_MASK || isRandom(part) ? MASK : part))
    .join('/')
  const query = [...url.searchParams.keys()].map((name) => `${isRandom(name) ? MASK : name}=${MASK}`).join('&')
  const user = url.username || url.password ? `${MASK}@` : ''
  return `${url.protocol}//${user}${url.host}${path}${query && `?${query}`}`
}

function looksSecret(arg: string): boolean {
  const [, name, value] = ASSIGNMENT.exec(arg) ?? []
  if (name !== undefined && value !== undefined) return TELLING_NAME.test(name) || looksSecret(value)
  if (hasSecretForm(arg) || TELLING_INSIDE.test(arg)) return true
  const url = /^[a-z][a-z0-9+.-]*:\/\//i.test(arg) ? URL.parse(arg) : null
  if (url) return url.password !== '' || url.search !== '' || url.pathname.split('/').some(isRandom)
  return isRandom(arg)
}

/** Long, without the look of a word, a path or a package: letters and digits mixed, at least 20 of them. */
export function isRandom(part: string): boolean {
  return (
    /^[\w.~+=-]{20,}$/.test(part) &&
    /\d/.test(part) &&
    /[A-Za-z]/.test(part) &&
    !/^[a-z0-9.]+(?:-[a-z0-9.]+){2,}$/.test(part)
  )
}
