/**
 * `npm run counterparts -- kubernetes` builds the API server of Kubernetes, its controllers, its store and kubectl from the Go module
 * proxy. It takes five to fifteen minutes and 6 GB of Go's caches, so it is built only by name. Kubernetes names its own parts by folders of its
 * repository; a module of ours names the published versions instead.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export const KUBERNETES_VERSION = '1.37.2'
/** Each program and the package that it is built from. */
const PROGRAMS: Readonly<Record<string, string>> = {
  etcd: 'go.etcd.io/etcd/server/v3',
  'kube-apiserver': 'k8s.io/kubernetes/cmd/kube-apiserver',
  'kube-controller-manager': 'k8s.io/kubernetes/cmd/kube-controller-manager',
  kubectl: 'k8s.io/kubernetes/cmd/kubectl',
}
export const kubernetesPrograms = Object.keys(PROGRAMS)

const environment = { ...process.env, CGO_ENABLED: '0', GOFLAGS: '' }

/** Builds all of them into the folder; whether that worked. */
export function buildKubernetes(folder: string): boolean {
  mkdirSync(folder, { recursive: true })
  const go = (...words: string[]) =>
    spawnSync('go', words, { cwd: folder, env: environment, stdio: ['ignore', 'pipe', 'inherit'], encoding: 'utf8' })
  const found = go('mod', 'download', '-json', `k8s.io/kubernetes@v${KUBERNETES_VERSION}`)
  if (found.status !== 0) return false
  const { Dir: sources } = JSON.parse(found.stdout) as { Dir: string }
  writeFileSync(join(folder, 'go.mod'), moduleOf(readFileSync(join(sources, 'go.mod'), 'utf8')))
  const imports = Object.values(PROGRAMS).map((source) => `import _ "${source}"\n`)
  writeFileSync(join(folder, 'programs.go'), `//go:build programs\n\npackage programs\n\n${imports.join('')}`)
  if (go('mod', 'tidy', '-e').status !== 0) return false
  return Object.entries(PROGRAMS).every(
    ([name, source]) => go('build', '-trimpath', '-ldflags', flags(), '-o', join(folder, name), source).status === 0,
  )
}

/** Parts that the module of Kubernetes finds in `./staging` are published as v0 with the same minor version and patch. */
function moduleOf(theirs: string): string {
  const parts = [...theirs.matchAll(/^\s*(\S+) => \.\/staging\//gm)].map((match) => match[1])
  const published = `v0.${KUBERNETES_VERSION.split('.').slice(1).join('.')}`
  const go = /^go \S+$/m.exec(theirs)?.[0] ?? 'go 1.26'
  const replaced = parts.map((part) => `replace ${part} => ${part} ${published}\n`)
  return `module counterparts/kubernetes\n\n${go}\n\nrequire k8s.io/kubernetes v${KUBERNETES_VERSION}\n\n${replaced.join('')}`
}

/** The version that the server says of itself, which charts ask for. */
function flags(): string {
  const [major, minor] = KUBERNETES_VERSION.split('.')
  const said = { gitVersion: `v${KUBERNETES_VERSION}`, gitMajor: major, gitMinor: minor, gitTreeState: 'clean' }
  return [
    '-s -w',
    ...Object.entries(said).map(([name, text]) => `-X k8s.io/component-base/version.${name}=${text}`),
  ].join(' ')
}
