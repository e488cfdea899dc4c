// Examines a plugin for the directory: "plugin pack" (which checks it), the conformance kit against its own stand-in, and its
// tests, each in a process of its own; then what it asks for, and its level.
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type CatalogueEntry, type CatalogueVersion, SDK_VERSION } from '@playhead/sdk'
import { asksOf } from '../../packages/asks.ts'
import { packListed } from '../../packages/directory.ts'
import { openPluginFolder, type PluginFolder } from '../../packages/folders.ts'
import { manifestIn } from '../../packages/install.ts'
import { sha512Of } from '../../packages/npm-registry.ts'
import { tarballName } from '../../packages/pack.ts'
import { readTarball } from '../../packages/unpack.ts'
import { CliError } from '../command.ts'
import type { Isolation, Ran } from './isolated.ts'
import { type Facts, levelOf, TESTED_KINDS } from './levels.ts'

const PROGRAM = join('core', 'cli', 'playhead.js')
const CHECK_MS = 10 * 60_000
const TEST_MS = 60 * 60_000

export interface Examination {
  readonly isolation: Isolation
  /** A day in UTC. */
  readonly date: string
  readonly print: (line: string) => void
  /** Of packages that name none. */
  readonly author: string
  /** The entry that the directory has of the plugin. */
  readonly known?: CatalogueEntry | undefined
}

export interface Examined {
  readonly entry: Omit<CatalogueEntry, 'versions'>
  readonly version: CatalogueVersion
  readonly archive: Buffer
}

interface Report {
  readonly points: number
  readonly possible: number
  readonly unexercised?: readonly string[]
}

/** Throws a CliError if it is not even bronze. */
export async function examineFolder(folder: string, examination: Examination): Promise<Examined> {
  const { isolation, date, print, known } = examination
  const plugin = await openPluginFolder(folder)
  const { directory, manifest } = plugin
  const { id, version, api } = manifest
  const packed = await isolation.run(
    [PROGRAM, 'plugin', 'pack', directory, '--offline', '--stored', '--out', isolation.folder],
    CHECK_MS,
  )
  if (!packed.ok) throw new CliError(`${id} ${version} cannot be listed: ${lastLines(packed)}`)
  const packageJson = JSON.parse(await readFile(join(directory, 'package.json'), 'utf8')) as Record<string, unknown>
  const name = String(packageJson['name'])
  const archive = await readFile(join(isolation.folder, tarballName(name, version)))
  const asks = asksOf(manifestIn(await readTarball(archive, `${id} ${version}`), `${id} ${version}`))

  const report = TESTED_KINDS.includes(manifest.kind) ? await conformance(plugin, examination) : null
  const tests = await isolation.run([join(directory, 'index.test.ts')], CHECK_MS)
  const readme = await readFile(join(directory, 'README.md'), 'utf8').catch(() => '')
  const source = sourceOf(packageJson)
  const changes = changesOf(await readFile(join(directory, 'CHANGELOG.md'), 'utf8').catch(() => ''), version)
  const facts: Facts = {
    manifest,
    builtIn: false,
    isSound: true,
    // The service packs the folder again, without running its code.
    isPacked: (await packListed(plugin, [...asks])).equals(archive),
    report: report === null ? null : { ...report, unexercised: report.unexercised ?? [] },
    isTested: tests.ok,
    readme,
    languages: await languagesOf(directory),
    source,
    changes,
    isUpdate: known?.versions.some((one) => one.version !== version) === true,
  }
  const { level, missing } = levelOf(facts)
  if (level === null) throw new CliError(`${id} ${version} does not reach bronze: ${missing.join(', ')}`)
  const before = known?.versions.find((one) => one.version !== version)
  print(`      ${level}${missing.length === 0 ? '' : `; the next level asks for: ${missing.join(', ')}`}`)
  for (const line of asksThatDiffer(before?.asks ?? null, asks)) print(`      ${line}`)
  return {
    archive,
    entry: entryOf(plugin, {
      author: authorOf(packageJson) ?? examination.author,
      license: String(packageJson['license'] ?? 'none'),
      source,
      builtIn: false,
    }),
    version: {
      ...{ version, date, api, changes, asks: [...asks], level, missing: [...missing] },
      conformance: report === null ? null : shortReport(report, date),
      archive: { file: tarballName(name, version), sha512: sha512Of(archive), size: archive.length },
    },
  }
}

/** A part of Playhead: from its manifest, with the kit's result if it is to be run. */
export async function examineBuiltIn(
  folder: string,
  { isKitRun, ...examination }: Examination & { readonly isKitRun: boolean },
): Promise<Omit<Examined, 'archive'>> {
  const { date, known, print } = examination
  const plugin = await openPluginFolder(folder)
  const { directory, manifest } = plugin
  const { version, api } = manifest
  const listed = known?.versions.find((one) => one.version === version)
  const asks = [...asksOf(manifest)]
  const entry = entryOf(plugin, { author: 'Playhead', license: 'MIT', source: null, builtIn: true })
  const base = { version, date: listed?.date ?? date, api, changes: [], asks, archive: null }
  // A result counts for the version that it was found with.
  if (!isKitRun)
    return {
      entry,
      version: {
        ...base,
        level: listed?.level ?? null,
        missing: [...(listed?.missing ?? [])],
        conformance: listed?.conformance ?? null,
      },
    }
  const report = await conformance(plugin, examination)
  const { level, missing } = levelOf({
    manifest,
    builtIn: true,
    isSound: true,
    isPacked: null,
    report: report === null ? null : { ...report, unexercised: report.unexercised ?? [] },
    isTested: null,
    readme: '',
    languages: await languagesOf(directory),
    source: null,
    changes: [],
    isUpdate: false,
  })
  print(`      ${level ?? 'no level'}${missing.length === 0 ? '' : `; missing: ${missing.join(', ')}`}`)
  return {
    entry,
    version: { ...base, level, missing: [...missing], conformance: report === null ? null : shortReport(report, date) },
  }
}

async function conformance(
  { directory }: PluginFolder,
  { isolation, print }: Pick<Examination, 'isolation' | 'print'>,
): Promise<Report | null> {
  const ran = await isolation.run([PROGRAM, 'plugin', 'test', directory, '--json'], TEST_MS)
  const from = ran.output.indexOf('{')
  try {
    const report = JSON.parse(ran.output.slice(from, ran.output.lastIndexOf('}') + 1)) as Report
    if (!Number.isInteger(report.points) || !Number.isInteger(report.possible) || report.possible < 1) throw new Error()
    print(`      conformance: ${report.points} of ${report.possible} points`)
    return report
  } catch {
    print(`      conformance: no result. ${lastLines(ran)}`)
    return null
  }
}

function shortReport({ points, possible }: Report, date: string): CatalogueVersion['conformance'] {
  return { points, possible, sdk: SDK_VERSION, date }
}

function entryOf(
  { manifest: { id, name, description = '', kind, mark } }: PluginFolder,
  rest: Pick<CatalogueEntry, 'author' | 'license' | 'source' | 'builtIn'>,
): Omit<CatalogueEntry, 'versions'> {
  return { id, name, description, kind, ...rest, ...(mark === undefined ? {} : { mark }) }
}

/** The difference between what two versions ask for, a line each. */
function asksThatDiffer(before: readonly string[] | null, now: readonly string[]): readonly string[] {
  if (before === null) return now.map((ask) => `asks for ${ask}`)
  return [
    ...now.filter((ask) => !before.includes(ask)).map((ask) => `now asks for ${ask}`),
    ...before.filter((ask) => !now.includes(ask)).map((ask) => `no longer asks for ${ask}`),
  ]
}

async function languagesOf(directory: string): Promise<readonly string[]> {
  const names = await readdir(join(directory, 'texts')).catch(() => [])
  return names.filter((name) => name.endsWith('.json')).map((name) => name.slice(0, -'.json'.length))
}

/** The lines of the section of a version in a CHANGELOG.md. */
export function changesOf(changelog: string, version: string): string[] {
  const sections = changelog.split(/^##\s+/m).slice(1)
  const own = sections.find((section) =>
    new RegExp(`^\\[?v?${version.replaceAll('.', '\\.')}\\]?(?:\\s|$)`).test(section),
  )
  const lines = (own ?? '').split('\n').slice(1)
  return lines
    .filter((line) => /^[-*] /.test(line))
    .map((line) => line.slice(2).trim().slice(0, 500))
    .slice(0, 50)
}

function authorOf({ author }: Readonly<Record<string, unknown>>): string | null {
  const name = typeof author === 'object' && author !== null ? (author as { name?: unknown }).name : author
  // Without the address and the page that npm allows after it.
  const own =
    typeof name === 'string'
      ? name
          .replace(/\s*[<(].*$/, '')
          .trim()
          .slice(0, 100)
      : ''
  return own === '' ? null : own
}

/** The address of the source, if npm's field names one by https. */
function sourceOf({ repository }: Readonly<Record<string, unknown>>): string | null {
  const value =
    typeof repository === 'object' && repository !== null ? (repository as { url?: unknown }).url : repository
  const text = typeof value === 'string' ? value.replace(/^git\+/, '').replace(/\.git$/, '') : ''
  return text.startsWith('https://') && URL.canParse(text) && text.length <= 300 ? text : null
}

function lastLines({ output, errors }: Ran): string {
  const lines = `${output}\n${errors}`.split('\n').filter((line) => line.trim() !== '')
  const failures = lines.filter((line) => line.startsWith('FAIL'))
  return (failures.length > 0 ? failures : lines.slice(-3)).join(' ').slice(0, 1_000)
}
