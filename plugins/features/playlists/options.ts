// Playlist options of a pair: the mappings that run with it.
import { Type } from '@playhead/sdk'
import { type FeatureOptions, readFeatureOptions } from '@playhead/sdk/sync'

const MAX_MAPPINGS = 1_000

export const PlaylistOptions = Type.Object({
  mappings: Type.Array(Type.String(), {
    title: 'Mappings',
    default: [],
    uniqueItems: true,
    description: 'IDs of the playlist syncs that run with this pair.',
  }),
})

export function normalizePlaylists(options: unknown): FeatureOptions {
  return readFeatureOptions(PlaylistOptions, options, {
    mappings(value, problem) {
      const list: readonly unknown[] = Array.isArray(value) ? value : typeof value === 'string' ? value.split(',') : []
      const isReadable = value === undefined || typeof value === 'string' || Array.isArray(value)
      if (!isReadable || list.some((id) => typeof id !== 'string') || list.length > MAX_MAPPINGS)
        problem(`must be a list of at most ${MAX_MAPPINGS} ids`)
      return [...new Set(list.map((id) => String(id).trim()).filter((id) => id !== ''))]
    },
  })
}
