// The directory of plugins: what its signed list says, and what a plugin with `needs.directory` may do with it.
import { Type, type Static } from '@sinclair/typebox'
import { PLUGIN_LEVELS } from './capabilities/directory.ts'
import { PLUGIN_KINDS, PluginMark } from './manifest.ts'

const Day = Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$', description: 'In UTC.' })
const Line = Type.String({ minLength: 1, maxLength: 500 })
const Web = Type.String({ maxLength: 300, pattern: '^https://[^\\s]+$' })

export const CatalogueVersion = Type.Object({
  version: Type.String({ pattern: '^\\d+\\.\\d+\\.\\d+(-[0-9A-Za-z.-]+)?$', maxLength: 40 }),
  date: Type.String({ ...Day, description: 'When the version was added.' }),
  api: Type.String({ minLength: 1, maxLength: 60, description: 'Range of SDK versions.' }),
  changes: Type.Array(Line, { maxItems: 50, description: 'What is new.' }),
  asks: Type.Array(Type.String({ minLength: 3, maxLength: 300, pattern: '^[a-zA-Z]+ [^\\s]' }), {
    maxItems: 500,
    uniqueItems: true,
    description: 'What its manifest asks for, as the review of a plugin lists it: "host api.example.org".',
  }),
  level: Type.Union([...PLUGIN_LEVELS.map((level) => Type.Literal(level)), Type.Null()], {
    description: 'Null: it was not examined.',
  }),
  missing: Type.Array(Line, { maxItems: 50, description: 'Ids of the checks that the next level asks for.' }),
  conformance: Type.Union([
    Type.Object({
      points: Type.Integer({ minimum: 0, maximum: 1_000_000 }),
      possible: Type.Integer({ minimum: 1, maximum: 1_000_000 }),
      sdk: Type.String({ minLength: 5, maxLength: 40 }),
      date: Day,
    }),
    Type.Null(),
  ]),
  archive: Type.Union(
    [
      Type.Object({
        file: Type.String({ pattern: '^[a-z0-9][a-z0-9._-]{0,200}\\.tgz$', description: 'Beside the list.' }),
        sha512: Type.String({ pattern: '^sha512-[A-Za-z0-9+/]{86}==$' }),
        size: Type.Integer({ minimum: 1, maximum: 20 * 1024 * 1024, description: 'Bytes.' }),
      }),
      Type.Null(),
    ],
    { description: 'Null for a plugin that is built in.' },
  ),
  withdrawn: Type.Optional(Type.Object({ date: Day, why: Line })),
})
export type CatalogueVersion = Static<typeof CatalogueVersion>

export const CatalogueEntry = Type.Object({
  id: Type.String({ pattern: '^[a-z][a-z0-9-]{1,39}$' }),
  name: Type.String({ minLength: 1, maxLength: 80 }),
  description: Type.String({ maxLength: 500 }),
  kind: Type.Union(PLUGIN_KINDS.map((kind) => Type.Literal(kind))),
  mark: Type.Optional(PluginMark),
  author: Type.String({ minLength: 1, maxLength: 100 }),
  license: Type.String({ minLength: 1, maxLength: 60 }),
  source: Type.Union([Web, Type.Null()], { description: 'Where its source is.' }),
  builtIn: Type.Boolean({ description: 'It is a part of Playhead, and updated with it.' }),
  versions: Type.Array(CatalogueVersion, { minItems: 1, maxItems: 100, description: 'The newest first.' }),
})
export type CatalogueEntry = Static<typeof CatalogueEntry>

export const Catalogue = Type.Object({
  format: Type.Literal(1),
  serial: Type.Integer({
    minimum: 1,
    maximum: Number.MAX_SAFE_INTEGER,
    description: 'Grows with each list. A lower one than the last is refused.',
  }),
  date: Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}Z$' }),
  plugins: Type.Array(CatalogueEntry, { maxItems: 2_000 }),
})
export type Catalogue = Static<typeof Catalogue>

export interface KnownCatalogue {
  /** `shipped`: it came with Playhead. `fetched`: it was offered by a plugin later. */
  readonly from: 'shipped' | 'fetched'
  readonly catalogue: Catalogue
}

/** A plugin of the directory whose folder ships with Playhead. */
export interface ShippedPlugin
  extends Pick<CatalogueEntry, 'id' | 'name' | 'description' | 'kind' | 'mark'>,
    Pick<CatalogueVersion, 'version' | 'api' | 'asks'> {
  /** Absolute path. */
  readonly folder: string
}

/** A plugin that a person added. */
export interface AddedPlugin {
  readonly id: string
  readonly source: 'npm' | 'file' | 'directory' | 'folder'
  /** Null before the first review was accepted. */
  readonly version: string | null
  readonly previous: string | null
  /** The version that waits for a review. */
  readonly staged: string | null
}

/**
 * `review`: a person has to accept it with `POST /api/plugin-packages/{id}/accept`. `updated`: it asks for nothing new,
 * and is live unless `ok` is false: then the version before is. `newest`: it is live already.
 */
export interface StagedPlugin {
  readonly state: 'review' | 'updated' | 'newest'
  readonly ok: boolean
  readonly id: string
  readonly version: string
}

/**
 * The directory of plugins. The core verifies: a plugin can bring bytes, but cannot make a list that no trusted key
 * signed, or install what the list does not list.
 */
export interface PluginDirectory {
  /** The newest verified list; null if none can be used, which the log explains. */
  catalogue(): Promise<KnownCatalogue | null>
  /**
   * Verifies a list file and keeps it if it is newer.
   *
   * @param file the bytes as they were fetched, at most 1 MiB
   * @returns false if it is known already
   * @throws PLH_INVALID with a wire code `catalogue_…` and the reason; the known one stays
   */
  offer(file: Uint8Array): Promise<boolean>
  /** What one plugin asks for, in English words, in the order of the review. */
  describe(asks: readonly string[]): readonly string[]
  /** Plugins whose folders ship with Playhead; a folder that is not a plugin is left out. */
  shipped(): Promise<readonly ShippedPlugin[]>
  added(): Promise<readonly AddedPlugin[]>
  /**
   * Puts a version of the list up for its review, or makes it live if it asks for nothing new.
   *
   * @param archive its file; without one, the folder that ships with Playhead is packed
   * @throws PLH_NOT_FOUND (`version_unknown`), PLH_CONFLICT (`version_withdrawn`, `plugin_built_in`, `plugin_id_taken`,
   * `archive_needed`), PLH_PLUGIN_INTEGRITY (`package_integrity`: other bytes than the list has; `listing_differs`:
   * its manifest is not what the list says), and the errors of a package
   */
  stage(id: string, version: string, archive?: Uint8Array): Promise<StagedPlugin>
}
