// Modules shared between plugins and host. Never bundled: a second copy of the SDK, of TypeBox or of Kysely would have
// different identities.
import * as sdk from '@playhead/sdk'
import * as typebox from '@sinclair/typebox'
import * as typeboxValue from '@sinclair/typebox/value'
import * as kysely from 'kysely'

// Modules that the host does not need itself are loaded on demand.
const LAZY: Readonly<Record<string, () => Promise<object>>> = {
  '@playhead/sdk/items': () => import('@playhead/sdk/items'),
  '@playhead/sdk/provider': () => import('@playhead/sdk/provider'),
  '@playhead/sdk/sync': () => import('@playhead/sdk/sync'),
  '@playhead/sdk/importer': () => import('@playhead/sdk/importer'),
  '@playhead/sdk/exporter': () => import('@playhead/sdk/exporter'),
  '@playhead/sdk/analyzer': () => import('@playhead/sdk/analyzer'),
  '@playhead/sdk/notifier': () => import('@playhead/sdk/notifier'),
}

const table = new Map<string, object>([
  ['@playhead/sdk', sdk],
  ['@sinclair/typebox', typebox],
  ['@sinclair/typebox/value', typeboxValue],
  ['kysely', kysely],
])

export const SHARED_MODULES: readonly string[] = [...table.keys(), ...Object.keys(LAZY)]

/** Loads the modules that this compiled code requires. */
export function loadShared(code: string): Promise<void> {
  return loadModules(loadedFor(code))
}

/** The modules that are loaded for this compiled code. */
export function loadedFor(code: string): readonly string[] {
  return Object.keys(LAZY).filter((id) => code.includes(`require("${id}")`))
}

/** @param ids from `loadedFor` */
export async function loadModules(ids: readonly string[]): Promise<void> {
  for (const id of ids) if (!table.has(id)) table.set(id, await (LAZY[id] as () => Promise<object>)())
}

export function sharedModule(id: string): object | undefined {
  return table.get(id)
}

/** Safe Node modules: no network, no file system, no process state. */
const HARMLESS_BUILTINS: ReadonlySet<string> = new Set(
  [
    'assert',
    'buffer',
    'crypto',
    'events',
    'path',
    'path/posix',
    'querystring',
    'stream',
    'stream/promises',
    'stream/web',
    'string_decoder',
    'url',
    'util',
    'util/types',
    'zlib',
  ].map((name) => `node:${name}`),
)

/** True if a plugin that declares these Node modules may import this one, such as `node:fs`. */
export function mayImport(builtins: readonly string[], name: string): boolean {
  return HARMLESS_BUILTINS.has(name) || builtins.includes(name)
}

export function undeclaredModule(plugin: string, name: string): string {
  return `Plugin "${plugin}" imports ${name}. Declare it under needs.builtins in plugin.json, or use the plugin's context instead.`
}
