// The plugins that ship, as core/build.ts compiled and ran them: manifest, code and snapshot, in one index beside the built
// core. An entry is valid for the contents of its sources, so that an edit leaves only its own plugin to be compiled.
import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { PluginManifest } from '@playhead/sdk'
import { BUILT_FOLDER } from '../../built.js'
import type { Description } from '../../http/openapi/openapi.ts'
import { contentOfCore, IS_BUILT, ROOT } from '../../installation.ts'
import type { PluginSnapshot } from '../dormant/contract.ts'
import { withMap } from './compile.ts'
import { createProvenSources } from './proven-sources.ts'

/** Relative to the build's folder. */
export const SHIPPED_FOLDER = 'plugins'
/** Written last. */
export const SHIPPED_INDEX = 'plugins.json'

export interface ShippedEntry {
  /** Its folder by path below package.json, like `sources`. */
  readonly directory: string
  /** The manifest and the sources of the code. */
  readonly sources: readonly string[]
  readonly sourcesHash: string
  readonly manifest: PluginManifest
  /** @see CompiledPlugin.hash */
  readonly compiledHash: string
  /** Hash of the file with the code. */
  readonly codeHash: string
  /** Made with the default settings; null for a plugin that must run. */
  readonly snapshot: PluginSnapshot | null
}

export interface ShippedIndex {
  /** The core that ran them. */
  readonly core: string
  readonly plugins: Readonly<Record<string, ShippedEntry>>
}

export interface Shipped {
  /** Null if its sources are not those that were compiled. */
  find(place: { readonly id: string; readonly directory: string }): ShippedEntry | null
  /** Its code; null if the file has changed since the build. */
  code(id: string): Promise<string | null>
  description(id: string): Promise<Description | null>
}

/**
 * Null if there is none for the core that runs.
 * @param run the folder of notes for the next start
 */
export function openShipped(run: string): Shipped | null {
  if (!IS_BUILT) return null
  const folder = join(ROOT, BUILT_FOLDER)
  let index: ShippedIndex
  try {
    index = JSON.parse(readFileSync(join(folder, SHIPPED_INDEX), 'utf8')) as ShippedIndex
  } catch {
    return null
  }
  if (index.core !== contentOfCore()) return null
  const file = (id: string, ending: string) => join(folder, SHIPPED_FOLDER, id + ending)
  const { plugins } = index
  const proven = createProvenSources({ root: ROOT, note: join(run, 'sources'), build: contentOfCore() }, plugins)
  return {
    find({ id, directory }) {
      const entry = Object.hasOwn(plugins, id) ? plugins[id] : undefined
      if (entry === undefined || join(ROOT, entry.directory) !== directory) return null
      return proven.has(id) ? entry : null
    },
    async code(id) {
      const code = await readFile(file(id, '.cjs'), 'utf8').catch(() => null)
      if (code === null || hash('sha256', code) !== plugins[id]?.codeHash) return null
      return withMap(code, file(id, '.cjs.map'))
    },
    description: (id) =>
      readFile(file(id, '.openapi.json'), 'utf8').then(
        (text) => JSON.parse(text) as Description,
        () => null,
      ),
  }
}
