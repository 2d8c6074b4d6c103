/** The request of undici, in a file that is loaded with `import()` when bytes are first carried; it is CommonJS, whose names the bundle has only by such an import. */
export { request } from 'undici'
