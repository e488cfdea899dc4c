// Settings of a tracker profile.
import { Type, type Feature, type Static } from '@playhead/sdk'

const restore = () =>
  Type.String({
    default: 'latest',
    description: 'A snapshot that is restored once, when the value changes: its name, "latest", or nothing.',
  })

export const Profile = Type.Object({
  enabled: Type.Boolean({ default: true, description: 'The switch: an account of the tracker works while it is on.' }),
  connected: Type.Boolean({ default: false, description: 'Follows the switch.' }),
  retention_days: Type.Integer({
    default: 30,
    minimum: 0,
    inherit: true,
    description: 'Days until snapshots are deleted; 0 never deletes them.',
  }),
  auto_snapshot: Type.Boolean({
    default: true,
    inherit: true,
    description: 'Store the state before each burst of changes.',
  }),
  max_snapshots: Type.Integer({
    default: 64,
    minimum: 0,
    inherit: true,
    description: 'Maximum number of snapshots per feature; 0 is no limit.',
  }),
  restore_watchlist: restore(),
  restore_history: restore(),
  restore_ratings: restore(),
  restore_progress: restore(),
  restore_playlists: restore(),
})
export type Profile = Static<typeof Profile>

/** `playlists`: the entries of all lists. */
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
