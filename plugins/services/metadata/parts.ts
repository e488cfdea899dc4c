// Creates the parts of the plugin.
import { LIBRARY, type Logger, type ServiceInputs } from '@playhead/sdk'
import { type Api, createApi } from './api.ts'
import { type ArtFiles, createArtFiles } from './art/art-file.ts'
import { type Cache, createCache } from './cache.ts'
import { createLibrary, type Library } from './library.ts'
import { createLibrarySearch, type LibrarySearch } from './library-search.ts'
import { createLiveSettings, type LiveSettings, type Settings } from './settings.ts'

export interface Parts {
  readonly settings: LiveSettings
  readonly api: Api
  readonly cache: Cache
  readonly library: Library
  readonly librarySearch: LibrarySearch
  readonly artFiles: ArtFiles
  readonly log: Logger
}

export function createParts({ ctx, config, upstream, host, db, files, log }: ServiceInputs<Settings>): Parts {
  const settings = createLiveSettings(config)
  const api = createApi(upstream, settings, host.version)
  const cache = createCache({ db, settings, log })
  return {
    settings,
    api,
    cache,
    library: createLibrary(api, cache),
    librarySearch: createLibrarySearch(() => ctx.tryUse(LIBRARY)),
    artFiles: createArtFiles(files.shared('cache'), api),
    log,
  }
}
