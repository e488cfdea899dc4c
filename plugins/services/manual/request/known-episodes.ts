// The episodes of a show that any account has, for installations without a metadata service. This scans all stored rows, which is
// slow for large libraries.
import type { Feature, LibraryService, Remote, WorkEpisode } from '@playhead/sdk'
import { contradicts, type Item, tokensOf } from '@playhead/sdk/items'
import type { Work } from './order.ts'

type Library = Pick<Remote<LibraryService>, 'holdings' | 'rows'>

const FEATURES: readonly Feature[] = ['history', 'progress', 'ratings']

export async function findKnownEpisodes(library: Library, of: Work): Promise<readonly WorkEpisode[]> {
  const show: Item = { type: 'show', ids: (of.type === 'show' ? of.ids : of.show_ids) ?? {} }
  const names = new Set(tokensOf(show))
  const found = new Map<string, WorkEpisode>()
  for (const feature of FEATURES) {
    for (const { provider, instance, readAtMs } of await library.holdings(feature)) {
      if (readAtMs === null) continue
      for await (const page of library.rows(provider, instance, feature)) {
        for (const { item } of page) {
          const { type, season, episode, show_ids: ids, title } = item
          if (type !== 'episode' || season === undefined || episode === undefined || ids === undefined) continue
          const own: Item = { type: 'show', ids }
          if (!tokensOf(own).some((token) => names.has(token)) || contradicts(show, own)) continue
          found.set(`${season}x${episode}`, { season, episode, title: title ?? '', aired: null })
        }
      }
    }
  }
  return [...found.values()].sort((a, b) => a.season - b.season || a.episode - b.episode)
}
