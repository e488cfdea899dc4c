// The policy of playlists: pure decisions about whole lists.
import type { PlaylistPolicy } from '@playhead/sdk'
import { nextState } from './next.ts'
import { normalizePlaylists, PlaylistOptions } from './options.ts'
import { planDirect } from './plan-direct.ts'
import { planPartition } from './plan-partition.ts'

export function createPlaylistPolicy(): PlaylistPolicy {
  return {
    describe: () => ({
      feature: 'playlists',
      label: 'Playlists',
      options: PlaylistOptions,
      after: ['history', 'watchlist', 'ratings', 'progress'],
    }),
    normalize: normalizePlaylists,
    planDirect,
    planPartition,
    next: nextState,
  }
}
