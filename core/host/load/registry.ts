// The plugin registries: the bundled one, and the user's in the data directory, which adds plugins and overrides
// `enabled`. Each entry refers to a folder with a plugin.json.
import { realpathSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { Value } from '@sinclair/typebox/value'
import type { TSchema, Static } from '@sinclair/typebox'
import satisfies from 'semver/functions/satisfies.js'
import gtr from 'semver/ranges/gtr.js'
import { PluginManifest, PluginRegistry, SDK_VERSION, type PluginPackage, type RegistryEntry } from '@playhead/sdk'
import { scopeOfRoute } from '../../http/access/scopes.ts'
import { replaceFile } from '../../storage/atomic-file.ts'
import { LoadError } from '../run/fault.ts'

export interface RegisteredPlugin {
  readonly id: string
  readonly directory: string
  readonly enabled: boolean
  readonly integrity: string | null
  /** Ids of plugins that became part of this one. */
  readonly formerly: readonly string[]
  /** The registry of the entry. */
  readonly origin: 'bundled' | 'user'
  /** For plugins from npm. */
  readonly package: PluginPackage | null
  /** Accepted permissions of plugins from npm and of development versions; null for the others. */
  readonly granted: readonly string[] | null
  /** Sent by its author, who works on it. */
  readonly isDevelopment: boolean
}

export interface RegistryReading {
  readonly plugins: readonly RegisteredPlugin[]
  /** Invalid entries, with file name and reason. */
  readonly problems: readonly LoadError[]
}

export interface RegistryFiles {
  readonly bundledRegistry: string
  readonly userRegistry: string
  readonly packages: string
}

/** Reads both registries. An unreadable registry is reported and contributes nothing. */
export async function readRegistries(files: RegistryFiles): Promise<RegistryReading> {
  const problems: LoadError[] = []
  const bundled = await readRegistry(files.bundledRegistry, problems)
  const user = await readRegistry(files.userRegistry, problems)
  const plugins = new Map<string, RegisteredPlugin>()
  const isFormer = (id: string) => [...plugins.values()].some(({ formerly }) => formerly.includes(id))
  const add = (entries: readonly RegistryEntry[], origin: 'bundled' | 'user', file: string) => {
    for (const entry of entries) {
      const known = plugins.get(entry.id)
      if (entry.source === undefined) {
        // A package that waits for its first review.
        if (known === undefined && (entry.package !== undefined || isFormer(entry.id))) continue
        if (known === undefined)
          problems.push(problem(file, `lists "${entry.id}" without a source, and no other registry knows it`))
        else plugins.set(entry.id, { ...known, enabled: entry.enabled ?? known.enabled })
        continue
      }
      plugins.set(entry.id, {
        id: entry.id,
        directory: directoryOf(entry.source, file, files.packages),
        enabled: entry.enabled ?? true,
        formerly: entry.formerly ?? [],
        integrity: entry.integrity ?? null,
        origin,
        package: entry.package ?? null,
        granted: entry.package?.live?.asks ?? entry.development?.asks ?? null,
        isDevelopment: entry.development !== undefined,
      })
    }
  }
  add(bundled, 'bundled', files.bundledRegistry)
  add(user, 'user', files.userRegistry)
  return { plugins: [...plugins.values()].sort((a, b) => (a.id < b.id ? -1 : 1)), problems }
}

async function readRegistry(file: string, problems: LoadError[]): Promise<readonly RegistryEntry[]> {
  try {
    return await readEntries(file)
  } catch (error) {
    problems.push(error instanceof LoadError ? error : problem(file, 'cannot be read', error))
    return []
  }
}

/** Creates an empty registry if missing. */
export async function createRegistry(file: string): Promise<void> {
  const isThere = await stat(file).then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code !== 'ENOENT',
  )
  if (!isThere) await changeRegistry(file, (plugins) => plugins)
}

/** Changes of this process, one after another. */
const changes = new Map<string, Promise<unknown>>()

/** Changes a registry atomically, preserving file permissions; a new file is private. */
export async function changeRegistry(
  file: string,
  change: (plugins: RegistryEntry[]) => RegistryEntry[],
): Promise<void> {
  const mine = (changes.get(file) ?? Promise.resolve()).then(() => changeNow(file, change))
  changes.set(
    file,
    mine.catch(() => {}),
  )
  return mine
}

/** The entries of one registry. Throws a LoadError if it is malformed; none if it is missing. */
export async function readEntries(file: string): Promise<readonly RegistryEntry[]> {
  try {
    return parse(PluginRegistry, await readFile(file, 'utf8'), file).plugins
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

async function changeNow(file: string, change: (plugins: RegistryEntry[]) => RegistryEntry[]): Promise<void> {
  let registry: PluginRegistry = { version: 1, plugins: [] }
  try {
    registry = parse(PluginRegistry, await readFile(file, 'utf8'), file)
  } catch (error) {
    // A malformed file must not be overwritten.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  const text = `${JSON.stringify({ ...registry, plugins: change([...registry.plugins]) }, null, 2)}\n`
  parse(PluginRegistry, text, file)
  const mode = await stat(file).then(
    (stats) => stats.mode & 0o777,
    () => undefined,
  )
  await replaceFile(file, text, mode)
}

/** Reads and checks plugin.json before any plugin code runs. */
export async function readManifest(directory: string, id: string): Promise<PluginManifest> {
  const file = join(directory, 'plugin.json')
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (error) {
    throw new LoadError('manifest', 'PLH_PLUGIN_MANIFEST', `Plugin "${id}": ${file} cannot be read.`, { cause: error })
  }
  const manifest = parse(PluginManifest, text, file, 'manifest')
  if (manifest.id !== id)
    throw new LoadError(
      'manifest',
      'PLH_PLUGIN_MANIFEST',
      `${file} names the plugin "${manifest.id}", but the registry calls it "${id}".`,
    )
  checkRules(manifest)
  return withScopes(manifest)
}

/** As `readManifest`, for a value. */
export function checkManifest(value: unknown, name: string): PluginManifest {
  const manifest = checked(PluginManifest, value, name, 'manifest')
  checkRules(manifest)
  return withScopes(manifest)
}

/** Scopes of API tokens for the declared routes. */
function withScopes(manifest: PluginManifest): PluginManifest {
  const { routes, kind } = manifest
  if (routes === undefined) return manifest
  return { ...manifest, routes: routes.map((route) => ({ ...route, scope: scopeOfRoute(route.method, route, kind) })) }
}

/** Rules that the schema cannot express. */
function checkRules(manifest: PluginManifest): void {
  const { id } = manifest
  for (const route of manifest.routes ?? []) {
    if (route.auth === 'W' && !route.path.startsWith('/webhook/')) {
      throw new LoadError(
        'manifest',
        'PLH_PLUGIN_MANIFEST',
        `Plugin "${id}": ${route.method} ${route.path} has auth W; webhooks live below /webhook/.`,
      )
    }
    if (route.whenDown?.keep === true && route.auth !== 'W') {
      throw new LoadError(
        'manifest',
        'PLH_PLUGIN_MANIFEST',
        `Plugin "${id}": ${route.method} ${route.path} has whenDown.keep; only webhooks (auth W) are kept.`,
      )
    }
  }
  if (!satisfies(SDK_VERSION, manifest.api)) {
    throw new LoadError(
      'manifest',
      'PLH_PLUGIN_API_RANGE',
      `Plugin "${id}" needs SDK ${manifest.api}; this host has ${SDK_VERSION}. Update ${gtr(SDK_VERSION, manifest.api) ? 'the plugin' : 'Playhead'}.`,
    )
  }
}

function parse<Schema extends TSchema>(
  schema: Schema,
  text: string,
  file: string,
  phase: 'registry' | 'manifest' = 'registry',
): Static<Schema> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new LoadError(phase, 'PLH_PLUGIN_MANIFEST', `${file} is not JSON: ${(error as Error).message}`, {
      position: { file, ...positionOf(text, error as Error) },
    })
  }
  return checked(schema, value, file, phase)
}

function checked<Schema extends TSchema>(
  schema: Schema,
  value: unknown,
  file: string,
  phase: 'registry' | 'manifest',
): Static<Schema> {
  // Looking for errors takes ten times as long.
  const first = Value.Check(schema, value) ? undefined : Value.Errors(schema, value).First()
  if (first !== undefined)
    throw new LoadError(
      phase,
      'PLH_PLUGIN_MANIFEST',
      `${file}: ${first.path || 'the document'} ${first.message.toLowerCase()}.`,
      { position: { file, line: 1, column: 1 } },
    )
  return value as Static<Schema>
}

function positionOf(text: string, error: Error): { line: number; column: number } {
  const offset = Number(/position (\d+)/.exec(error.message)?.[1] ?? 0)
  const before = text.slice(0, offset).split('\n')
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 }
}

function directoryOf(source: string, registry: string, packages: string): string {
  if (source.startsWith('npm:')) return join(packages, 'node_modules', source.slice('npm:'.length))
  return isAbsolute(source) ? source : resolve(dirname(registry), source)
}

/** The resolved folder, as in watcher events and stack traces. */
export function realDirectory(directory: string): string {
  try {
    return realpathSync.native(directory)
  } catch {
    return directory
  }
}

function problem(file: string, text: string, cause?: unknown): LoadError {
  return new LoadError('registry', 'PLH_PLUGIN_MANIFEST', `${file} ${text}.`, { cause })
}
