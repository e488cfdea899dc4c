import { CATALOG, type Catalog, type Logger, type PluginContext, type Remote } from '@playhead/sdk'
import { type Api, createApi } from './api.ts'
import { type ArtFiles, createArtFiles } from './art/art-file.ts'
import { type Cache, createCache } from './cache.ts'
import { createLibrary, type Library } from './library.ts'
import { createLiveSettings, type LiveSettings, type Settings } from './settings.ts'

export interface Parts {
  readonly settings: LiveSettings
  readonly api: Api
  readonly cache: Cache
  readonly library: Library
  /** Undefined without a catalog. */
  readonly catalog: () => Remote<Catalog> | undefined
  readonly artFiles: ArtFiles
  readonly log: Logger
}

export function createParts(ctx: PluginContext<Settings>): Parts {
  const { config, upstream, host, db, files, log } = ctx
  const settings = createLiveSettings(config)
  const api = createApi(upstream, settings, host.version)
  const cache = createCache({ db, settings, log })
  return {
    settings,
    api,
    cache,
    library: createLibrary(api, cache),
    catalog: () => ctx.tryUse(CATALOG),
    artFiles: createArtFiles(files.shared('cache'), api),
    log,
  }
}
