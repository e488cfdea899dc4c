// The directory of plugins: reads the signed list, compares it with what is installed, and puts versions up for a
// review. The core verifies lists and archives; this plugin fetches and shows them.
import { ATTENTION, definePlugin, DIRECTORY, Type } from '@playhead/sdk'
import { registerDirectoryRoutes } from './routes.ts'
import { createCatalogueSource } from './source.ts'
import { attentionOf } from './attention.ts'
import { createListings } from './listings.ts'

const settings = Type.Object({
  address: Type.String({
    default: '',
    maxLength: 500,
    pattern: '^$|^https?://\\S+$',
    title: 'Address of the directory',
    description:
      'The address of a signed list, or of a mirror of it, such as https://plugins.example.org/list.json. ' +
      'Leave empty to make no requests: Playhead then shows the list that it came with.',
  }),
  daily: Type.Boolean({
    default: true,
    title: 'Look once a day',
    description: 'Finds new and withdrawn versions. Otherwise only the button of the page looks.',
  }),
})

const LOOK_MS = 24 * 3_600_000

export default definePlugin({
  config: settings,
  setup(ctx) {
    const { config, store, upstream, log, host } = ctx
    const directory = ctx.directory()
    const source = createCatalogueSource({ config, store, upstream, log, directory })
    const listings = createListings({ directory, plugins: () => host.plugins(), hasAddress: source.host !== null })
    ctx.provide(DIRECTORY, { list: () => listings.list() })
    ctx.tap(ATTENTION, 'plugins of the directory', async () => attentionOf(await listings.list(), await source.state()))
    if (config.daily && source.host !== null)
      ctx.every(LOOK_MS, 'look', async () => void (await source.look()), { missed: 'once' })
    return { directory, source, listings }
  },
  routes: registerDirectoryRoutes,
})
