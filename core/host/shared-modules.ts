// The modules that plugins share with the host. They are never bundled into a plugin: there must be one copy of the SDK,
// of the schema library and of the query builder, or identities would differ.
import * as sdk from '@playhead/sdk'
import * as mediaBrowser from '@playhead/sdk/media-browser'
import * as typebox from '@sinclair/typebox'
import * as typeboxValue from '@sinclair/typebox/value'
import * as kysely from 'kysely'

const TABLE: ReadonlyMap<string, object> = new Map<string, object>([
  ['@playhead/sdk', sdk],
  ['@playhead/sdk/media-browser', mediaBrowser],
  ['@sinclair/typebox', typebox],
  ['@sinclair/typebox/value', typeboxValue],
  ['kysely', kysely],
])

export const SHARED_MODULES: readonly string[] = [...TABLE.keys()]

export function sharedModule(id: string): object | undefined {
  return TABLE.get(id)
}

/** Node modules that can do no harm: they neither reach the network or the file system nor change the process. */
export const HARMLESS_BUILTINS: ReadonlySet<string> = new Set([
  'assert', 'buffer', 'crypto', 'events', 'path', 'path/posix', 'querystring', 'stream', 'stream/promises', 'stream/web',
  'string_decoder', 'url', 'util', 'util/types', 'zlib',
].map((name) => `node:${name}`))
