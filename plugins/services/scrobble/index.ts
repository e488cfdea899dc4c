// The scrobbler: records playback from watchers and webhooks at trackers.
import { definePlugin, MAINTENANCE, PLAY_COMPLETED, PROFILE_USAGE, OVERVIEW, SCROBBLE, SETUP } from '@playhead/sdk'
import { normalizeScrobble, readStored, ScrobbleConfig } from './settings.ts'
import { createScrobbleSetup } from './config/setup.ts'
import { usagesOf } from './config/usages.ts'
import { resetPlaying } from './now/maintain.ts'
import { registerNowRoutes } from './now/routes.ts'
import type { CachedSessions } from './now/poll.ts'
import { endpointUrl } from './routes/addresses.ts'
import { overviewBlock } from './routes/overview-block.ts'
import { registerQueueRoutes } from './routes/queue.ts'
import { registerScrobblerRoutes } from './routes/register.ts'
import { createRuntime } from './runtime.ts'
import { registerWebhookRoutes } from './webhooks/routes.ts'

export default definePlugin({
  config: ScrobbleConfig,
  normalizeConfig: normalizeScrobble,
  hooks: [PLAY_COMPLETED],
  setup(ctx) {
    const runtime = createRuntime(ctx)
    ctx.defer(() => runtime.close())
    const { service, worlds, watchers } = runtime
    ctx.provide(SCROBBLE, service)
    ctx.provide(MAINTENANCE.of('currently-watching'), resetPlaying(runtime.current), { whileDormant: ['describe'] })
    ctx.provide(OVERVIEW.of('scrobbler'), {
      overview: async () => overviewBlock(await worlds.read(), watchers.status()),
    })
    ctx.provide(
      SETUP.of('scrobble'),
      createScrobbleSetup({
        read: () => worlds.read(),
        async save(change) {
          const { accounts, descriptions } = await worlds.read()
          await ctx.updateConfig((stored) => change({ accounts, descriptions, current: readStored(stored), stored }))
          await worlds.refresh()
        },
        address: (settings, source, instance) => endpointUrl({ settings }, source, instance, ''),
      }),
    )
    ctx.tap(PROFILE_USAGE, 'scrobble', async ({ provider, instance }) => {
      const { settings, descriptions } = await worlds.read()
      return usagesOf(settings, provider, instance, descriptions)
    })
    ctx.after(0, () => runtime.boot())
    ctx.cron('20 4 * * *', 'prune', () => runtime.prune())
    return runtime
  },
  routes(app, runtime) {
    registerScrobblerRoutes(app, runtime)
    registerQueueRoutes(app, runtime)
    registerNowRoutes(app, (person) => runtime.playing(person))
    // Apart, because they read bodies in their own way.
    app.register(async (own) => registerWebhookRoutes(own as typeof app, runtime.service))
  },
  // Start times of polled sessions survive a reload of the plugin.
  handover: {
    give: (_ctx, { poller }) => poller.snapshot(),
    take: (_ctx, cached, { poller }) =>
      poller.restore(Array.isArray(cached) ? (cached as readonly CachedSessions[]) : []),
  },
})
