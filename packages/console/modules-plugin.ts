/** Writes down beside the site which files it was made of, so that whoever publishes it can pass their licences on. */
import { writeFile } from 'node:fs/promises'
import { join, relative, resolve } from 'node:path'
import type { Plugin } from 'vite'

const ROOT = resolve(import.meta.dirname, '../..')

export function noteModules(): Plugin {
  return {
    name: 'note-modules',
    async writeBundle(_, bundle) {
      const ids = Object.values(bundle).flatMap((file) => (file.type === 'chunk' ? Object.keys(file.modules) : []))
      const paths = ids.filter((id) => !id.startsWith('\0')).map((id) => relative(ROOT, id.split('?', 1)[0] ?? id))
      const sheets = ['node_modules/@mantine/core/styles.css']
      await writeFile(
        join(import.meta.dirname, 'dist/modules.json'),
        JSON.stringify([...new Set([...paths, ...sheets])].sort()),
      )
    },
  }
}
