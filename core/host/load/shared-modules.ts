// The modules that plugins share with the host. They are never bundled into a plugin: there must be one copy of the
// SDK, of the schema library and of the query builder, or identities would differ.
import * as sdk from '@playhead/sdk'
import * as typebox from '@sinclair/typebox'
import * as typeboxValue from '@sinclair/typebox/value'
import * as kysely from 'kysely'

// What the host needs itself is there; the rest is loaded for the first plugin that asks for it.
const LATER: Readonly<Record<string, () => Promise<object>>> = {}

const table = new Map<string, object>([
  ['@playhead/sdk', sdk],
  ['@sinclair/typebox', typebox],
  ['@sinclair/typebox/value', typeboxValue],
  ['kysely', kysely],
])

export const SHARED_MODULES: readonly string[] = [...table.keys(), ...Object.keys(LATER)]

/** Loads what this compiled code asks for, so that its require finds it. */
export async function loadShared(code: string): Promise<void> {
  for (const [id, load] of Object.entries(LATER)) {
    if (!table.has(id) && code.includes(`require("${id}")`)) table.set(id, await load())
  }
}

export function sharedModule(id: string): object | undefined {
  return table.get(id)
}

/** Node modules that can do no harm: they neither reach the network or the file system nor change the process. */
export const HARMLESS_BUILTINS: ReadonlySet<string> = new Set(
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
