// Makes a version: `npm run release -- minor`. CHANGELOG.md's "Unreleased" becomes the version, package.json and both
// packages get their numbers, and one commit with its tag says so. It pushes nothing; workflows publish what a pushed tag names.
import { execFileSync } from 'node:child_process'
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { gt, inc, satisfies, valid } from 'semver'

const LEVELS = ['major', 'minor', 'patch'] as const
type Level = (typeof LEVELS)[number]

const USAGE = `Use: npm run release -- <major|minor|patch|version> [--packages <major|minor|patch|none>] [--dry-run]
  --packages  how far @playhead/sdk and @playhead/client rise; by default as far as Playhead, with a version not at all
  --dry-run   says what would change, and changes nothing`

export class ReleaseError extends Error {}

export interface ReleaseOptions {
  readonly root: string
  /** How far to rise, or the version itself, for example for the first release. */
  readonly to: string
  readonly packages?: string | undefined
  readonly dryRun?: boolean | undefined
  /** Of the heading in the changelog. */
  readonly nowMs: number
}

const isLevel = (text: string): text is Level => (LEVELS as readonly string[]).includes(text)

/** @returns lines for people: what was done, or would be */
export function release({ root, to, packages, dryRun = false, nowMs }: ReleaseOptions): readonly string[] {
  const git = (...args: readonly string[]) => execFileSync('git', [...args], { cwd: root, encoding: 'utf8' }).trim()
  const read = (path: string) => readFileSync(join(root, path), 'utf8')
  const versionOf = (path: string) => (JSON.parse(read(path)) as { readonly version: string }).version

  const branch = git('branch', '--show-current')
  if (branch !== 'main') throw new ReleaseError(`Releases are made on main; this is ${branch || 'no branch'}.`)
  const changed = git('status', '--porcelain')
  if (changed !== '') throw new ReleaseError(`Commit or remove these first:\n${changed}`)

  const current = versionOf('package.json')
  const version = isLevel(to) ? inc(current, to) : valid(to)
  if (version === null) throw new ReleaseError(`"${to}" is no version.\n${USAGE}`)
  if (gt(current, version)) throw new ReleaseError(`${version} is older than ${current}.`)
  const tag = `v${version}`
  if (git('tag', '--list', tag) !== '') throw new ReleaseError(`The tag ${tag} exists already.`)

  const step = packages ?? (isLevel(to) ? to : 'none')
  if (step !== 'none' && !isLevel(step)) throw new ReleaseError(`--packages "${step}" is none of its words.\n${USAGE}`)
  const raised = (path: string) => (step === 'none' ? versionOf(path) : (inc(versionOf(path), step) as string))
  const [sdkBefore, sdk] = [versionOf('sdk/package.json'), raised('sdk/package.json')]
  const client = raised('sdk/client/package.json')
  for (const path of globSync('plugins/*/*/plugin.json', { cwd: root })) {
    const { api } = JSON.parse(read(path)) as { readonly api: string }
    if (!satisfies(sdk, api)) throw new ReleaseError(`${path} asks for SDK ${api}, which ${sdk} is not.`)
  }

  const files = new Map<string, string>()
  const replace = (path: string, from: string | RegExp, by: string) => {
    const text = files.get(path) ?? read(path)
    if (typeof from === 'string' ? !text.includes(from) : !from.test(text))
      throw new ReleaseError(`${path} has no ${String(from)}.`)
    files.set(path, text.replace(from, by))
  }
  files.set('CHANGELOG.md', releasedChangelog(read('CHANGELOG.md'), version, new Date(nowMs)))
  const own = /("version": ")[^"]+/
  replace('package.json', own, `$1${version}`)
  replace('sdk/package.json', own, `$1${sdk}`)
  replace('sdk/client/package.json', own, `$1${client}`)
  if (sdk !== sdkBefore) {
    replace('sdk/manifest.ts', `SDK_VERSION = '${sdkBefore}'`, `SDK_VERSION = '${sdk}'`)
    replace('sdk/api.md', `SDK_VERSION = "${sdkBefore}"`, `SDK_VERSION = "${sdk}"`)
  }
  const lock = JSON.parse(read('package-lock.json')) as Lock
  lock.version = version
  for (const [path, number] of [
    ['', version],
    ['sdk', sdk],
  ] as const) {
    const entry = lock.packages[path]
    if (entry === undefined) throw new ReleaseError(`package-lock.json has no package "${path}".`)
    entry.version = number
  }
  files.set('package-lock.json', `${JSON.stringify(lock, null, 2)}\n`)

  const lines = [`Playhead ${current} -> ${version}, @playhead/sdk ${sdk}, @playhead/client ${client}`]
  if (dryRun) return [...lines, ...[...files.keys()].map((path) => `Would change ${path}`), `Would tag ${tag}`]
  for (const [path, text] of files) writeFileSync(join(root, path), text)
  git('add', ...files.keys())
  git('commit', '--quiet', '--message', `release: ${version}`)
  git('tag', '--annotate', tag, '--message', `Playhead ${version}`)
  return [...lines, `Committed and tagged ${tag}. Publish it with: git push --follow-tags`]
}

interface Lock {
  version: string
  readonly packages: Readonly<Record<string, { version: string } | undefined>>
}

/** Moves the entries below "Unreleased" under the version. Headings alone are not a change. */
export function releasedChangelog(text: string, version: string, date: Date): string {
  const parts = /^([\s\S]*?^## Unreleased\n)([\s\S]*?)(^## [\s\S]*)?$(?![\s\S])/m.exec(text)
  if (parts === null) throw new ReleaseError('CHANGELOG.md has no "## Unreleased".')
  const [, head = '', changes = '', rest = ''] = parts
  if (!/^[-*] \S/m.test(changes)) throw new ReleaseError('Nothing is listed under "Unreleased" of CHANGELOG.md.')
  return `${head}\n## ${version} - ${date.toISOString().slice(0, 10)}\n\n${changes.trim()}\n${rest === '' ? '' : `\n${rest}`}`
}

if (import.meta.main) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { packages: { type: 'string' }, 'dry-run': { type: 'boolean' } },
  })
  const [to] = positionals
  const root = join(import.meta.dirname, '..')
  try {
    if (to === undefined || positionals.length > 1 || !existsSync(join(root, '.git'))) throw new ReleaseError(USAGE)
    const lines = release({ root, to, packages: values.packages, dryRun: values['dry-run'], nowMs: Date.now() })
    process.stdout.write(`${lines.join('\n')}\n`)
  } catch (error) {
    if (!(error instanceof ReleaseError)) throw error
    process.stderr.write(`${error.message}\n`)
    process.exitCode = 1
  }
}
