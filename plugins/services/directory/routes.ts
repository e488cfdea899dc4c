// Routes of the directory: the list, one plugin with its versions, a look at the address, and the installation.
import {
  type CatalogueVersion,
  LISTING_STATES,
  oneOf,
  optionalBody,
  orNull,
  PLUGIN_KINDS,
  PLUGIN_LEVELS,
  type PluginApp,
  type PluginDirectory,
  PlayheadError,
  ShownMark,
  Type,
} from '@playhead/sdk'
import { type FullListing, type Listings, works } from './listings.ts'
import type { CatalogueSource } from './source.ts'

const Text = Type.String()
const Count = Type.Integer()
const Day = Type.String({ description: 'A day in UTC.' })
const Withdrawn = Type.Object({ date: Day, why: Text })
const Level = orNull(
  Type.Unsafe<(typeof PLUGIN_LEVELS)[number]>({
    ...oneOf(PLUGIN_LEVELS),
    description: 'What was found when it was examined; null: it was not.',
  }),
)
const ShownVersion = Type.Object(
  {
    version: Text,
    date: orNull(Day),
    works: Type.Boolean({ description: 'With this version of Playhead.' }),
    ships: Type.Boolean({ description: 'It can be installed without a network.' }),
    changes: Type.Array(Text, { description: 'What is new.' }),
    asks: Type.Array(Text, { description: 'What it asks for, in words.' }),
    level: Level,
    missing: Type.Array(Text, { description: 'The checks that the next level asks for.' }),
    conformance: orNull(
      Type.Object(
        { points: Count, possible: Count, sdk: Text, date: Day },
        { description: 'What the conformance kit found, with which SDK and when.' },
      ),
    ),
    size: orNull(Type.Integer({ description: 'Bytes of the archive.' })),
    withdrawn: orNull(Withdrawn),
  },
  { title: 'DirectoryVersion' },
)
const ShownListing = Type.Object(
  {
    id: Text,
    name: Text,
    description: Text,
    kind: oneOf(PLUGIN_KINDS),
    mark: orNull(ShownMark),
    author: Text,
    license: Text,
    source: orNull(Type.String({ description: 'The address of its source.' })),
    state: oneOf(LISTING_STATES),
    version: orNull(Type.String({ description: 'The installed one.' })),
    previous: orNull(Type.String({ description: 'The one that can be gone back to.' })),
    staged: orNull(Type.String({ description: 'The one that waits for a review.' })),
    origin: orNull(oneOf(['npm', 'file', 'directory', 'folder'])),
    folder: orNull(Type.String({ description: 'Of `unlisted`: what `POST /api/plugin-folders` takes.' })),
    newest: orNull(ShownVersion),
    withdrawn: orNull(Withdrawn),
  },
  { title: 'DirectoryListing' },
)
const Catalogue = orNull(
  Type.Object({
    serial: Count,
    date: Text,
    from: Type.Unsafe<'shipped' | 'fetched'>({
      ...oneOf(['shipped', 'fetched']),
      description: 'shipped: it came with this Playhead.',
    }),
  }),
)
const Look = Type.Object(
  {
    host: orNull(Type.String({ description: 'Null: no address is set, and nothing is asked.' })),
    checked_at: orNull(Type.Integer({ description: 'Epoch milliseconds of the last look.' })),
    error: orNull(Type.Object({ code: Text, message: Text })),
  },
  { description: 'The last look at the address of the directory.' },
)
const Params = Type.Object({ id: Type.String({ maxLength: 64 }) })

interface Parts {
  readonly directory: PluginDirectory
  readonly source: CatalogueSource
  readonly listings: Listings
}

export function registerDirectoryRoutes(app: PluginApp, { directory, source, listings }: Parts): void {
  async function look() {
    const { checkedAtMs, error } = await source.state()
    return { host: source.host, checked_at: checkedAtMs, error }
  }

  async function find(id: string): Promise<FullListing> {
    const found = (await listings.list()).find((one) => one.id === id)
    if (found !== undefined) return found
    throw new PlayheadError('PLH_NOT_FOUND', `The directory has no plugin "${id}".`, { wire: 'plugin_unlisted' })
  }

  const shownVersion = ({ shipped }: FullListing, version: CatalogueVersion) => ({
    version: version.version,
    date: version.date,
    works: works(version),
    ships: version.archive === null || shipped?.version === version.version,
    changes: [...version.changes],
    asks: [...directory.describe(version.asks)],
    level: version.level,
    missing: [...version.missing],
    conformance: version.conformance,
    size: version.archive?.size ?? null,
    withdrawn: version.withdrawn ?? null,
  })

  function shown(listing: FullListing) {
    const { id, state, version, newest, withdrawn, added, shipped, entry } = listing
    const { name, description, kind, mark, author, license, source: address, versions } = entry
    const best = versions.find((one) => one.version === newest)
    return {
      ...{ id, name, description, kind, author, license, state, version, withdrawn },
      mark: mark ?? null,
      source: address,
      previous: added?.previous ?? null,
      staged: added?.staged ?? null,
      origin: added?.source ?? null,
      folder: state === 'unlisted' ? (shipped?.folder ?? null) : null,
      newest: best === undefined ? null : shownVersion(listing, best),
    }
  }

  app.get(
    '/api/directory',
    {
      schema: {
        summary: 'Plugins that can be added, and the added ones',
        description: 'From the newest verified list. No service is asked.',
        response: {
          200: Type.Object({ ok: Type.Boolean(), catalogue: Catalogue, look: Look, plugins: Type.Array(ShownListing) }),
        },
      },
    },
    async () => {
      const known = await directory.catalogue()
      return {
        ok: true,
        catalogue:
          known === null ? null : { serial: known.catalogue.serial, date: known.catalogue.date, from: known.from },
        look: await look(),
        plugins: (await listings.list()).map(shown),
      }
    },
  )

  app.get<{ Params: { id: string } }>(
    '/api/directory/:id',
    {
      schema: {
        summary: 'One plugin of the directory with all its versions',
        params: Params,
        response: {
          200: Type.Object({
            ok: Type.Boolean(),
            plugin: ShownListing,
            versions: Type.Array(ShownVersion, { description: 'The newest first.' }),
          }),
        },
      },
    },
    async ({ params: { id } }) => {
      const listing = await find(id)
      return {
        ok: true,
        plugin: shown(listing),
        versions: listing.entry.versions.map((version) => shownVersion(listing, version)),
      }
    },
  )

  app.post(
    '/api/directory/refresh',
    {
      schema: {
        summary: 'Looks for a newer list at the address of the directory',
        description: 'A list that is refused leaves the known one in use; `look` says why.',
        body: optionalBody(Type.Object({}, { additionalProperties: true })),
        response: {
          200: Type.Object({
            ok: Type.Boolean({ description: 'False if the look failed.' }),
            state: Type.Unsafe<'off' | 'newer' | 'same' | 'failed'>({
              ...oneOf(['off', 'newer', 'same', 'failed']),
              description: 'off: no address is set.',
            }),
            look: Look,
          }),
        },
      },
    },
    async () => {
      const state = await source.look()
      return { ok: state !== 'failed', state, look: await look() }
    },
  )

  app.post<{ Params: { id: string }; Body: { version?: string } | null }>(
    '/api/directory/:id/install',
    {
      schema: {
        summary: 'Puts a version of the directory up for a review, or updates to it',
        description:
          'What ships with Playhead is installed from there, everything else is fetched from the address of the directory. Its bytes and what it asks for must be what the list says. A version that asks for nothing new is live at once; otherwise it waits for `POST /api/plugin-packages/{id}/accept`.',
        params: Params,
        body: optionalBody(
          Type.Object({
            version: Type.Optional(
              Type.String({ minLength: 1, maxLength: 40, description: 'Default: the newest that works here.' }),
            ),
          }),
        ),
        response: {
          200: Type.Object({
            ok: Type.Boolean({ description: 'False if the version did not start; then the version before is live.' }),
            state: Type.Unsafe<'review' | 'updated' | 'newest'>({
              ...oneOf(['review', 'updated', 'newest']),
              description: 'review: it waits for a review. updated: it is live. newest: it was live already.',
            }),
            id: Text,
            version: Text,
          }),
        },
      },
    },
    async ({ params: { id }, body }) => {
      const listing = await find(id)
      const wanted = body?.version ?? listing.newest
      if (wanted === null)
        throw new PlayheadError('PLH_CONFLICT', `No version of ${listing.name} in the list works here.`, {
          wire: 'no_version_works',
        })
      const { archive = null } = listing.entry.versions.find(({ version }) => version === wanted) ?? {}
      // The core refuses what has no archive.
      if (archive === null || listing.shipped?.version === wanted) return await directory.stage(id, wanted)
      return await directory.stage(id, wanted, await source.archive(archive.file, archive.size))
    },
  )
}
