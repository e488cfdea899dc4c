// Playlist options of a pair: the mappings that run with it.
import { Type } from '@playhead/sdk'
import { asOptions, type FeatureOptions, readOptions, readSwitches } from '@playhead/sdk/sync'

const MAX_MAPPINGS = 1_000

export const PlaylistOptions = Type.Object({
  mappings: Type.Array(Type.String(), {
    title: 'Mappings',
    default: [],
    uniqueItems: true,
    description: 'Ids of the mappings that run with this pair.',
  }),
})

export function normalizePlaylists(options: unknown): FeatureOptions {
  const reader = readOptions(asOptions(options))
  const value = reader.raw('mappings')
  const list: readonly unknown[] = Array.isArray(value) ? value : typeof value === 'string' ? value.split(',') : []
  const isReadable = value === undefined || typeof value === 'string' || Array.isArray(value)
  if (!isReadable || list.some((id) => typeof id !== 'string') || list.length > MAX_MAPPINGS)
    reader.problem('mappings', `must be a list of at most ${MAX_MAPPINGS} ids`)
  const mappings = [...new Set(list.map((id) => String(id).trim()).filter((id) => id !== ''))]
  const normal = { ...readSwitches(reader), mappings }
  reader.finish()
  return normal
}
