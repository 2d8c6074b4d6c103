/**
 * Ends `npm pack` and `npm publish` in a workspace: its sources need this checkout. The package that is published is made by
 * `npm run build`, in the workspace's dist/package.
 */
console.error('This workspace is not the package that is published: run `npm run build`, then pack its dist/package.')
process.exitCode = 1
