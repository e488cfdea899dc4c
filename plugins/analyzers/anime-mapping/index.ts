// Finds pairs that need the anime mapping while it is switched off or has no data, so that their anime stays unmatched.
import { ANALYZED_FEATURES } from '@playhead/sdk'
import { type AnalyzerPair, defineAnalyzer } from '@playhead/sdk/analyzer'

export default defineAnalyzer({
  label: 'Anime mapping',
  problems: [
    {
      type: 'anime_mapping_disabled_globally',
      severity: 'warn',
      category: 'anime',
      meaning: 'Pairs need the anime mapping, but it is off.',
    },
    {
      type: 'anime_mapping_index_not_ready',
      severity: 'warn',
      category: 'anime',
      meaning: 'The anime mapping is on, but has no data yet.',
    },
  ],
  begin: ({ anime, pairs }) => ({
    *end() {
      for (const feature of ANALYZED_FEATURES) {
        const own = pairs.filter((pair) => pair.enabled && asksFor(pair, feature)).map(({ id }) => id)
        if (own.length === 0) continue
        if (!anime.enabled) yield { type: 'anime_mapping_disabled_globally', feature, fields: { pairs: own } }
        else if (!anime.ready)
          yield {
            type: 'anime_mapping_index_not_ready',
            feature,
            message: 'The anime mapping has no data yet. Update it, and see whether the download works.',
            fields: { pairs: own, release_tag: null },
          }
      }
    },
  }),
})

function asksFor({ options }: AnalyzerPair, feature: (typeof ANALYZED_FEATURES)[number]): boolean {
  const own = options[feature]
  return own?.['use_anime_mapping'] === true || own?.['anime_only_sync'] === true
}
