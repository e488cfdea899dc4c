// An anime mapping whose data change during a life.
import type { AnimeMapping, Enriched, Item } from '@playhead/sdk'
import { valuesOf } from './words.ts'

/** The data of the anime mapping, as the plugin that provides it answers. */
export class Mapping implements Pick<AnimeMapping, 'revision' | 'scope' | 'enrich'> {
  private links = new Map<string, string>()
  private changes = 0

  change(words: readonly string[]): void {
    this.links = new Map(Object.entries(valuesOf(words)))
    this.changes += 1
  }

  get isCorrected(): boolean {
    return this.changes > 1
  }

  async revision() {
    return `r${this.changes}`
  }

  async scope() {
    return { providers: ['ANI'], features: ['watchlist', 'ratings'] as const }
  }

  async enrich(items: readonly Item[]): Promise<readonly Enriched[]> {
    return items.map(({ ids }): Enriched => {
      const none = { added: [], replaced: [], shared: [], ambiguous: [], basis: null }
      if (ids['anilist'] !== undefined) {
        const tvdb = this.links.get(ids['anilist'])
        if (tvdb === undefined) return { ...none, ids, reason: 'no_mapping' }
        return { ...none, ids: { ...ids, tvdb }, added: ['tvdb'], basis: 'anibridge' }
      }
      const entries = [...this.links].filter(([, tvdb]) => tvdb === ids['tvdb'])
      const [anilist] = entries[0] ?? []
      if (anilist === undefined || entries.length > 1) return { ...none, ids, reason: 'no_mapping' }
      return { ...none, ids: { ...ids, anilist }, added: ['anilist'], basis: 'anibridge' }
    })
  }
}
