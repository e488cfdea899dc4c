// Routes of versions and updates. Three of them return the same data in the fields of their clients.
import { Type, type PluginApp, type PluginSummary, type TObject } from '@playhead/sdk'
import { isNewer } from './releases.ts'
import type { UpdateCheck } from './update-check.ts'

const Text = Type.String()
const TextOrNull = Type.Union([Type.String(), Type.Null()])
const Checked = {
  update_available: Type.Boolean(),
  checked_at: Type.Union([Type.Integer({ description: 'Epoch seconds of the last attempt.' }), Type.Null()]),
  error: Type.Union([Type.String({ description: 'Why the last attempt failed.' }), Type.Null()]),
}
const VersionMap = Type.Record(Type.String(), Type.String())

/** The newest known release; empty without one. */
interface Known {
  readonly current: string
  readonly latest: string | null
  readonly name: string | null
  readonly notes: string
  readonly url: string
  readonly publishedAt: string | null
}

interface View {
  readonly path: string
  readonly summary: string
  readonly answer: TObject
  readonly show: (known: Known) => object
}

const VIEWS: readonly View[] = [
  {
    path: '/api/version',
    summary: 'The running version and the newest release',
    answer: Type.Object({ current: Text, latest: TextOrNull, html_url: Text, ...Checked }),
    show: ({ current, latest, url }) => ({ current, latest, html_url: url }),
  },
  {
    path: '/api/version/check',
    summary: 'Result of the check for updates',
    answer: Type.Object({
      current: Text,
      latest: TextOrNull,
      name: TextOrNull,
      url: Text,
      notes: Text,
      published_at: TextOrNull,
      ...Checked,
    }),
    show: ({ current, latest, name, url, notes, publishedAt }) => ({
      current,
      latest,
      name,
      url,
      notes,
      published_at: publishedAt,
    }),
  },
  {
    path: '/api/update',
    summary: 'The available update with its release notes',
    answer: Type.Object({
      current_version: Text,
      latest_version: Text,
      html_url: Text,
      url: Text,
      body: Text,
      published_at: TextOrNull,
      ...Checked,
    }),
    show: ({ current, latest, url, notes, publishedAt }) => ({
      current_version: current,
      latest_version: latest ?? current,
      html_url: url,
      url,
      body: notes,
      published_at: publishedAt,
    }),
  },
]

export function registerRoutes(app: PluginApp, updates: UpdateCheck): void {
  const { host } = app.playhead

  for (const { path, summary, answer, show } of VIEWS) {
    app.get(path, { schema: { summary, response: { 200: answer } } }, async () => {
      const { update, checkedAtMs, error } = await updates.state()
      const known: Known = {
        current: host.version,
        latest: update?.version ?? null,
        name: update?.name ?? null,
        notes: update?.notes ?? '',
        url: update?.url ?? '',
        publishedAt: update?.publishedAt ?? null,
      }
      return {
        ...show(known),
        update_available: isNewer(known.latest, known.current),
        checked_at: checkedAtMs === null ? null : Math.floor(checkedAtMs / 1000),
        error,
      }
    })
  }

  app.get(
    '/api/modules/versions',
    {
      schema: {
        summary: 'Versions of all plugins, by kind and in one list',
        response: { 200: Type.Object({ groups: Type.Record(Type.String(), VersionMap), flat: VersionMap }) },
      },
    },
    () => {
      const plugins = host.plugins()
      const byKind = Map.groupBy(plugins, ({ kind }) => kind.toUpperCase())
      return {
        groups: Object.fromEntries([...byKind].map(([kind, members]) => [kind, toVersions(members)])),
        flat: toVersions(plugins),
      }
    },
  )
}

// A plugin with an unreadable manifest has no version.
function toVersions(plugins: readonly PluginSummary[]): Record<string, string> {
  return Object.fromEntries(plugins.map(({ id, version }) => [id, version || '0.0.0']))
}
