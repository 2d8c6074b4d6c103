/**
 * All English words are in one file, and a browser needs those of the screen that it shows: a build gives each section a module of
 * its own, and whoever says `texts.home` the sections that it names, so that words come with the screens that say them.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseSync, transformWithOxc, type Plugin } from 'vite'

const TEXTS = join(import.meta.dirname, 'src/texts/texts.ts')
const ENGLISH = join(import.meta.dirname, 'src/texts/en.ts')
/** Followed by the names of sections. */
const SOME = '\0texts:'
/** Followed by the name of one. */
const ONE = '\0text:'

export function textsBySection(): Plugin {
  let sections: Promise<ReadonlyMap<string, string>> | undefined
  return {
    name: 'texts-by-section',
    apply: 'build',
    enforce: 'pre',
    buildStart() {
      sections = undefined
      this.addWatchFile(ENGLISH)
    },
    async resolveId(source, importer) {
      if (source.startsWith(ONE)) return source
      if (importer === undefined || !source.endsWith('/texts.ts')) return undefined
      const found = await this.resolve(source, importer, { skipSelf: true })
      if (found?.id !== TEXTS) return found
      const named = sectionsNamed(await readFile(importer, 'utf8'))
      return named === undefined ? found : SOME + named.join(',')
    },
    async load(id) {
      if (id.startsWith(SOME)) return gathered(id.slice(SOME.length).split(','))
      if (!id.startsWith(ONE)) return undefined
      const name = id.slice(ONE.length)
      sections ??= readSections()
      const text = (await sections).get(name)
      if (text === undefined) throw new Error(`There is no section ${name} in ${ENGLISH}.`)
      return `export const ${name} = ${text}`
    },
  }
}

/** Undefined where a file does more with them than name sections: then it gets all. */
function sectionsNamed(code: string): string[] | undefined {
  const uses = code.replaceAll(/^import .*$/gm, '').matchAll(/(?<!(?<!\.\.)\.|[\w'-])texts\b(?:\.(\w+))?(?!['-])/g)
  const named = [...uses].map(([, name]) => name)
  return named.length === 0 || named.includes(undefined) ? undefined : [...new Set(named as string[])].sort()
}

const gathered = (names: readonly string[]): string =>
  [
    ...names.map((name) => `import { ${name} } from ${JSON.stringify(ONE + name)}`),
    `export const texts = { ${names.join(', ')} }`,
  ].join('\n')

async function readSections(): Promise<ReadonlyMap<string, string>> {
  const { code } = await transformWithOxc(await readFile(ENGLISH, 'utf8'), ENGLISH)
  const found = new Map<string, string>()
  for (const statement of parseSync('en.js', code).program.body) {
    if (statement.type !== 'ExportNamedDeclaration' || statement.declaration?.type !== 'VariableDeclaration') continue
    const [{ init } = { init: null }] = statement.declaration.declarations
    if (init?.type !== 'ObjectExpression') continue
    for (const property of init.properties)
      if (property.type === 'Property' && property.key.type === 'Identifier')
        found.set(property.key.name, code.slice(property.value.start, property.value.end))
  }
  return found
}
