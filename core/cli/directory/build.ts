// `directory build`: makes the list of the plugins in plugins/directory, and of those that are built in.
import { glob, mkdir, readFile, writeFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import type { Catalogue, CatalogueEntry, CatalogueVersion } from '@playhead/sdk'
import rcompare from 'semver/functions/rcompare.js'
import { readManifest } from '../../host/load/registry.ts'
import { readCatalogue, signCatalogue, publicText } from '../../packages/catalogue.ts'
import { CATALOGUE_KEYS } from '../../packages/catalogue-keys.ts'
import { packListed } from '../../packages/directory.ts'
import { openPluginFolder } from '../../packages/folders.ts'
import { sha512Of } from '../../packages/npm-registry.ts'
import { replaceFile } from '../../storage/atomic-file.ts'
import { CliError, type Arguments, type Cli, type Command } from '../command.ts'
import { filesOf } from '../plugin/registry-file.ts'
import { examineBuiltIn, examineFolder, type Examination } from './examine.ts'
import { openIsolation } from './isolated.ts'
import { keyName, readKey } from './key.ts'

const FILE = join('plugins', 'directory', 'catalogue.json')

export const directoryBuild: Command = {
  name: 'directory build',
  summary: 'examines the plugins of the directory and signs their list',
  usage:
    '--key <file> [--from <folder>] [--out <file>] [--archives <folder>] [--only <id>]… [--again] [--replace] [--built-in] [--withdraw <id@version> --why <text>]',
  options: {
    key: { type: 'string' },
    from: { type: 'string' },
    out: { type: 'string' },
    archives: { type: 'string' },
    only: { type: 'string', multiple: true },
    again: { type: 'boolean' },
    replace: { type: 'boolean' },
    'built-in': { type: 'boolean' },
    withdraw: { type: 'string' },
    why: { type: 'string' },
  },
  help: `
Each folder of plugins/directory is a plugin. A version that the catalogue does not have yet is examined as by "plugin
submit"; a listed one has to be unchanged. A folder that is not good enough is left out and named, and the rest is listed.
Entries and versions whose folders are gone stay. The number of the catalogue grows by one, and nothing is written if
nothing changed.
  --key        the private key, see "directory key"
  --from       the folders of the plugins; without it, plugins/directory
  --out        the catalogue to continue; without it, catalogue.json beside the plugins
  --archives   writes the archives here, to be served beside the catalogue
  --only       examines only these plugins
  --again      examines listed versions again
  --replace    a listed version may have changed: for work before a catalogue is published
  --built-in   runs the conformance kit on the providers that are built in, too; this takes long
  --withdraw   marks a version as withdrawn, with --why; people who have it see a warning
The code of the plugins is run, in processes of their own.

Example:
  npm run playhead -- directory build --key ~/directory.key

Exit code 0 when every folder is listed, 1 otherwise.`,
  async run(cli, { options }) {
    const key = await readKey(cli, options['key'])
    const from = resolve(cli.workingDirectory, text(options['from']) ?? join(cli.root, 'plugins', 'directory'))
    const file = resolve(cli.workingDirectory, text(options['out']) ?? join(from, basename(FILE)))
    const nowMs = Date.now()
    const before = await readBefore(file, { [keyName(key)]: publicText(key), ...CATALOGUE_KEYS }, nowMs)
    const entries = new Map((before?.plugins ?? []).map((entry) => [entry.id, entry]))
    const only = Array.isArray(options['only']) ? (options['only'] as readonly string[]) : null
    const failed: string[] = []
    await using isolation = await openIsolation(cli.root)
    cli.print(`Plugins are examined in ${isolation.kind}.`)
    const examination: Omit<Examination, 'known'> = {
      ...{ isolation, author: 'Playhead', print: cli.print },
      date: new Date(nowMs).toISOString().slice(0, 10),
    }

    for (const folder of await foldersOf(from)) {
      const id = basename(folder)
      if (only !== null && !only.includes(id)) continue
      try {
        const listed = await listFolder(folder, entries.get(id), { cli, options, examination })
        entries.set(id, listed)
      } catch (error) {
        failed.push(id)
        cli.print(`FAIL  ${id}  ${(error as Error).message.split('\n')[0]}`)
      }
    }
    for (const [id, entry] of await builtIn(cli, entries, only, options['built-in'] === true, examination))
      entries.set(id, entry)
    withdraw(entries, options, examination.date)

    const plugins = [...entries.values()].sort((a, b) => (a.id < b.id ? -1 : 1))
    if (JSON.stringify(plugins) === JSON.stringify(before?.plugins)) cli.print('Nothing changed; the list stays.')
    else {
      const serial = (before?.serial ?? 0) + 1
      const date = `${new Date(nowMs).toISOString().slice(0, 19)}Z`
      const bytes = await signCatalogue({ format: 1, serial, date, plugins }, { name: keyName(key), key }, nowMs)
      await mkdir(dirname(file), { recursive: true })
      await replaceFile(file, bytes, 0o644)
      cli.print(`Wrote ${file}: number ${serial}, ${plugins.length} plugins, ${Math.ceil(bytes.length / 1024)} KB.`)
    }
    if (CATALOGUE_KEYS[keyName(key)] !== publicText(key))
      cli.print('note: this key is not in core/packages/catalogue-keys.ts, so Playhead refuses the list.')
    if (failed.length > 0) throw new CliError(`not listed: ${failed.join(', ')}; see above.`)
  },
}

interface Listing {
  readonly cli: Cli
  readonly options: Arguments['options']
  readonly examination: Omit<Examination, 'known'>
}

async function listFolder(
  folder: string,
  known: CatalogueEntry | undefined,
  { cli, options, examination }: Listing,
): Promise<CatalogueEntry> {
  const plugin = await openPluginFolder(folder)
  const { id, version } = plugin.manifest
  if (id !== basename(folder)) throw new CliError(`its folder is ${basename(folder)}, and its id ${id}`)
  const listed = known?.versions.find((one) => one.version === version)
  if (listed?.archive != null) {
    const archive = await packListed(plugin, listed.asks)
    const isSame = sha512Of(archive) === listed.archive.sha512
    if (!isSame && options['replace'] !== true)
      throw new CliError(`${version} is listed with other content; raise its version (or use --replace)`)
    if (isSame && options['again'] !== true && known !== undefined) {
      await writeArchive(cli, options, listed, archive)
      cli.print(`ok    ${id} ${version} is listed`)
      return known
    }
  }
  cli.print(`      ${id} ${version}`)
  const { entry, version: found, archive } = await examineFolder(folder, { ...examination, known })
  await writeArchive(cli, options, found, archive)
  cli.print(`ok    ${id} ${version}: ${found.level}`)
  return withVersion(entry, known, found, listed)
}

async function writeArchive(
  cli: Cli,
  options: Arguments['options'],
  { archive }: CatalogueVersion,
  bytes: Buffer,
): Promise<void> {
  const folder = text(options['archives'])
  if (folder === undefined || archive === null) return
  const path = resolve(cli.workingDirectory, folder)
  await mkdir(path, { recursive: true })
  await writeFile(join(path, archive.file), bytes)
}

async function builtIn(
  cli: Cli,
  entries: ReadonlyMap<string, CatalogueEntry>,
  only: readonly string[] | null,
  isKitRun: boolean,
  examination: Omit<Examination, 'known'>,
): Promise<ReadonlyMap<string, CatalogueEntry>> {
  const { plugins } = JSON.parse(await readFile(filesOf(cli).bundledRegistry, 'utf8')) as {
    plugins: readonly { readonly id: string; readonly source: string }[]
  }
  const found = new Map<string, CatalogueEntry>()
  for (const { id, source } of plugins) {
    const folder = resolve(cli.root, source)
    const { kind, version } = await readManifest(folder, id)
    if (kind !== 'provider') continue
    const isChosen = only === null || only.includes(id)
    if (isKitRun && isChosen) cli.print(`      ${id} ${version}, built in`)
    const known = entries.get(id)
    const shown = await examineBuiltIn(folder, { ...examination, known, isKitRun: isKitRun && isChosen })
    found.set(id, { ...shown.entry, versions: [shown.version] })
  }
  return found
}

function withVersion(
  entry: Omit<CatalogueEntry, 'versions'>,
  known: CatalogueEntry | undefined,
  found: CatalogueVersion,
  replaced: CatalogueVersion | undefined,
): CatalogueEntry {
  const others = (known?.versions ?? []).filter(({ version }) => version !== found.version)
  const version = { ...found, date: replaced?.date ?? found.date }
  return { ...entry, versions: [version, ...others].sort((a, b) => rcompare(a.version, b.version)) }
}

function withdraw(entries: Map<string, CatalogueEntry>, options: Arguments['options'], date: string): void {
  const what = text(options['withdraw'])
  if (what === undefined) return
  const why = text(options['why'])
  if (why === undefined) throw new CliError('say with --why what is wrong with the version; people read it.')
  const [id = '', version] = what.split('@')
  const entry = entries.get(id)
  if (entry?.versions.some((one) => one.version === version) !== true)
    throw new CliError(`the list has no "${what}"; a version is named as id@version.`)
  const versions = entry.versions.map((one) => (one.version === version ? { ...one, withdrawn: { date, why } } : one))
  entries.set(id, { ...entry, versions })
}

async function foldersOf(from: string): Promise<readonly string[]> {
  const manifests = await Array.fromAsync(glob('*/plugin.json', { cwd: from }))
  return manifests.map((manifest) => join(from, dirname(manifest))).sort()
}

/** Null for the first list. One that cannot be read is not continued: that would begin its numbers again. */
async function readBefore(
  file: string,
  keys: Readonly<Record<string, string>>,
  nowMs: number,
): Promise<Catalogue | null> {
  const bytes = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  return bytes === null ? null : await readCatalogue(bytes, keys, nowMs)
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
