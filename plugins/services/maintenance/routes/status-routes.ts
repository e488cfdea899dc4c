// Routes that show what an action would affect, how its last run ended, and the current work of the service.
import { DATA_GROUPS, defined, oneOf, orNull, PlayheadError, type PluginApp, Type } from '@playhead/sdk'
import type { Parts } from '../parts.ts'
import { Run } from './answers.ts'

const Metric = Type.Object({
  label: Type.String(),
  value: Type.Union([Type.Number(), Type.String(), Type.Null()]),
  format: oneOf(['number', 'bytes', 'datetime', 'text']),
})
interface Metric {
  readonly label: string
  readonly value: number | string | null
  readonly format: 'number' | 'bytes' | 'datetime' | 'text'
}

interface Card {
  readonly title: string
  readonly note: string
  readonly metrics: readonly Metric[]
}

/** Names of the interface and their actions; the first action provides title and note. */
const NAMES: Readonly<Record<string, readonly [string, ...string[]]>> = {
  state: ['sync-state'],
  cache: ['sync-cache'],
  playing: ['currently-watching'],
  scrobbles: ['recent-scrobbles'],
  stats: ['statistics', 'sync-reports'],
  metadata: ['metadata-cache'],
}
const idsOf = (name: string) => (Object.hasOwn(NAMES, name) ? NAMES[name] : undefined) ?? ([name] as const)
/** Null uses the action's own texts. */
const ARCHIVE_NOTES = {
  'events-health': { title: 'Health of the event archive', note: 'Checks the file of the archive.' },
  'events-optimize': { title: 'Optimise the event archive', note: 'Makes the file smaller and its searches faster.' },
  'events-rebuild': null,
} as const
const ARCHIVE = 'databases/events/archive.sqlite'
const TRACKER_DATABASE = 'database.sqlite'

const Action = Type.Object({
  id: Type.String(),
  title: Type.String(),
  note: Type.String(),
  group: Type.String(),
  loses_data: Type.Boolean(),
  backup_first: Type.Boolean(),
  alone: Type.Boolean(),
  options: Type.Array(Type.String()),
  status: Type.Optional(
    Type.Object(
      { metrics: Type.Array(Metric), run: Run },
      { description: 'With `status`: as `GET /api/maintenance/action-status/{action}`; absent if it cannot be read.' },
    ),
  ),
})

export function registerStatusRoutes(app: PluginApp, { ctx, data, performer, states, tracker }: Parts): void {
  app.get<{ Querystring: { readonly status: boolean } }>(
    '/api/maintenance/actions',
    {
      schema: {
        summary: 'All maintenance actions of the plugins that run',
        querystring: Type.Object({
          status: Type.Boolean({ default: false, description: 'Adds what each would affect, and its last run.' }),
        }),
        response: { 200: Type.Object({ ok: Type.Boolean(), actions: Type.Array(Action) }) },
      },
    },
    async ({ query }) => ({
      ok: true,
      actions: await Promise.all(
        (await performer.list()).map(
          async ({ id, title, note, group, losesData, backupFirst, alone, options = [] }) => ({
            ...{ id, title, note, group, alone, options: [...options] },
            loses_data: losesData,
            backup_first: backupFirst,
            ...defined({ status: query.status ? await statusOf(id) : undefined }),
          }),
        ),
      ),
    }),
  )

  async function statusOf(action: string) {
    try {
      const { metrics } = await cardOf(action)
      return { metrics: [...metrics], run: states.of(idsOf(action)) }
    } catch (error) {
      ctx.log.warn({ err: error, action }, 'the status of a maintenance action could not be read')
      return undefined
    }
  }

  app.get(
    '/api/maintenance/action-status/:action',
    {
      schema: {
        summary: 'The rows that an action would affect, and the result of its last run',
        params: Type.Object({ action: Type.String() }),
        response: {
          200: Type.Object({
            ok: Type.Boolean(),
            action: Type.String(),
            title: Type.String(),
            note: Type.String(),
            metrics: Type.Array(Metric),
            run: Run,
          }),
        },
      },
    },
    async ({ params }) => {
      const { action } = params as { action: string }
      const card = await cardOf(action)
      return { ok: true, action, ...card, metrics: [...card.metrics], run: states.of(idsOf(action)) }
    },
  )

  app.get(
    '/api/maintenance/storage',
    {
      schema: {
        summary: 'Room on the disk of the data directory, and what it is used for',
        response: {
          200: Type.Object({
            ok: Type.Boolean(),
            free_bytes: Type.Integer(),
            total_bytes: Type.Integer(),
            used_bytes: Type.Integer({ description: 'Bytes that the data directory uses.' }),
            groups: Type.Array(
              Type.Object({ group: oneOf(DATA_GROUPS), bytes: Type.Integer(), files: Type.Integer() }),
              { description: 'Largest first.' },
            ),
          }),
        },
      },
    },
    async () => {
      const [parts, { freeBytes, totalBytes, usedBytes }] = await Promise.all([data.parts(), data.disk()])
      const groups = [...Map.groupBy(parts, ({ group }) => group)].map(([group, of]) => ({
        group,
        bytes: of.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
        files: of.length,
      }))
      return {
        ok: true,
        ...{ free_bytes: freeBytes, total_bytes: totalBytes, used_bytes: usedBytes },
        groups: groups.sort((a, b) => b.bytes - a.bytes),
      }
    },
  )

  app.get(
    '/api/maintenance/work',
    {
      schema: {
        summary: 'The current work of the service, and what holds new work',
        response: {
          200: Type.Object({
            ok: Type.Boolean(),
            current: Type.Array(
              Type.Object({
                id: Type.String(),
                kind: Type.String(),
                label: Type.String(),
                plugin: Type.String(),
                exclusive: Type.Boolean(),
                accounts: Type.Array(Type.Object({ provider: Type.String(), instance: Type.String() })),
                since: Type.Integer({ description: 'Epoch seconds.' }),
              }),
            ),
            blocks: Type.Array(
              Type.Object({
                code: Type.String(),
                message: Type.String(),
                plugin: Type.String(),
                kinds: orNull(Type.Array(Type.String())),
                since: Type.Integer(),
              }),
            ),
          }),
        },
      },
    },
    async () => ({
      ok: true,
      current: ctx.work
        .current()
        .map(({ id, kind, label, plugin, exclusive = false, accounts = [], startedAtMs }) => ({
          ...{ id, kind, label, plugin, exclusive },
          accounts: accounts.map(({ provider, instance }) => ({ provider, instance })),
          since: Math.floor(startedAtMs / 1_000),
        })),
      blocks: ctx.work
        .blocks()
        .map(({ code, message, plugin, kinds, sinceMs }) => ({
          ...{ code, message, plugin, kinds: kinds === undefined ? null : [...kinds] },
          since: Math.floor(sinceMs / 1_000),
        })),
    }),
  )

  async function cardOf(name: string): Promise<Card> {
    if (name === 'captures') return ofCaptures()
    if (name === 'defaults' || name === 'reset-all-default') return ofDefaults()
    if (name === 'tracker') return ofTracker()
    if (Object.hasOwn(ARCHIVE_NOTES, name)) return ofArchive(name as keyof typeof ARCHIVE_NOTES)
    if (!Object.hasOwn(NAMES, name)) performer.assertKnown(name)
    const actions = await Promise.all(idsOf(name).map(performer.find))
    const { title, note } = actions[0]!
    const touches = (await Promise.all(actions.map(({ action }) => action.preview({})))).flatMap((one) => one.touches)
    const paths = new Set(touches.map(({ path }) => path))
    const parts = (await data.parts()).filter(({ path }) => paths.has(path))
    const counts = [...Map.groupBy(touches, ({ label }) => label)].map(
      ([label, of]): Metric => ({ label, value: of.reduce((sum, { items }) => sum + items, 0), format: 'number' }),
    )
    return { title, note, metrics: [...counts, ...storageOf(parts)] }
  }

  function storageOf(
    parts: readonly { readonly sizeBytes: number; readonly modifiedAtMs: number }[],
    lastLabel = 'last updated',
  ): readonly Metric[] {
    const last = Math.max(0, ...parts.map(({ modifiedAtMs }) => modifiedAtMs))
    return [
      { label: 'storage', value: parts.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0), format: 'bytes' },
      { label: lastLabel, value: last === 0 ? null : new Date(last).toISOString(), format: 'datetime' },
    ]
  }

  async function ofCaptures(): Promise<Card> {
    const parts = (await data.parts()).filter(({ group }) => group === 'captures')
    const providers = new Set(parts.flatMap(({ path }) => providerOf(path) ?? []))
    return {
      title: 'Captures',
      note: 'Captures of accounts. Maintenance never deletes them.',
      metrics: [
        { label: 'captures', value: parts.length, format: 'number' },
        { label: 'providers', value: providers.size, format: 'number' },
        ...storageOf(parts, 'latest'),
      ],
    }
  }

  async function ofDefaults(): Promise<Card> {
    const parts = await data.parts()
    const kept = parts.filter(({ group }) => ['captures', 'backups', 'key', 'exports', 'imports'].includes(group))
    const going = parts.filter((part) => !kept.includes(part))
    const bytes = (of: typeof parts) => of.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
    return {
      title: 'Reset to defaults',
      note: 'Begins again as after the installation. Kept: captures, backups, exports and the key of encrypted settings.',
      metrics: [
        { label: 'files to remove', value: going.length, format: 'number' },
        { label: 'bytes to remove', value: bytes(going), format: 'bytes' },
        { label: 'captures kept', value: kept.filter(({ group }) => group === 'captures').length, format: 'number' },
        { label: 'files kept', value: kept.length, format: 'number' },
        { label: 'bytes kept', value: bytes(kept), format: 'bytes' },
      ],
    }
  }

  async function ofTracker(): Promise<Card> {
    const store = tracker()
    if (store === undefined)
      throw new PlayheadError('PLH_NOT_READY', 'The plugin of the tracker is not running.', {
        wire: 'tracker_unavailable',
      })
    const stats = (await Promise.all((await store.profiles()).map((instance) => store.stats(instance)))).flat()
    const sum = (of: 'rows' | 'snapshots') => stats.reduce((total, one) => total + one[of], 0)
    return {
      title: 'Tracker',
      note: "Rows and snapshots of Playhead's own tracker, of all profiles.",
      metrics: [
        { label: 'states', value: stats.filter(({ rows }) => rows > 0).length, format: 'number' },
        { label: 'rows', value: sum('rows'), format: 'number' },
        { label: 'snapshots', value: sum('snapshots'), format: 'number' },
        // Includes the data that other plugins store in the file.
        ...storageOf((await data.parts()).filter(({ path }) => path === TRACKER_DATABASE)),
      ],
    }
  }

  async function ofArchive(name: keyof typeof ARCHIVE_NOTES): Promise<Card> {
    const { action, title, note } = await performer.find('events-rebuild')
    const { details = {} } = await action.preview({})
    const parts = (await data.parts()).filter(({ path }) => path === ARCHIVE)
    return {
      ...(ARCHIVE_NOTES[name] ?? { title, note }),
      metrics: [
        { label: 'events', value: Number(details['events'] ?? 0), format: 'number' },
        { label: 'runs', value: Number(details['runs'] ?? 0), format: 'number' },
        { label: 'acknowledged', value: Number(details['acknowledged'] ?? 0), format: 'number' },
        ...storageOf(parts),
      ],
    }
  }
}

/** The time in the name of a capture, in the current or the older format. */
function providerOf(path: string): string | undefined {
  return /\/\d{8}T\d{6}Z__([A-Za-z0-9._-]+?)__[^/]*$/.exec(path)?.[1]?.toUpperCase()
}
