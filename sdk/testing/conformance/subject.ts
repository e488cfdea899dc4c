// Loads a plugin's folder and its adapter for the checks.
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { isDefinedPlugin, type DefinedPlugin } from '../../define.ts'
import { PlayheadError } from '../../errors.ts'
import type { PluginManifest } from '../../manifest.ts'
import type { TestHost } from '../contract.ts'
import { openBench } from './bench.ts'
import type { Adapter, Subject } from './contract.ts'
import { createCoverage } from './coverage.ts'
import { defined } from '../../defined.ts'

export interface SubjectOptions {
  /** Folder with plugin.json. */
  readonly folder: string
  /** The adapter, or its file. Default: `conformance.ts` in the folder. */
  readonly adapter?: Adapter | string
  /** Another plugin for the same plugin.json. */
  readonly plugin?: DefinedPlugin
  /** Number of rows in checks of large reads. Default 2600. */
  readonly items?: number
  /** Of checks that try acts in many orders. Default 1. */
  readonly seed?: number
  readonly onHost?: (host: TestHost) => void
  /** Runs the plugin on a thread of its own. */
  readonly isolated?: boolean
}

const MANY = 2_600

/** Throws an Error that names the missing part: plugin.json, its `provider` block, the adapter, a default export. */
export async function openSubject({
  folder,
  adapter: given,
  plugin: other,
  items = MANY,
  seed = 1,
  onHost,
  isolated = false,
}: SubjectOptions): Promise<Subject> {
  const directory = resolve(folder)
  const file = join(directory, 'plugin.json')
  const manifest = await readManifest(file)
  if (manifest.provider === undefined)
    throw new Error(`${manifest.id} is no provider: plugin.json has no "provider" block.`)
  const plugin = other ?? (await importDefault(join(directory, manifest.entry ?? 'index.ts')))
  if (!isDefinedPlugin(plugin))
    throw new Error(`${manifest.id}: the default export of its entry is not what defineProvider returned.`)
  const adapter =
    typeof given === 'object' ? given : await importAdapter(resolve(given ?? join(directory, 'conformance.ts')))
  const coverage = createCoverage()
  const parts = { plugin, manifest, file, adapter, isolated, coverage, ...defined({ onHost }) }

  await using bench = await openBench(parts, { signedIn: false })
  const description = await bench.provider.describe()
  const { simulator } = bench
  return {
    manifest,
    plugin,
    description,
    can: {
      fail: simulator.services.length > 0,
      expire: simulator.expire !== undefined,
      revoke: simulator.revoke !== undefined,
      takeOff: simulator.takeOff !== undefined,
      unknown: simulator.unknown !== undefined,
      refuse: simulator.signInWrongly !== undefined,
      play: simulator.play !== undefined,
      drop: simulator.drop !== undefined,
      rows: simulator.rows !== undefined,
      episodes: simulator.episodes !== undefined,
      typed: simulator.typed !== undefined,
      flows: (simulator.flows ?? []).map(({ method }) => method),
      local: description.signIn.flow === 'local',
    },
    leaveOut: adapter.leaveOut ?? {},
    items,
    seed,
    coverage,
    open: (options) => openBench(parts, options),
  }
}

// The test host validates it.
async function readManifest(file: string): Promise<PluginManifest> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as PluginManifest
  } catch (error) {
    throw new PlayheadError('PLH_PLUGIN_MANIFEST', `${file} cannot be read: ${(error as Error).message}`, {
      cause: error,
    })
  }
}

async function importAdapter(file: string): Promise<Adapter> {
  await readFile(file).catch(() => {
    throw new Error(
      `there is no adapter ${file}. It describes the service to the kit; docs/reference/conformance.md shows how to write one.`,
    )
  })
  const adapter = await importDefault(file)
  if (typeof (adapter as Partial<Adapter> | undefined)?.start !== 'function')
    throw new Error(`${file}: the default export has no start().`)
  return adapter as Adapter
}

async function importDefault(file: string): Promise<unknown> {
  return ((await import(pathToFileURL(file).href)) as { readonly default?: unknown }).default
}
