// Installs a package, of npm or from a file, into a folder for the review. None of its code and no script runs.
import { randomBytes } from 'node:crypto'
import { mkdir, readdir, readFile, realpath, rename, rm, rmdir, stat } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import valid from 'semver/functions/valid.js'
import { PlayheadError, type PackageRelease, type PluginManifest } from '@playhead/sdk'
import { compilePages } from '../host/load/compile-pages.ts'
import { compilePlugin, integrityOf } from '../host/load/compile.ts'
import { checkManifest, readManifest } from '../host/load/registry.ts'
import { syncFolder } from '../storage/atomic-file.ts'
import { asksOf } from './asks.ts'
import { parseSpec, sha512Of } from './npm-registry.ts'
import { readTarball, writeFiles, type PackageFiles } from './unpack.ts'

const INSTALL_SCRIPTS = ['preinstall', 'install', 'postinstall', 'prepare'] as const
const OWNER_ONLY = 0o700
/** Another process may be unpacking. */
const UNUSED_MS = 3_600_000

export interface InstallPlaces {
  readonly registry: string
  /** The folder of all installed packages. */
  readonly packages: string
}

interface Installed {
  readonly manifest: PluginManifest
  readonly release: PackageRelease
  /** Warnings for the person who reviews the plugin. */
  readonly notes: readonly string[]
}

export interface Wanted {
  readonly name: string
  readonly version: string
  readonly range: string
  readonly address: string
}

export interface Unpacked {
  readonly files: PackageFiles
  /** Of the tarball. */
  readonly sha512: string
}

export async function unpack(tarball: Buffer, what: string): Promise<Unpacked> {
  return { files: await readTarball(tarball, what), sha512: sha512Of(tarball) }
}

/** The name and the version that the package gives itself. */
export function namesIn({ files }: Unpacked, what: string): { readonly name: string; readonly version: string } {
  const { name, version } = objectIn(files, 'package.json', what)
  if (typeof name !== 'string' || parseSpec(name)?.name !== name)
    throw refused(what, 'its package.json has no name that npm allows.')
  if (typeof version !== 'string' || valid(version) !== version)
    throw refused(what, 'its package.json has no version such as 1.0.0.')
  return { name, version }
}

/** Checks and writes the files of a tarball; `mayTake` is called before anything is written. A failure removes the folder. */
export async function installFiles(
  { registry, packages }: InstallPlaces,
  { files, sha512 }: Unpacked,
  { name, version, range, address }: Wanted,
  mayTake: (manifest: PluginManifest, sha512: string) => Promise<void>,
): Promise<Installed> {
  const what = `${name} ${version}`
  const { manifest, notes } = checkPackage(files, name, version)
  await mayTake(manifest, sha512)
  const { folder, integrity } = await placeFiles({ home: join(packages, manifest.id), files, manifest, sha512, what })
  const release: PackageRelease = {
    version,
    range,
    tarball: address,
    sha512,
    folder: folderIn(registry, folder),
    integrity,
    asks: [...asksOf(manifest)],
  }
  return { manifest, release, notes }
}

interface Placing {
  /** The folder of all versions of the plugin. */
  readonly home: string
  readonly files: PackageFiles
  readonly manifest: PluginManifest
  readonly sha512: string
  /** For messages. */
  readonly what: string
}

/** Writes and compiles a version without running it; its folder is complete or missing. */
export async function placeFiles({
  home,
  files,
  manifest,
  sha512,
  what,
}: Placing): Promise<{ readonly folder: string; readonly integrity: string }> {
  const hash = Buffer.from(sha512.slice('sha512-'.length), 'base64').toString('hex').slice(0, 12)
  const folder = join(home, `${manifest.version}-${hash}`)
  const draft = join(home, `.${randomBytes(6).toString('hex')}.tmp`)
  await mkdir(home, { recursive: true, mode: OWNER_ONLY })
  try {
    await writeFiles(draft, files)
    const integrity = await compile(await realpath(draft), manifest, what)
    // A folder with the same bytes is kept, because it may be running; one that was changed by hand is replaced.
    if (!(await hasFiles(folder, files))) {
      await rm(folder, { recursive: true, force: true })
      await rename(draft, folder)
      await syncFolder(home)
    }
    return { folder, integrity }
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
}

async function hasFiles(folder: string, files: PackageFiles): Promise<boolean> {
  for (const [path, content] of files) {
    const found = await readFile(join(folder, path)).catch(() => null)
    if (found?.equals(content) !== true) return false
  }
  return true
}

/** The path of a folder as in the registry file. */
export function folderIn(registry: string, folder: string): string {
  return `./${relative(dirname(registry), folder).split(sep).join('/')}`
}

/** True if the folder of the release has the recorded content. */
export async function isWhole(registry: string, id: string, { folder, integrity }: PackageRelease): Promise<boolean> {
  try {
    const directory = await realpath(join(dirname(registry), folder))
    return (await sourcesIntegrity(directory, await readManifest(directory, id))) === integrity
  } catch {
    return false
  }
}

/** Removes folders of the package that no release refers to. */
export async function sweepReleases(
  { registry, packages }: InstallPlaces,
  id: string,
  used: readonly Pick<PackageRelease, 'folder'>[],
  nowMs = Date.now(),
): Promise<void> {
  const home = join(packages, id)
  const wanted = new Set(used.map(({ folder }) => join(dirname(registry), folder)))
  for (const name of await readdir(home).catch(() => [])) {
    const folder = join(home, name)
    if (wanted.has(folder)) continue
    const { mtimeMs } = await stat(folder).catch(() => ({ mtimeMs: nowMs }))
    if (name.startsWith('.') && nowMs - mtimeMs < UNUSED_MS) continue
    await rm(folder, { recursive: true, force: true }).catch(() => undefined)
  }
  // Stays while something is in it.
  if (used.length === 0) await rmdir(home).catch(() => undefined)
}

function checkPackage(
  files: PackageFiles,
  name: string,
  version: string,
): { readonly manifest: PluginManifest; readonly notes: readonly string[] } {
  const refuse = (text: string) => refused(`${name} ${version}`, text)
  const described = objectIn(files, 'package.json', `${name} ${version}`)
  if (described['name'] !== name || described['version'] !== version)
    throw refuse(`its package.json names ${String(described['name'])} ${String(described['version'])}.`)
  const manifest = manifestIn(files, `${name} ${version}`)
  if (manifest.version !== version) throw refuse(`its plugin.json has the version ${manifest.version}.`)
  const dependencies = Object.keys(record(described['dependencies'])).filter((one) => one !== '@playhead/sdk')
  const missing = dependencies.filter((one) => !files.has(`node_modules/${one}/package.json`))
  if (missing.length > 0)
    throw refuse(
      `it needs the ${missing.length === 1 ? 'package' : 'packages'} ${missing.join(', ')}, and packages of packages are not installed. ` +
        'Its author can bundle them: "playhead plugin pack" does.',
    )
  const scripts = INSTALL_SCRIPTS.filter((script) => Object.hasOwn(record(described['scripts']), script))
  return { manifest, notes: scripts.length === 0 ? [] : [`its scripts (${scripts.join(', ')}) are not run`] }
}

/** The manifest of a package, checked. */
export function manifestIn(files: PackageFiles, what: string): PluginManifest {
  return checkManifest(objectIn(files, 'plugin.json', what), `${what}: plugin.json`)
}

function objectIn(files: PackageFiles, file: string, what: string): Readonly<Record<string, unknown>> {
  const content = files.get(file)
  if (content === undefined)
    throw refused(what, file === 'plugin.json' ? 'it has no plugin.json, so it is not a plugin.' : `it has no ${file}.`)
  try {
    const value: unknown = JSON.parse(content.toString('utf8'))
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  } catch {
    // Reported below.
  }
  throw refused(what, `its ${file} is not a JSON object.`)
}

export function refused(what: string, text: string): PlayheadError {
  return new PlayheadError('PLH_INVALID', `${what} was refused: ${text}`, { wire: 'package_refused' })
}

/** Compiles the package without running it; all its imports must be in the package. */
async function compile(directory: string, manifest: PluginManifest, what: string): Promise<string> {
  const inputs = await inputsOf(directory, manifest)
  const foreign = inputs.find((input) => !input.startsWith(directory + sep))
  if (foreign !== undefined)
    throw refused(what, `it imports ${relative(directory, foreign)}, which is not in the package.`)
  return integrityOf(directory, inputs)
}

/** The hash covers the manifest and all sources. */
export async function sourcesIntegrity(directory: string, manifest: PluginManifest): Promise<string> {
  return integrityOf(directory, await inputsOf(directory, manifest))
}

async function inputsOf(directory: string, { id, entry = 'index.ts', ui }: PluginManifest): Promise<readonly string[]> {
  const { inputs } = await compilePlugin({ id, directory, entry, cacheDirectory: null })
  const pages = await compilePages({ id, directory, ui, cacheDirectory: null })
  return [...new Set([...inputs, ...(pages?.inputs ?? [])])]
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}
