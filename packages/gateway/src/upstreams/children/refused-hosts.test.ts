import { expect, test } from 'vitest'
import { refusedHostWords } from './refused-hosts.ts'

const address = (target: string) => ({ reason: 'address' as const, target })
const unlisted = (target: string) => ({ reason: 'unlisted' as const, target })

test('a package registry with an inner address is told first, with its setting', () => {
  const sentences = refusedHostWords(
    [address('telemetry.example:443'), address('registry.npmjs.org:443'), address('files.pythonhosted.org:443')],
    { alias: 'files', network: 'public' },
  )
  expect(sentences).toEqual([
    expect.stringMatching(/registry\.npmjs\.org .*TOOLWAY_NPM_REGISTRY .*connection allow files --network host\.$/),
    expect.stringMatching(/files\.pythonhosted\.org .*TOOLWAY_PYTHON_INDEX /),
    expect.stringMatching(/telemetry\.example .*connection allow files --network host\.$/),
  ])
})

test('hosts that are not listed are told with the command that lists them: some by name, the others counted', () => {
  const hosts = ['a.example:443', 'a.example:80', 'b.example:443', 'c.example:443', 'd.example:443', 'e.example:443']
  expect(refusedHostWords(hosts.map(unlisted), { alias: 'fetch', network: 'listed' })).toEqual([
    'The sandbox did not let it connect to a.example, b.example, c.example and 2 more (not among its allowed hosts): toolway connection allow fetch --allow-host a.example --allow-host b.example --allow-host c.example.',
  ])
})

test('addresses cannot be listed, and what the rules did not refuse is not told', () => {
  const whose = { alias: 'x', network: 'listed' as const }
  expect(refusedHostWords([unlisted('[2001:db8::1]:443'), unlisted('192.0.2.1:80')], whose)).toEqual([
    expect.stringMatching(/2001:db8::1, 192\.0\.2\.1 \(no connection by name.*connection allow x --network public\.$/),
  ])
  expect(
    refusedHostWords(
      [
        { reason: 'unreachable', target: 'a.example:443' },
        { reason: 'busy', target: 'x' },
      ],
      whose,
    ),
  ).toEqual([])
})
