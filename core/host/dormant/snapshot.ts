// The registrations of a plugin's last run. A start uses them instead of running the plugin, which is loaded at first
// use. Valid for one core, one source and one set of settings. Plugins that ship have one with the default settings, see
// load/shipped.ts.
import { defined } from '@playhead/sdk/host'
import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { ConfigSection, ConfigService } from '../../config/contract.ts'
import { contentOfCore } from '../../installation.ts'
import { identityOf, replaceFile } from '../../storage/atomic-file.ts'
import { isOwnTime } from '../../scheduling/scheduler.ts'
import type { Description } from '../../http/openapi/openapi.ts'
import type { Recording } from '../run/recording.ts'
import type { LivePlugin } from '../contract.ts'
import type { CapabilitySnapshot, PluginSnapshot } from './contract.ts'

// Keys with an underscore are never stored.
const NOTHING_STORED = '_nothing'
/** Increment it when the fields change. */
const FORMAT = 6

export interface Snapshots {
  /** Null if there is none for this build of the core. */
  read(plugin: string): Promise<PluginSnapshot | null>
  /** The OpenAPI description of its routes. */
  description(plugin: string): Promise<Description | null>
  /** The snapshot is written last: a crash in between leaves the previous one, or none. */
  write(plugin: string, snapshot: Omit<PluginSnapshot, 'format' | 'build'>, description: object): Promise<void>
  forget(plugin: string): Promise<void>
}

export function createSnapshots(folder: string): Snapshots {
  const file = (plugin: string) => join(folder, `${plugin}.json`)
  const descriptionFile = (plugin: string) => join(folder, `${plugin}.openapi.json`)
  let names: Promise<Set<string>> | undefined
  /** Most plugins have no snapshot of their own: one listing of the folder instead of one access for each. */
  const written = () =>
    (names ??= readdir(folder).then(
      (found) => new Set(found),
      () => new Set(),
    ))
  const parsed = async (name: string) => JSON.parse(await readFile(name, 'utf8')) as unknown

  return {
    async read(plugin) {
      if (!(await written()).has(`${plugin}.json`)) return null
      try {
        const found = (await parsed(file(plugin))) as PluginSnapshot
        return found.format === FORMAT && found.build === contentOfCore() ? found : null
      } catch {
        // An unreadable one is rewritten after the next load.
        return null
      }
    },
    description: async (plugin) => (await parsed(descriptionFile(plugin)).catch(() => null)) as Description | null,
    async write(plugin, snapshot, description) {
      await mkdir(folder, { recursive: true })
      await replaceFile(descriptionFile(plugin), JSON.stringify(description))
      const whole: PluginSnapshot = { format: FORMAT, build: contentOfCore(), ...snapshot }
      await replaceFile(file(plugin), JSON.stringify(whole))
      ;(await written()).add(`${plugin}.json`)
    },
    async forget(plugin) {
      await Promise.all([file, descriptionFile].map((of) => rm(of(plugin), { force: true })))
    },
  }
}

export async function identitiesOf(files: readonly string[]): Promise<PluginSnapshot['files']> {
  const found = files.map(async (file) => [file, identityOf(await stat(file, { bigint: true }))] as const)
  return Object.fromEntries(await Promise.all(found))
}

/** True if all source files are unchanged by size, time and inode; false if they are not known. */
export async function isOfSameFiles({ files }: PluginSnapshot): Promise<boolean> {
  if (Object.keys(files).length === 0) return false
  const now = await identitiesOf(Object.keys(files)).catch(() => ({}) as PluginSnapshot['files'])
  return Object.entries(files).every(([file, identity]) => now[file] === identity)
}

/**
 * Null for a plugin with activity beyond its registrations: it must run. Values and results that are not plain data are
 * omitted; they load the plugin.
 */
export async function takeSnapshot(
  { staged, contribution }: LivePlugin,
  version: string,
  files: PluginSnapshot['files'],
  config: Pick<ConfigService, 'resolve'>,
): Promise<Omit<PluginSnapshot, 'format' | 'build'> | null> {
  const { recording, definition, hookKinds } = staged
  if (staged.timers() > 0) return null
  const checked = (section: ConfigSection): ConfigSection => ({
    ...section,
    hasCheckedDefaults: config.resolve(NOTHING_STORED, section.schema).problems.length === 0,
  })
  return {
    sourceHash: staged.sourceHash,
    files,
    version,
    sections: contribution?.sections.map(checked) ?? null,
    ...defined({ additions: contribution?.additions?.map(checked) }),
    shapesSettings: contribution?.normalize !== undefined || contribution?.migrate !== undefined,
    hookKinds: Object.fromEntries(hookKinds),
    taps: recording.taps.map(({ hook, name, stage }) => ({ hook, name, stage })),
    listeners: recording.listeners.map(({ name }) => name),
    jobs: recording.jobs.map(({ name, timing, options }) => ({
      name,
      options,
      ...(isOwnTime(timing) ? { isSet: timing.latest?.timing != null } : { timing }),
    })),
    capabilities: await capabilitiesOf(recording),
    routes: staged.routes,
    services: Object.keys(definition.services ?? {}),
    worksAfterStart: recording.starts.length > 0,
  }
}

async function capabilitiesOf(recording: Recording): Promise<PluginSnapshot['capabilities']> {
  const found: Record<string, CapabilitySnapshot> = {}
  for (const [token, value] of recording.capabilities) {
    const answers: Record<string, unknown> = {}
    for (const name of recording.whileDormant.get(token) ?? []) {
      answers[name] = await (value as Record<string, () => unknown>)[name]?.()
    }
    const values = Object.fromEntries(Object.entries(value).filter(([, member]) => typeof member !== 'function'))
    found[token] = { values, answers }
  }
  return found
}
