// Paths of this installation's files, the same for the sources and for the built core.
import { globSync } from 'node:fs'
import { findPackageJSON } from 'node:module'
import { dirname, join } from 'node:path'
import { BUILT_FOLDER, hashOf, readStamp } from './built.js'

/** The folder of Playhead's package.json. */
export const ROOT = dirname(findPackageJSON(import.meta.url) as string)

/** This module is part of what core/build.ts makes. */
export const IS_BUILT = import.meta.filename.endsWith('.js')

/** The module of a thread, by its path below `core`. */
export function threadModule(source: string): string {
  return IS_BUILT ? join(ROOT, BUILT_FOLDER, source.replace(/\.ts$/, '.js')) : join(ROOT, 'core', source)
}

let content: string | undefined

/** A hash of the core and the SDK that run. */
export function contentOfCore(): string {
  return (content ??= IS_BUILT ? readStamp(ROOT).sourcesHash : hashOf(ROOT, sourcesOfCore()))
}

/** By path below `ROOT`. */
export function sourcesOfCore(): readonly string[] {
  const exclude = ['**/node_modules', '**/dist', 'sdk/templates']
  return globSync('{core,sdk}/**/*.{ts,js}', { cwd: ROOT, exclude }).sort()
}
