// Routes that run actions of plugins, by id and by the names of the interface.
import { type DataPart, defined, optionalBody, type PluginApp, type Static, Type } from '@playhead/sdk'
import type { Parts } from '../parts.ts'
import type { Performed, Step } from '../run/perform.ts'
import { Done, DONE, isoOf, Meta, Summary, toDone } from './answers.ts'

const FLAGS = {
  dry_run: Type.Optional(Type.Boolean({ description: 'Lists what it would touch, and changes nothing.' })),
  confirm: Type.Optional(Type.Boolean({ description: 'true for what deletes data that cannot be made again.' })),
}
const FILTERS = {
  pair_id: Type.Optional(Type.String()),
  provider: Type.Optional(Type.String({ description: 'Id of a provider: MEDIAA.' })),
  instance: Type.Optional(Type.String()),
  feature: Type.Optional(Type.String()),
}
const FlagsBody = optionalBody(Type.Object(FLAGS, { additionalProperties: true }))
const FilterBody = optionalBody(Type.Object({ ...FLAGS, ...FILTERS }, { additionalProperties: true }))
const StatsBody = Type.Object(
  {
    ...FLAGS,
    recalc: Type.Optional(Type.Boolean()),
    purge_file: Type.Optional(Type.Boolean()),
    purge_state: Type.Optional(Type.Boolean()),
    purge_reports: Type.Optional(Type.Boolean()),
    purge_insights: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: true },
)
type Flags = Static<typeof FlagsBody>

const CACHE = 'files/cache'
const SYNC_CACHE = 'sync-cache'
const STATE_DATABASE = 'databases/sync/library.sqlite'
const ACTIVITY_DATABASE = 'database.sqlite'
const MAX_ENTRIES = 1_000

export function registerActionRoutes(app: PluginApp, { performer, data }: Parts): void {
  const run = (name: string, steps: readonly Step[], flags: Flags) =>
    performer.perform({ name, steps, confirm: flags?.confirm === true, dryRun: flags?.dry_run === true })

  app.post(
    '/api/maintenance/actions/:action',
    {
      schema: {
        summary: 'Run a maintenance action, or list what it would touch',
        params: Type.Object({ action: Type.String() }),
        body: optionalBody(
          Type.Object(
            { ...FLAGS, options: Type.Optional(Type.Record(Type.String(), Type.Unknown())) },
            { additionalProperties: false },
          ),
        ),
        response: { 200: Done },
      },
    },
    async ({ params, body }) => {
      const { action } = params as { action: string }
      performer.assertKnown(action)
      const { options = {}, ...flags } = (body ?? {}) as {
        options?: Readonly<Record<string, unknown>>
      } & NonNullable<Flags>
      return toDone(await run(action, [{ id: action, options }], flags))
    },
  )

  app.post(
    '/api/maintenance/clear-metadata-cache',
    {
      schema: {
        summary: 'Clear the cache of metadata and pictures',
        body: FlagsBody,
        response: {
          200: Type.Object({
            ...DONE,
            root: Type.String(),
            removed: Type.Array(Type.String({ description: 'Names of deleted entries.' })),
            before: Folder,
            after: Folder,
          }),
        },
      },
    },
    async ({ body }) => {
      const before = await folderOf(CACHE)
      const done = await run('clear-metadata-cache', [{ id: 'metadata-cache' }], body as Flags)
      const after = await folderOf(CACHE)
      const left = new Set(after.entries.map(({ name }) => name))
      const removed = before.entries.flatMap(({ name }) => (left.has(name) ? [] : [name]))
      return { ...toDone(done), root: CACHE, removed, before, after }
    },
  )

  app.post(
    '/api/maintenance/clear-state',
    {
      schema: {
        summary: 'Delete the stored rows of accounts and the synced state of pairs',
        body: FlagsBody,
        response: {
          200: Type.Object({
            ...DONE,
            path: Type.String(),
            existed: Type.Boolean(),
            removed_sync_state: Type.Array(Type.String({ description: 'Tables of which rows were deleted.' })),
          }),
        },
      },
    },
    async ({ body }) => ofState(await run('clear-state', [{ id: 'sync-state' }], body as Flags)),
  )

  app.post(
    '/api/maintenance/clear-cache',
    {
      schema: {
        summary: 'Clear the caches that reduce reads and retries',
        body: FilterBody,
        response: {
          200: Type.Object({
            ...DONE,
            root: Type.String(),
            removed: Type.Array(Type.String()),
            before: Caches,
            after: Caches,
          }),
        },
      },
    },
    async ({ body }) => {
      const steps = await cacheSteps(filtersOf(body))
      const before = await cachesOf(steps)
      const done = await run('clear-cache', steps, body as Flags)
      const removed = done.dry_run ? [] : done.touches.map(({ label }) => label)
      return { ...toDone(done), root: '', removed, before, after: await cachesOf(steps) }
    },
  )

  app.get(
    '/api/maintenance/provider-cache',
    {
      schema: {
        summary: 'Preview the effect of clear-cache',
        response: {
          200: Type.Object({
            ok: Type.Boolean(),
            exists: Type.Boolean(),
            root: Type.String(),
            files: Type.Array(Cached),
            count: Type.Integer(),
          }),
        },
      },
    },
    async () => {
      const { files, count } = await cachesOf(await cacheSteps({}))
      return { ok: true, exists: count > 0, root: '', files, count }
    },
  )

  app.post(
    '/api/maintenance/clear-provider-sync-cache',
    {
      schema: {
        summary: 'Clear the state and the caches of the sync, of all or of some accounts, pairs and features',
        body: FilterBody,
        response: { 200: Type.Object({ ...DONE, state: Summary, cache: Summary }) },
      },
    },
    async ({ body }) => {
      const filters = filtersOf(body)
      const steps = [{ id: 'sync-state', options: filters }, ...(await cacheSteps(filters))]
      const done = await run('clear-provider-sync-cache', steps, body as Flags)
      const sum = (isState: boolean) => summaryOf(done, (action) => (action === 'sync-state') === isState)
      return { ...toDone(done), state: sum(true), cache: sum(false) }
    },
  )

  for (const [path, id, kind, summary] of [
    ['clear-activity-log', 'activity-log', '', 'Delete all rows of the activity log'],
    ['clear-recent-scrobbles', 'recent-scrobbles', 'scrobble', 'Delete the scrobbles of the activity log'],
  ] as const) {
    app.post(
      `/api/maintenance/${path}`,
      {
        schema: {
          summary,
          body: FlagsBody,
          response: {
            200: Type.Object({
              ...DONE,
              path: Type.String(),
              existed: Type.Boolean(),
              kind: Type.String(),
              removed: Type.Integer(),
              remaining: Type.Optional(Type.Integer()),
            }),
          },
        },
      },
      async ({ body }) => {
        const done = await run(path, [{ id }], body as Flags)
        const { removed = 0, remaining } = (done.details[id] ?? {}) as { removed?: number; remaining?: number }
        return {
          ...toDone(done),
          ...{ path: ACTIVITY_DATABASE, existed: done.touches.length > 0, kind, removed },
          ...defined({ remaining }),
        }
      },
    )
  }

  app.post(
    '/api/maintenance/reset-currently-watching',
    {
      schema: {
        summary: 'Forget the sessions that are shown as playing',
        body: FlagsBody,
        response: { 200: Type.Object({ ...DONE, path: Type.String(), existed: Type.Boolean() }) },
      },
    },
    async ({ body }) => {
      const done = await run('reset-currently-watching', [{ id: 'currently-watching' }], body as Flags)
      return { ...toDone(done), path: '', existed: done.touches.length > 0 }
    },
  )

  app.post(
    '/api/maintenance/reset-stats',
    {
      schema: {
        summary: 'Reset the statistics',
        description:
          'Without a choice: statistics and the list of runs. purge_state is the same as clear-state and only done when it is asked for.',
        body: StatsBody,
        response: {
          200: Type.Object({
            ...DONE,
            dropped: Type.Object({
              stats_file: Type.Integer(),
              state_file: Type.Integer(),
              reports: Type.Integer(),
              insights_files: Type.Integer(),
              insights_mem: Type.Integer(),
            }),
            recalculated: Type.Boolean(),
          }),
        },
      },
    },
    async ({ body }) => {
      const asked = body as Readonly<Record<string, unknown>>
      const is = (name: string) => asked[name] === true
      const isAll = !['purge_file', 'purge_state', 'purge_reports', 'purge_insights', 'recalc'].some(is)
      // Statistics and insights use the same tables.
      const isStatistics = isAll || is('purge_file') || is('purge_insights') || is('recalc')
      const steps: readonly Step[] = [
        ...(is('purge_state') ? [{ id: 'sync-state' }] : []),
        ...(isAll || is('purge_reports') ? [{ id: 'sync-reports' }] : []),
        ...(isStatistics ? [{ id: 'statistics', options: { recalculate: is('recalc') } }] : []),
      ]
      const done = await run('reset-stats', steps, body as Flags)
      const items = (id: string) => (done.dry_run ? 0 : summaryOf(done, (action) => action === id).removed_items)
      return {
        ...toDone(done),
        dropped: {
          stats_file: items('statistics'),
          state_file: items('sync-state'),
          reports: items('sync-reports'),
          insights_files: 0,
          insights_mem: 0,
        },
        recalculated: (done.details['statistics'] as { recalculated?: boolean } | undefined)?.recalculated === true,
      }
    },
  )

  /**
   * Actions that clear caches, with the filters that they support; actions without support are left out. The action of the sync is
   * always included: while the sync is not running, no cache is reported as cleared.
   */
  async function cacheSteps(filters: Readonly<Record<string, unknown>>): Promise<readonly Step[]> {
    const wanted = Object.keys(filters)
    const others = (await performer.list()).filter(
      ({ id, group, options = [] }) =>
        id !== SYNC_CACHE && group === 'provider-cache' && wanted.every((name) => options.includes(name)),
    )
    return [SYNC_CACHE, ...others.map(({ id }) => id)].map((id) => ({ id, options: filters }))
  }

  async function cachesOf(steps: readonly Step[]): Promise<Static<typeof Caches>> {
    const found = await Promise.all(
      steps.map(async ({ id, options = {} }) => (await performer.find(id)).action.preview(options)),
    )
    const files = found.flatMap(({ touches }) =>
      touches.map(({ label, bytes, items }) => ({ name: label, size: bytes ?? 0, mtime: null, items })),
    )
    return { files, count: files.length }
  }

  async function folderOf(folder: string): Promise<Static<typeof Folder>> {
    const parts = (await data.parts()).filter(({ path }) => path.startsWith(`${folder}/`))
    const first = (part: DataPart) => part.path.slice(folder.length + 1).split('/')[0] as string
    const entries = [...Map.groupBy(parts, first)].map(([name, of]) => ({
      name,
      size: of.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
      mtime: isoOf(Math.max(...of.map(({ modifiedAtMs }) => modifiedAtMs))),
    }))
    return { exists: parts.length > 0, root: folder, entries: entries.slice(0, MAX_ENTRIES), count: entries.length }
  }
}

const Folder = Type.Object({
  exists: Type.Boolean(),
  root: Type.String(),
  entries: Type.Array(Meta),
  count: Type.Integer(),
})
const Cached = Type.Composite([Meta, Type.Object({ items: Type.Integer() })])
const Caches = Type.Object({ files: Type.Array(Cached), count: Type.Integer() })

function ofState(done: Performed) {
  return {
    ...toDone(done),
    path: STATE_DATABASE,
    existed: done.touches.length > 0,
    removed_sync_state: done.dry_run ? [] : done.touches.map(({ table = '' }) => table),
  }
}

function filtersOf(body: unknown): Readonly<Record<string, string>> {
  const given = (body ?? {}) as Readonly<Record<string, unknown>>
  return Object.fromEntries(
    Object.keys(FILTERS).flatMap((name) =>
      typeof given[name] === 'string' && given[name] !== '' ? [[name, given[name]]] : [],
    ),
  )
}

function summaryOf({ touches }: Performed, of: (action: string) => boolean): Static<typeof Summary> {
  const chosen = touches.filter(({ action }) => of(action))
  const count = (op: 'delete' | 'change') =>
    chosen.filter((touch) => touch.op === op).reduce((sum, { items }) => sum + items, 0)
  return { removed_files: 0, removed_items: count('delete'), changed_items: count('change'), freed_bytes: 0 }
}
