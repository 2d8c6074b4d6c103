/**
 * The documentation as a site with search: built by `npm run docs`, served by the gateway at /docs. Its menu is the list of
 * docs/README.md. Links to files outside of this folder lead to the repository.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, matchesGlob, relative, resolve } from 'node:path'
import { defineConfig } from 'vitepress'

const DOCS = resolve(import.meta.dirname, '..')
const ROOT = resolve(DOCS, '..')
const REPOSITORY = 'https://github.com/toolway/toolway/blob/main'
/** For people who change the code; decisions would be most of what a search finds. The list of all pages is the menu of the site. */
const EXCLUDED = ['adr/**', 'architecture.md', 'reference/requirements.md', 'README.md']
const isExcluded = (path) => EXCLUDED.some((pattern) => matchesGlob(path, pattern))

const itemOf = (title, path) => ({
  // A product that writes itself with a small letter and digits (n8n) keeps it.
  text: title.replace(/^[a-z](?!\d)/, (letter) => letter.toUpperCase()),
  link: `/${path.replace(/\.md$/, '')}`,
})

/** The sections of docs/README.md with their links. */
function sidebarOf(text) {
  const sections = []
  for (const line of text.split('\n')) {
    const heading = /^## (.+)$/.exec(line)?.[1]
    if (heading !== undefined) sections.push({ text: heading, items: [] })
    for (const [, title, path] of line.matchAll(/\[([^\]]+)\]\(((?:guides|reference|security)?\/?[\w-]+\.md)\)/g))
      sections.at(-1)?.items.push(...(isExcluded(path) ? [] : [itemOf(title, path)]))
  }
  return sections.filter(({ items }) => items.length > 0)
}

/** A link out of the site, as a link to the repository; others stay. */
function linkOf(href, from) {
  if (/^[a-z]+:|^#|^\//i.test(href)) return href
  const [path, hash = ''] = href.split('#')
  const target = resolve(DOCS, dirname(from), path)
  const inside = relative(DOCS, target)
  const isPage = !inside.startsWith('..') && !isExcluded(inside) && target.endsWith('.md')
  if (isPage) return href
  return `${REPOSITORY}/${relative(ROOT, target)}${hash === '' ? '' : `#${hash}`}`
}

function outsideLinks(md) {
  md.core.ruler.push('outside-links', ({ tokens, env }) => {
    for (const { children } of tokens)
      for (const token of children ?? [])
        if (token.type === 'link_open')
          token.attrSet('href', linkOf(token.attrGet('href') ?? '', env.relativePath ?? ''))
  })
}

/** Whose code is in the site, for the notices of the package. */
const noteModules = {
  name: 'note-modules',
  generateBundle(_, bundle) {
    const ids = Object.values(bundle).flatMap((file) => (file.type === 'chunk' ? Object.keys(file.modules) : []))
    const named = ids.filter((id) => !id.startsWith('\0') && id.includes('node_modules'))
    const paths = [...new Set(named.map((id) => relative(ROOT, id.split('?', 1)[0])))].sort()
    writeFileSync(join(import.meta.dirname, 'modules.json'), JSON.stringify(paths))
  },
}

export default defineConfig({
  title: 'Toolway',
  description: 'The documentation of Toolway, the self-hosted MCP gateway',
  base: '/docs/',
  outDir: join(import.meta.dirname, 'docs-site'),
  cacheDir: join(ROOT, '.cache/docs'),
  cleanUrls: true,
  // The console's content policy holds here too, but for the two scripts of the theme, which the gateway names by their hash.
  metaChunk: true,
  srcExclude: EXCLUDED,
  markdown: { html: false, config: outsideLinks },
  vite: { plugins: [noteModules] },
  themeConfig: {
    sidebar: sidebarOf(readFileSync(join(DOCS, 'README.md'), 'utf8')),
    nav: [{ text: 'Console', link: '/', target: '_self', rel: '' }],
    search: { provider: 'local' },
    outline: [2, 3],
    externalLinkIcon: true,
    docFooter: { prev: 'Previous', next: 'Next' },
  },
})
