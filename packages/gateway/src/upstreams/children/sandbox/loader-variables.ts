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

export function apart(env: Readonly<Record<string, string>>): Variables {
  const [safe, unsafe] = [true, false].map((wanted) =>
    Object.fromEntries(Object.entries(env).filter(([name]) => UNSAFE.test(name) !== wanted)),
  )
  return { safe: safe ?? {}, unsafe: unsafe ?? {} }
}

/** The program with the variables that were held back: the last step, after all rights are given up. */
export function finalStep(unsafe: Variables['unsafe'], program: readonly string[]): readonly string[] {
  const words = Object.entries(unsafe).map(([name, value]) => `${name}=${value}`)
  return words.length === 0 ? program : [findTool('env'), ...words, ...program]
}
