/** The build of the console: one bundle under /assets, split by screen, that makes no request to another host. */
import { join } from 'node:path'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { noteModules } from './modules-plugin.ts'
import { operationsAsData } from './operations-plugin.ts'
import { textsBySection } from './texts-plugin.ts'

export default defineConfig({
  root: import.meta.dirname,
  plugins: [operationsAsData(), textsBySection(), react(), noteModules()],
  // The form library's test helpers ask for a validator that makes code of text, which the content policy forbids: ours stands in.
  resolve: {
    alias: { '@rjsf/validator-ajv8': join(import.meta.dirname, 'src/parts/call/form/validator.ts') },
  },
  build: {
    target: 'es2023',
    // A browser that does not know it loads the same modules, a little later.
    modulePreload: { polyfill: false },
    // Sections of texts ask for German by a property; that must not tie them to a place.
    rolldownOptions: { treeshake: { propertyReadSideEffects: false } },
    // Its own folder, so that what is there beside it (the stamp of the sources) stays.
    outDir: 'dist/site',
    emptyOutDir: true,
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1_000,
  },
  // `npm run console` while working on it: the gateway answers, the console comes from its sources.
  server: {
    proxy: Object.fromEntries(
      ['/api', '/sign-in', '/connect', '/health'].map((path) => [path, { target: 'http://127.0.0.1:8787', ws: true }]),
    ),
  },
})
