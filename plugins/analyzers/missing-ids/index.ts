// Finds items without ids that other services need: no TMDB id although IMDb or TVDB is known, or none of the three.
import { PlayheadError } from '@playhead/sdk'
import { type Ids, type Item, reaches, SCHEMES } from '@playhead/sdk/items'
import { defineAnalyzer, withExpectedId, withPeerIds } from '@playhead/sdk/analyzer'

const PUBLIC = ['tmdb', 'imdb', 'tvdb'] as const

export default defineAnalyzer({
  label: 'Missing IDs',
  problems: [
    {
      type: 'missing_ids',
      severity: 'info',
      category: 'ids',
      meaning: 'The item has no TMDB ID.',
      fix: 'IDs of the same title and year on other accounts are added to the item.',
    },
    {
      type: 'key_missing_ids',
      severity: 'info',
      category: 'ids',
      meaning: 'The item has IDs, but none from TMDB, IMDb or TVDB.',
      fix: 'The item gets the ID from the request.',
      fixFields: ['id_name', 'expected'],
    },
  ],
  needs: { features: ['history', 'progress', 'ratings', 'watchlist'] },
  *inspect({ rows }) {
    for (const { key, item } of rows) {
      const ids = idsOf(item)
      if (ids.tmdb !== undefined) continue
      if (PUBLIC.some((scheme) => ids[scheme] !== undefined))
        yield { type: 'missing_ids', key, fields: { missing: ['tmdb'] } }
      // Ids of a single server are not valid elsewhere; such rows were never matched.
      else if (SCHEMES.some((scheme) => ids[scheme] !== undefined && reaches(scheme, 'provider')))
        yield { type: 'key_missing_ids', key }
    }
  },
  fix(request) {
    if (request.type === 'key_missing_ids') return withExpectedId(request)
    const { item, changes, conflicts } = withPeerIds(request)
    if (changes.length > 0) return { changes, correct: item }
    throw new PlayheadError(
      'PLH_INVALID',
      conflicts.length > 0
        ? `Other rows of this title disagree about ${conflicts.join(', ')}: they may be other works.`
        : 'No other account has more IDs of this title.',
      { wire: 'nothing_to_merge' },
    )
  },
})

/** For a season or episode the ids of its show, by which other services look it up; without a show its own. */
function idsOf({ type, ids, show_ids: showIds }: Item): Ids {
  return type === 'season' || type === 'episode' ? { ...ids, ...showIds } : ids
}
