import { Type, type Feature, type Static } from '@playhead/sdk'

const restore = (title: string) =>
  Type.String({
    default: 'latest',
    title,
    description: 'A snapshot that is restored once, when the value changes: its name, "latest", or nothing.',
  })

export const Profile = Type.Object({
  enabled: Type.Boolean({ default: true, title: 'Use the tracker' }),
  connected: Type.Boolean({ default: false, description: 'Follows the switch.' }),
  retention_days: Type.Integer({
    default: 30,
    minimum: 0,
    inherit: true,
    title: 'Keep snapshots (days)',
    description: '0 keeps them for good.',
  }),
  auto_snapshot: Type.Boolean({
    default: true,
    inherit: true,
    title: 'Snapshots before changes',
    description: 'One before each burst of changes.',
  }),
  max_snapshots: Type.Integer({
    default: 64,
    minimum: 0,
    inherit: true,
    title: 'Most snapshots of each kind',
    description: '0: no limit.',
  }),
  restore_watchlist: restore('Bring back the watchlist'),
  restore_history: restore('Bring back the history'),
  restore_ratings: restore('Bring back the ratings'),
  restore_progress: restore('Bring back the progress'),
  restore_playlists: restore('Bring back the playlists'),
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
