// The commit message check, as run by the hook and by the pull request workflow, in a separate repository.
import { execFile } from 'node:child_process'
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'

const ROOT = join(import.meta.dirname, '../..')
const { problemsOf } = (await import(`${ROOT}/.githooks/commit-subject.js`)) as {
  readonly problemsOf: (message: string) => string[]
}
const run = promisify(execFile)

const GOOD = [
  'sync: keep plays without a time',
  'simkl: sign in with AUTH V2',
  'ui, sdk/client: read the revision of a list',
  'sdk!: remove createParts',
  'tv-time: feed long archives through a stream',
  'sync: embed the reason of a hold\n\nA held removal had no reason in the plan.',
  'Merge branch "main" into fix',
  'Revert "sync: keep plays without a time"',
]
const BAD: readonly (readonly [string, RegExp])[] = [
  ['Keep plays without a time', /Begin with the area/],
  ['Sync: keep plays without a time', /Begin with the area/],
  ['sync:keep plays', /Begin with the area/],
  ['feat(sync): keep plays', /Begin with the area/],
  ['sync: kept plays; added a test', /two intentions/],
  ['sync: added a test', /not "added"/],
  ['sync: fixes the count', /not "fixes"/],
  ['sync: Removing old rows', /not "Removing"/],
  ['sync: the count is right', /not "the"/],
  [`sync: keep ${'x'.repeat(70)}`, /at most 72/],
  ['sync: keep plays.', /without punctuation/],
  ['sync: keep plays\nwithout a time', /line after the subject/],
]

t.test('valid subjects pass, and each invalid one is refused with its reason', async (t) => {
  for (const message of GOOD) t.same(problemsOf(message), [], message)
  for (const [message, reason] of BAD) t.match(problemsOf(message).join(' '), reason, message)
})

async function repository(t: Test) {
  const folder = await mkdtemp(join(tmpdir(), 'playhead-commits-'))
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null', NODE_OPTIONS: '' }
  const git = (...args: readonly string[]) =>
    run('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', ...args], { cwd: folder, env })
  await git('init', '--quiet', '--initial-branch', 'main')
  await cp(join(ROOT, '.githooks'), join(folder, '.githooks'), { recursive: true })
  // The scripts are modules because package.json says so.
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }\n')
  const range = (from: string) =>
    run('node', ['.githooks/commit-subject.js', '--range', `${from}..HEAD`], { cwd: folder, env })
  return { git, range }
}

t.test('the hook refuses a commit, and the range of a pull request names each bad one', async (t) => {
  const { git, range } = await repository(t)
  await git('config', 'core.hooksPath', '.githooks')
  await git('add', '.')
  await git('commit', '--quiet', '-m', 'house: begin')
  await t.rejects(git('commit', '--allow-empty', '-m', 'Did things'), /Begin with the area/)
  await git('commit', '--quiet', '--allow-empty', '-m', 'sync: keep plays\n\n# a comment\nWhy.')
  await git('commit', '--quiet', '--allow-empty', '-m', 'fixup! sync: keep plays')
  await git('commit', '--quiet', '--allow-empty', '--no-verify', '-m', 'Did things')
  await t.rejects(range('HEAD~3'), /Did things[\s\S]*fixup! sync: keep plays/)
  await git('reset', '--quiet', '--hard', 'HEAD~2')
  await t.resolves(range('HEAD~1'))
})
