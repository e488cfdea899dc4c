// The event archive: stores what happened in its own database file and searches it.
import {
  definePlugin,
  EVENT_ARCHIVE,
  type EventRecord,
  LIBRARY,
  MAINTENANCE,
  HEALTH_DETAIL,
  CONFIG_SAVED,
  ACCOUNTS,
  SYNC,
} from '@playhead/sdk'
import { createArchive, type Archive } from './store/archive.ts'
import { withoutAudit } from './store/foreign-records.ts'
import { fromBus } from './store/bus-table.ts'
import { registerListRoutes } from './routes/list-routes.ts'
import { registerManageRoutes } from './routes/manage-routes.ts'
import { rebuildArchive } from './manage/maintain.ts'
import { prune } from './manage/retention.ts'
import { EventsConfig } from './settings.ts'
import { openRecords } from './store/source-state.ts'

export default definePlugin<typeof EventsConfig, { archive: Archive }>({
  config: EventsConfig,
  services: { archive: ({ ctx }) => createArchive(ctx) },
  setup(ctx) {
    const { archive } = ctx.services
    // Opens in the background; a failed open is retried at the first use.
    void archive
      .database()
      .catch((error: unknown) => ctx.log.error({ err: error }, 'the event archive cannot be opened'))
    const { flushed, itemTrace, since, facts } = archive
    ctx.provide(EVENT_ARCHIVE, {
      record: async (records) => await archive.record(withoutAudit(records)),
      flushed,
      itemTrace,
      since,
      facts,
    })
    ctx.provide(MAINTENANCE.of('events-rebuild'), rebuildArchive(archive), { whileDormant: ['describe'] })
    ctx.after(0, () => archive.closeInterrupted())
    ctx.onConfigChange(() => {})
    ctx.cron('40 3 * * *', 'retention', async (signal) => {
      const { events, groups } = await prune(archive, ctx.config.retention, signal)
      if (events > 0) ctx.log.info({ events, groups }, 'old events were deleted')
    })
    ctx.events.on('*', (event) => {
      const [up] = ctx.events.recent({ name: 'service.started', limit: 1 })
      const record = fromBus(event, up !== undefined && up.id <= event.id)
      return record === undefined ? undefined : archive.record([record])
    })
    ctx.tap(CONFIG_SAVED, 'events', async ({ paths }) => {
      const record = fromBus(
        { name: 'config.saved', atMs: archive.now(), source: 'core', data: { fields: paths.slice(0, 200) } },
        true,
      )
      return record === undefined ? Promise.resolve() : archive.record([record])
    })
    ctx.tap(HEALTH_DETAIL, 'events', async () => {
      const setAside = archive.setAside()
      const dropped = archive.writer.dropped()
      const ok = setAside === null && dropped === 0
      return {
        name: 'event archive',
        ok,
        detail: { set_aside: setAside, dropped },
        ...(ok
          ? {}
          : {
              advice:
                'Events were lost, or a damaged file was set aside: see that the disk works and has room. The sync itself does not need the archive.',
            }),
      }
    })
  },
  routes(app) {
    const ctx = app.playhead
    const { archive } = ctx.services
    const sync = () => ctx.tryUse(SYNC) ?? null
    registerListRoutes(app, archive, {
      sync,
      library: () => ctx.tryUse(LIBRARY) ?? null,
      accounts: () => ctx.tryUse(ACCOUNTS) ?? null,
    })
    registerManageRoutes(app, {
      archive,
      signal: ctx.signal,
      state: async (): Promise<readonly EventRecord[]> => {
        const service = sync()
        return service === null ? [] : await openRecords(service)
      },
      activeRun: async () => (await sync()?.active())?.run_id ?? null,
    })
  },
})
