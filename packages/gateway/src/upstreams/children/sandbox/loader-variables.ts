/**
 * Variables that make the dynamic loader or a shell run other code. A connection may declare them for its program; the programs
 * that confine it run before with more rights, and must not obey them.
 */
import { findTool } from './tools.ts'

const UNSAFE =
  /^(?:LD_|MALLOC_|BASH|GCONV_PATH$|GETCONF_DIR$|GLIBC_TUNABLES$|LOCPATH$|NLSPATH$|TZDIR$|ENV$|SHELLOPTS$|PS4$|IFS$)/

interface Variables {
  readonly safe: Readonly<Record<string, string>>
  readonly unsafe: Readonly<Record<string, string>>
}

export function splitLoaderVariables(env: Readonly<Record<string, string>>): Variables {
  const [safe, unsafe] = [true, false].map((requested) =>
    Object.fromEntries(Object.entries(env).filter(([name]) => UNSAFE.test(name) !== requested)),
  )
  return { safe: safe ?? {}, unsafe: unsafe ?? {} }
}

/** Of a shell that is bash, where they cannot be set. They hold no secret. */
const READ_ONLY = /^(?:SHELLOPTS|BASHOPTS|BASH_VERSINFO)$|[^A-Z0-9_]/i
const variableAt = (at: number): string => `TOOLWAY_HELD_${at}`

/**
 * The program with the variables that were held back: the last step, after all rights are given up. Until then they have other
 * names. Their values, which may be secrets (`LD_SDK_KEY`), stand on no command line, which everybody on the machine can read.
 */
export function finalStep(unsafe: Variables['unsafe'], program: readonly string[]): FinalStep {
  const entries = Object.entries(unsafe)
  if (entries.length === 0) return { program, env: {} }
  const words = entries.filter(([name]) => READ_ONLY.test(name)).map(([name, value]) => `${name}=${value}`)
  const renamed = entries.filter(([name]) => !READ_ONLY.test(name))
  // Names of letters, digits and underscores only.
  const script = renamed.map(([name], at) => `${name}=$${variableAt(at)}; export ${name}; unset ${variableAt(at)}`)
  return {
    program: [
      '/bin/sh',
      '-c',
      [...script, 'exec "$@"'].join('\n'),
      'toolway-final',
      findTool('env'),
      ...words,
      ...program,
    ],
    env: Object.fromEntries(renamed.map(([, value], at) => [variableAt(at), value])),
  }
}

interface FinalStep {
  readonly program: readonly string[]
  /** Besides the safe variables. */
  readonly env: Readonly<Record<string, string>>
}
