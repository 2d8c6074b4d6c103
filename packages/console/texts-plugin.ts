/**
 * Compiles the catalogues. A build gives each section of the English texts a module of its own, and whoever says `texts.home` the
 * sections that it names, so that texts come with the screens that say them. German is one script, and the sentences of the gateway are
 * a second: only those load them who read German.
 */
import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { minifySync, transformWithOxc, type Plugin } from 'vite'
import { catalogueOf, filesOf, translated } from './texts-catalogues.ts'
import { compiledSentences, gatewayFiles, gatewaySentences } from './texts-gateway.ts'
import { compiled, compiledMessage, type Catalogue } from './texts-messages.ts'

const TEXTS = join(import.meta.dirname, 'src/texts/texts.ts')
const TIMES = join(import.meta.dirname, 'src/ui/times.ts')
const LOCALIZE = join(import.meta.dirname, 'src/texts/create-localize.ts')
const CHOICE = join(import.meta.dirname, 'language.js')
/** What `texts.ts` imports. */
const ALL = 'virtual:texts'
/** Followed by the names of sections. */
const SOME = '\0texts:'
/** Followed by the name of one. */
const ONE = '\0text:'
/** The addresses of the scripts while the console is worked on; a build gives them names with a hash. */
const SCRIPTS = { choice: '/language.js', german: '/texts/de.js', gateway: '/texts/gateway-de.js' }

export function textsBySection(): Plugin {
  let english: Catalogue | undefined
  let isBuild = false
  let choiceName = ''
  return {
    name: 'texts-by-section',
    enforce: 'pre',
    configResolved({ command }) {
      isBuild = command === 'build'
    },
    async buildStart() {
      english = undefined
      if (!isBuild) return
      for (const file of [...filesOf('en'), ...filesOf('de'), ...gatewayFiles(), CHOICE, LOCALIZE])
        this.addWatchFile(file)
      const emit = (name: string, code: string) => {
        const { code: source } = minifySync(name, `{${code}}`)
        return this.getFileName(this.emitFile({ type: 'asset', name, source }))
      }
      const german = `/${emit('de.js', germanScript())}`
      const gateway = `/${emit('gateway-de.js', await gatewayScript())}`
      choiceName = `/${emit('language.js', choice(german, gateway))}`
    },
    configureServer({ middlewares }) {
      const scripts: Record<string, () => string | Promise<string>> = {
        [SCRIPTS.choice]: () => choice(SCRIPTS.german, SCRIPTS.gateway),
        [SCRIPTS.german]: germanScript,
        [SCRIPTS.gateway]: gatewayScript,
      }
      middlewares.use((request, response, next) => {
        const script = scripts[request.url ?? '']
        if (script === undefined) return next()
        void Promise.resolve(script()).then(
          (code) => response.setHeader('content-type', 'text/javascript').end(code),
          next,
        )
      })
    },
    // Before the script of the modules: what it defers comes before them.
    transformIndexHtml: () => [
      { tag: 'script', attrs: { src: isBuild ? choiceName : SCRIPTS.choice }, injectTo: 'head-prepend' },
    ],
    async resolveId(source, importer) {
      if (source === ALL) return `\0${ALL}`
      if (source.startsWith(ONE)) return source
      if (!isBuild || importer === undefined || !source.endsWith('/texts.ts')) return undefined
      const found = await this.resolve(source, importer, { skipSelf: true })
      if (found?.id !== TEXTS) return found
      const named = sectionsNamed(await readFile(importer, 'utf8'))
      return named === undefined ? found : SOME + named.join(',')
    },
    load(id) {
      if (!id.startsWith('\0')) return undefined
      english ??= catalogueOf('en')
      if (id === `\0${ALL}`) return { code: allModule(english), moduleSideEffects: false }
      if (id.startsWith(SOME)) return gathered(id.slice(SOME.length).split(','))
      // Without effects, so that a bundler may put it where it is used.
      return id.startsWith(ONE)
        ? { code: sectionModule(english, id.slice(ONE.length)), moduleSideEffects: false }
        : undefined
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

const writesNumbers = `import { count } from ${JSON.stringify(TIMES)}`

/** A copy: were it made of the sections, each of them would be a file of its own. */
const allModule = (english: Catalogue): string =>
  [writesNumbers, `export const all = globalThis.german ?? (${compiled(english, 'en')})`].join('\n')

function sectionModule(english: Catalogue, name: string): string {
  const section = english[name]
  if (section === undefined) throw new Error(`There is no section ${name} among the English texts.`)
  const text = typeof section === 'string' ? compiledMessage(section) : compiled(section, 'en')
  return [
    ...(text.includes('count(') ? [writesNumbers] : []),
    `export const ${name} = globalThis.german?.${name} ?? (${text})`,
  ].join('\n')
}

const choice = (german: string, gateway: string): string =>
  readFileSync(CHOICE, 'utf8').replace('GERMAN_TEXTS', german).replace('GERMAN_SENTENCES', gateway)

/** The sentences with what finds them, which English readers do not load. */
async function gatewayScript(): Promise<string> {
  const { code } = await transformWithOxc(readFileSync(LOCALIZE, 'utf8'), LOCALIZE)
  const finds = code.replaceAll(/^export /gm, '')
  return `globalThis.localizeGateway = (() => {
${finds}
return createLocalize(${compiledSentences(gatewaySentences())})
})()`
}

/** It has a `count` of its own: it runs before the modules. */
const germanScript = (): string =>
  `const count = (number, options) => new Intl.NumberFormat(document.documentElement.lang, options).format(number)
  globalThis.german = ${compiled(translated(catalogueOf('en'), catalogueOf('de')), 'de')}`
