import { Type, type Feature, type Static } from '@playhead/sdk'

const restore = (title: string) =>
  Type.String({
    default: 'latest',
    title,
    description: 'The name of a snapshot, or "latest". A new value restores the snapshot once.',
  })

export const Profile = Type.Object({
  enabled: Type.Boolean({
    default: true,
    title: 'Use the built-in tracker',
    description: 'When off, pairs cannot use it. Its data is kept.',
  }),
  connected: Type.Boolean({ default: false, description: 'On while the tracker is used.' }),
  retention_days: Type.Integer({
    default: 30,
    minimum: 0,
    inherit: true,
    title: 'Keep snapshots (days)',
    description: '0 keeps snapshots forever.',
  }),
  auto_snapshot: Type.Boolean({
    default: true,
    inherit: true,
    title: 'Create snapshots before changes',
    description: 'One snapshot is taken before each series of changes.',
  }),
  max_snapshots: Type.Integer({
    default: 64,
    minimum: 0,
    inherit: true,
    title: 'Snapshots to keep of each kind',
    description: '0 means no limit.',
  }),
  restore_watchlist: restore('Restore the watchlist'),
  restore_history: restore('Restore the history'),
  restore_ratings: restore('Restore the ratings'),
  restore_progress: restore('Restore the progress'),
  restore_playlists: restore('Restore the playlists'),
})
export type Profile = Static<typeof Profile>

/** `playlists` stands for the entries of all lists. */
export const TRACKED = [
  'watchlist',
  'history',
  'ratings',
  'progress',
  'playlists',
] as const satisfies readonly Feature[]
export type Tracked = (typeof TRACKED)[number]

export function isTracked(feature: string): feature is Tracked {
  return (TRACKED as readonly string[]).includes(feature)
}
