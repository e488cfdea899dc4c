// Builds the plugin of an import format: the default export of its entry file, which runs on the main thread as a plugin
// and on the thread of the imports as a format.
import { defined } from '../defined.ts'
import { type DefinedPlugin, definePlugin } from '../define.ts'
import type { LentModule } from '../thread.ts'
import { type ImporterDescription, type ImporterFormat, IMPORTERS } from './contract.ts'

/** A plugin with its format. */
export interface DefinedImporter extends DefinedPlugin {
  readonly importer: ImporterFormat
}

/**
 * Declares an import format. plugin.json has `"kind": "importer"` and `"provides": ["importer:<format>"]`. It is offered as
 * soon as the plugin runs. The module must have no effects when it is imported.
 *
 * @example
 * export default defineImporter({
 *   format: 'titles', label: 'Titles', hint: 'Any table with the columns title and tmdb.', features: ['watchlist'],
 *   recognise: ({ files }) => csvWith(files, ['title', 'tmdb']),
 *   open: () => ({
 *     read: ({ cells }) => [{ feature: 'watchlist', item: { type: 'movie', title: cells['title'], ids: idsOf({ tmdb: cells['tmdb'] }) } }],
 *   }),
 * })
 */
export function defineImporter(importer: ImporterFormat): DefinedImporter {
  const { format: id, label, hint, features } = importer
  const plugin = definePlugin({
    setup(ctx) {
      const { mark } = ctx.manifest
      const description: ImporterDescription = defined({ id, label, hint, features, mark })
      let module: Promise<LentModule> | undefined
      ctx.provide(
        IMPORTERS.of(id),
        { describe: () => description, module: () => (module ??= ctx.lendModule(ctx.manifest.entry ?? 'index.ts')) },
        { whileDormant: ['describe'] },
      )
    },
  })
  return { ...plugin, importer }
}

/** The format in the default export of a module; undefined for anything else. */
export function importerIn(exported: unknown): ImporterFormat | undefined {
  const importer = (exported as Partial<DefinedImporter> | null | undefined)?.importer
  return typeof importer === 'object' && importer !== null && typeof importer.open === 'function' ? importer : undefined
}
