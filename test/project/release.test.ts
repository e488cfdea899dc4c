// The release scripts, in a separate repository.
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { atEndOfFile } from '../at-end-of-file.ts'
import { release, releasedChangelog, type ReleaseOptions } from '../../.ci/release.ts'

const run = promisify(execFile)
const NOW = Date.parse('2027-02-03T23:30:00Z')
const CHANGES = '### Added\n\n- A bar beside the library.\n\n### Fixed\n\n- Plays without a time are kept.\n'

const IDENTITY = {
  ...{ GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' },
  ...{ GIT_AUTHOR_NAME: 'Ada', GIT_AUTHOR_EMAIL: 'ada@example.org' },
  ...{ GIT_COMMITTER_NAME: 'Ada', GIT_COMMITTER_EMAIL: 'ada@example.org' },
}
Object.assign(process.env, IDENTITY)
atEndOfFile(() => {
  for (const name of Object.keys(IDENTITY)) delete process.env[name]
})

async function repository(t: Test, changelog = `# Changelog\n\n## Unreleased\n\n${CHANGES}`, api = '^1.0.0') {
  const root = await mkdtemp(join(tmpdir(), 'playhead-release-'))
  t.teardown(() => rm(root, { recursive: true, force: true }))
  const json = (value: object) => `${JSON.stringify(value, null, 2)}\n`
  const files = {
    'CHANGELOG.md': changelog,
    'package.json': json({ name: 'playhead', version: '0.1.0', dependencies: { other: '0.1.0' } }),
    'package-lock.json': json({
      ...{ name: 'playhead', version: '0.1.0' },
      packages: { '': { version: '0.1.0' }, sdk: { version: '1.0.0' }, 'node_modules/other': { version: '0.1.0' } },
    }),
    'sdk/package.json': json({ name: '@playhead/sdk', version: '1.0.0' }),
    'sdk/client/package.json': json({ name: '@playhead/client', version: '1.0.0' }),
    'sdk/manifest.ts': "export const SDK_VERSION = '1.0.0'\n",
    'sdk/api.md': '```ts\nconst SDK_VERSION = "1.0.0";\n```\n',
    'plugins/services/version/plugin.json': json({ id: 'version', api }),
  }
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), text)
  }
  const git = async (...args: readonly string[]) => (await run('git', [...args], { cwd: root })).stdout.trim()
  await git('init', '--quiet', '--initial-branch', 'main')
  await git('add', '.')
  await git('commit', '--quiet', '--message', 'house: begin')
  const make = (to: string, options: Partial<ReleaseOptions> = {}) => release({ root, to, nowMs: NOW, ...options })
  const read = (path: string) => readFile(join(root, path), 'utf8')
  const versionIn = async (path: string) => (JSON.parse(await read(path)) as { readonly version: string }).version
  return { root, git, make, read, versionIn }
}

t.test('a release moves the changes under the version, sets all numbers, and commits and tags once', async (t) => {
  const { git, make, read, versionIn } = await repository(t)
  make('minor')
  t.equal(await read('CHANGELOG.md'), `# Changelog\n\n## Unreleased\n\n## 0.2.0 - 2027-02-03\n\n${CHANGES}`)
  t.same(await Promise.all(['package.json', 'sdk/package.json', 'sdk/client/package.json'].map(versionIn)), [
    '0.2.0',
    '1.1.0',
    '1.1.0',
  ])
  t.match(await read('package.json'), '"other": "0.1.0"')
  t.match(await read('sdk/manifest.ts'), "'1.1.0'")
  t.match(await read('sdk/api.md'), '"1.1.0"')
  t.match(JSON.parse(await read('package-lock.json')), {
    version: '0.2.0',
    packages: { '': { version: '0.2.0' }, sdk: { version: '1.1.0' }, 'node_modules/other': { version: '0.1.0' } },
  })
  t.equal(await git('log', '--format=%s %D'), 'release: 0.2.0 HEAD -> main, tag: v0.2.0\nhouse: begin')
  t.equal(await git('status', '--porcelain'), '')
  t.throws(() => make('minor'), /Nothing is listed/, 'a second one has nothing to say')
})

t.test('the first release names its version, and packages rise only as far as requested', async (t) => {
  const { git, make, versionIn } = await repository(t)
  make('0.1.0', { packages: 'patch' })
  t.same(await Promise.all(['package.json', 'sdk/package.json'].map(versionIn)), ['0.1.0', '1.0.1'])
  t.equal(await git('tag'), 'v0.1.0')
})

t.test('a dry run prints the changes and makes none', async (t) => {
  const { git, make } = await repository(t)
  t.match(make('patch', { dryRun: true }).join('\n'), /0\.1\.0 -> 0\.1\.1[\s\S]*CHANGELOG\.md[\s\S]*tag v0\.1\.1/)
  t.equal(await git('status', '--porcelain'), '')
  t.equal(await git('tag'), '')
})

t.test('an incomplete release is refused, and nothing changes', async (t) => {
  const { root, git, make } = await repository(t)
  const refuse = async (reason: RegExp, to = 'minor', options: Partial<ReleaseOptions> = {}) => {
    const before = [await git('rev-parse', 'HEAD'), await git('status', '--porcelain'), await git('tag')]
    t.throws(() => make(to, options), reason)
    t.same([await git('rev-parse', 'HEAD'), await git('status', '--porcelain'), await git('tag')], before)
  }
  await refuse(/no version/, 'huge')
  await refuse(/older than 0\.1\.0/, '0.0.9')
  await refuse(/none of its words/, 'minor', { packages: 'some' })
  await refuse(/asks for SDK \^1\.0\.0, which 2\.0\.0 is not/, 'major')
  await writeFile(join(root, 'notes.txt'), 'x')
  await refuse(/notes\.txt/)
  await rm(join(root, 'notes.txt'))
  await git('tag', 'v0.2.0')
  await refuse(/v0\.2\.0 exists/)
  await git('checkout', '--quiet', '-b', 'fix')
  await refuse(/made on main; this is fix/)
  await git('checkout', '--quiet', '--detach')
  await refuse(/this is no branch/)
})

t.test('headings alone are no changes, and earlier versions stay unchanged', async (t) => {
  const before = '\n## 0.1.0 - 2026-12-01\n\n### Added\n\n- Everything.\n'
  const at = new Date(NOW)
  const text = (changes: string) => `# Changelog\n\n## Unreleased\n\n${changes}${before}`
  t.equal(
    releasedChangelog(text('- One.\n'), '0.2.0', at),
    `# Changelog\n\n## Unreleased\n\n## 0.2.0 - 2027-02-03\n\n- One.\n${before}`,
  )
  t.throws(() => releasedChangelog(text(''), '0.2.0', at), /Nothing is listed/)
  t.throws(() => releasedChangelog(text('### Added\n\n### Fixed\n'), '0.2.0', at), /Nothing is listed/)
  t.throws(() => releasedChangelog('# Changelog\n', '0.2.0', at), /no "## Unreleased"/)
})

t.test(
  'the changelog of this repository can be released, and its package.json files have the fields that a release sets',
  async (t) => {
    const read = (path: string) => readFile(join(import.meta.dirname, '../..', path), 'utf8')
    const changelog = await read('CHANGELOG.md')
    t.match(changelog, /^# Changelog\n/)
    t.match(changelog, '\n## Unreleased\n')
    const { version } = JSON.parse(await read('sdk/package.json')) as { readonly version: string }
    t.match(await read('sdk/manifest.ts'), `SDK_VERSION = '${version}'`)
    t.match(await read('sdk/api.md'), `SDK_VERSION = "${version}"`)
    const lock = JSON.parse(await read('package-lock.json'))
    t.match(lock, { version: JSON.parse(await read('package.json')).version, packages: { sdk: { version } } })
    t.equal(`${JSON.stringify(lock, null, 2)}\n`, await read('package-lock.json'), 'a release changes no other line')
  },
)
