// The workflow files: they parse, refer to existing files, and have minimal permissions.
import { existsSync } from 'node:fs'
import { glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { parseDocument } from 'yaml'

const ROOT = join(import.meta.dirname, '../..')
const GITHUB = join(ROOT, '.github')
const read = (path: string) => readFile(join(ROOT, path), 'utf8')
const { scripts } = JSON.parse(await read('package.json')) as { readonly scripts: Readonly<Record<string, string>> }

interface Step {
  readonly uses?: string
  readonly run?: string
}
interface Job {
  readonly 'timeout-minutes'?: number
  readonly permissions?: Readonly<Record<string, string>>
  readonly strategy?: { readonly matrix: Readonly<Record<string, readonly unknown[]>> }
  readonly steps?: readonly Step[]
  /** Calls another workflow, which has its own limits. */
  readonly uses?: string
  readonly needs?: string
}
interface Workflow {
  readonly name?: string
  readonly on?: unknown
  readonly permissions?: Readonly<Record<string, string>>
  readonly jobs: Readonly<Record<string, Job>>
}

/** Duplicate keys and other YAML mistakes are errors of the document. */
function problemsOfYaml(text: string): string[] {
  const { errors, warnings } = parseDocument(text)
  return [...errors, ...warnings].map(({ message }) => message)
}

function problemsOf(text: string): string[] {
  const problems = problemsOfYaml(text)
  if (problems.length > 0) return problems
  const workflow = parseDocument(text).toJS() as Workflow
  if (workflow.name === undefined || workflow.on === undefined) problems.push('has no name or no trigger')
  if (JSON.stringify(workflow.permissions) !== '{"contents":"read"}')
    problems.push('may do more than read, outside of a job')
  for (const [id, { steps = [], permissions, ...job }] of Object.entries(workflow.jobs)) {
    if (job.needs !== undefined && !(job.needs in workflow.jobs)) problems.push(`${id}: needs ${job.needs}`)
    if (job.uses !== undefined) {
      if (!job.uses.startsWith('./') || !existsSync(join(ROOT, job.uses))) problems.push(`${id}: ${job.uses}`)
      continue
    }
    if (job['timeout-minutes'] === undefined) problems.push(`${id}: no time limit`)
    if (permissions?.['contents'] === 'write') problems.push(`${id}: may write to the repository`)
    for (const { uses, run } of steps) {
      if (uses !== undefined && !/^[\w-]+\/[\w./-]+@(?:v\d+|[0-9a-f]{40})$/.test(uses)) problems.push(`${id}: ${uses}`)
      if (run === undefined) continue
      for (const [, name = ''] of run.matchAll(/npm run ([\w:]+)/g))
        if (!(name in scripts)) problems.push(`${id}: npm run ${name}`)
      for (const [path] of run.matchAll(/\.(?:githooks|ci)\/[\w.-]+/g))
        if (!existsSync(join(ROOT, path))) problems.push(`${id}: ${path}`)
      // Text by other people (titles, branch names) would become part of the script.
      for (const [, expression = ''] of run.matchAll(/\$\{\{\s*([^}]+?)\s*\}\}/g))
        if (!/^matrix\.\w+$/.test(expression)) problems.push(`${id}: ${expression} in a script`)
    }
  }
  return problems
}

t.test('every workflow parses, names existing scripts and files, and has minimal permissions', async (t) => {
  const files = await Array.fromAsync(glob('workflows/*.yml', { cwd: GITHUB }))
  t.same(files.map((file) => file.slice('workflows/'.length)).toSorted(), [
    'codeql.yml',
    'image.yml',
    'nightly.yml',
    'packages.yml',
    'test.yml',
  ])
  for (const file of files) t.same(problemsOf(await readFile(join(GITHUB, file), 'utf8')), [], file)
})

t.test('mistakes are found', async (t) => {
  const text = await read('.github/workflows/test.yml')
  const bad: readonly (readonly [from: string, to: string, problem: RegExp])[] = [
    ['npm test', 'npm run tset', /npm run tset/],
    ['contents: read', 'contents: write', /more than read/],
    ['checkout@v5', 'checkout@main', /checkout@main/],
    ['timeout-minutes: 30', 'name: x', /no time limit/],
    ['npm test', 'echo ${{ github.head_ref }}', /github.head_ref in a script/],
    ['.githooks/commit-subject.js', '.githooks/other.js', /other\.js/],
    ['jobs:', 'jobs:\n  - x', /./],
  ]
  for (const [from, to, problem] of bad) {
    const changed = text.replace(from, () => to)
    t.not(changed, text)
    t.match(problemsOf(changed).join('\n'), problem, to)
  }
})

t.test('the nightly shards are complete, each once', async (t) => {
  const { jobs } = parseDocument(await read('.github/workflows/nightly.yml')).toJS() as Workflow
  const shards = jobs['all']?.strategy?.matrix['shard'] ?? []
  const command = jobs['all']?.steps?.find(({ run }) => run?.includes('--shard'))?.run ?? ''
  const [, of = ''] = /--shard \$\{\{ matrix\.shard \}\}\/(\d+)$/.exec(command) ?? []
  t.same(
    shards,
    Array.from({ length: Number(of) }, (_, index) => index + 1),
  )
})

t.test('issue forms and dependency updates parse', async (t) => {
  t.same(problemsOfYaml(await read('.github/dependabot.yml')), [])
  for (const file of await Array.fromAsync(glob('ISSUE_TEMPLATE/*.yml', { cwd: GITHUB }))) {
    const text = await readFile(join(GITHUB, file), 'utf8')
    t.same(problemsOfYaml(text), [], file)
    const form = parseDocument(text).toJS() as Readonly<Record<string, unknown>>
    if (file.endsWith('config.yml')) continue
    t.match(form, { name: String, description: String, body: Array }, file)
    const parts = form['body'] as readonly {
      readonly type: string
      readonly id?: string
      readonly attributes: object
    }[]
    const ids = parts.filter(({ type }) => type !== 'markdown').map(({ id }) => id)
    t.equal(new Set(ids).size, ids.length, file)
    for (const { type, attributes } of parts)
      t.ok(/^(?:markdown|input|textarea|dropdown|checkboxes)$/.test(type) && attributes, `${file}: ${type}`)
  }
})

t.test('nothing is published before the tests have passed, and only as its own version', async (t) => {
  for (const name of ['image', 'packages']) {
    const { jobs } = parseDocument(await read(`.github/workflows/${name}.yml`)).toJS() as Workflow
    t.equal(jobs['test']?.uses, './.github/workflows/test.yml', name)
    for (const [id, { needs, steps = [] }] of Object.entries(jobs)) {
      if (id === 'test') continue
      t.equal(needs, 'test', `${name}: ${id}`)
      t.ok(
        steps.some(({ run }) => run?.includes('"$GITHUB_REF_NAME"')),
        `${name}: ${id}`,
      )
    }
  }
  t.match(parseDocument(await read('.github/workflows/test.yml')).toJS(), { on: { workflow_call: null } })
})
