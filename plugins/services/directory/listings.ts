// Joins the list, the folders that ship with Playhead, and what is installed.
import satisfies from 'semver/functions/satisfies.js'
import gt from 'semver/functions/gt.js'
import {
  type AddedPlugin,
  type CatalogueEntry,
  type CatalogueVersion,
  type Listing,
  type PluginDirectory,
  type PluginSummary,
  SDK_VERSION,
  type ShippedPlugin,
} from '@playhead/sdk'

/** A plugin of the directory with all that is known. */
export interface FullListing extends Listing {
  readonly entry: CatalogueEntry
  readonly added: AddedPlugin | null
  /** As the host shows it; null while it is not registered. */
  readonly plugin: PluginSummary | null
  /** Its folder, if it ships with Playhead. */
  readonly shipped: ShippedPlugin | null
}

export interface Listings {
  list(): Promise<readonly FullListing[]>
}

interface ListingsOptions {
  readonly directory: PluginDirectory
  readonly plugins: () => readonly PluginSummary[]
  /** Archives can be fetched. */
  readonly hasAddress: boolean
}

export function createListings({ directory, plugins, hasAddress }: ListingsOptions): Listings {
  return {
    async list() {
      const [known, shipped, added] = await Promise.all([directory.catalogue(), directory.shipped(), directory.added()])
      const entries = known?.catalogue.plugins ?? []
      const missing = shipped.filter(({ id }) => !entries.some((entry) => entry.id === id)).map(entryOf)
      const summaries = new Map(plugins().map((plugin) => [plugin.id, plugin]))
      return [...entries, ...missing]
        .map((entry) =>
          listingOf(entry, {
            added: added.find(({ id }) => id === entry.id) ?? null,
            plugin: summaries.get(entry.id) ?? null,
            shipped: shipped.find(({ id }) => id === entry.id) ?? null,
            hasAddress,
          }),
        )
        .sort((a, b) => a.name.localeCompare(b.name))
    },
  }
}

export function works({ api }: Pick<CatalogueVersion, 'api'>): boolean {
  return satisfies(SDK_VERSION, api)
}

function listingOf(
  entry: CatalogueEntry,
  { added, plugin, shipped, hasAddress }: Pick<FullListing, 'added' | 'plugin' | 'shipped'> & { hasAddress: boolean },
): FullListing {
  const { id, name, kind, builtIn, versions } = entry
  const newest = versions.find((version) => works(version) && version.withdrawn === undefined)?.version ?? null
  // Another plugin of this id may be a part of this Playhead.
  const version = added === null && !builtIn ? null : (added?.version ?? plugin?.version ?? null)
  const withdrawn = (!builtIn && versions.find((one) => one.version === version)?.withdrawn) || null
  const isUnlisted = shipped !== null && !versions.some((one) => one.version === shipped.version)
  const state = ((): Listing['state'] => {
    if (builtIn) return 'built_in'
    if (version !== null) {
      if (withdrawn !== null) return 'withdrawn'
      const isNewer = newest !== null && gt(newest, version)
      return isNewer && added?.source !== 'folder' ? 'update' : 'installed'
    }
    if (isUnlisted && works(shipped) && (newest === null || !hasAddress)) return 'unlisted'
    return newest === null ? 'unsupported' : 'available'
  })()
  return { id, name, kind, state, version, newest, withdrawn, entry, added, plugin, shipped }
}

/** A folder that the list does not know yet. */
function entryOf({ id, name, description, kind, mark }: ShippedPlugin): CatalogueEntry {
  return {
    ...{ id, name, description, kind, builtIn: false, versions: [] },
    ...{ author: 'Playhead', license: 'MIT', source: null },
    ...(mark === undefined ? {} : { mark }),
  }
}
