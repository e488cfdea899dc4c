// Finds items that their service has not matched with any database: with only a title or an id of that service, no other service can
// find them.
import { type Ids, reaches, SCHEMES } from '@playhead/sdk/items'
import { defineAnalyzer } from '@playhead/sdk/analyzer'

export default defineAnalyzer({
  label: 'Not matched by the service',
  problems: [
    {
      type: 'never_matched',
      severity: 'warn',
      category: 'ids',
      meaning: 'The service has not matched the item to a title.',
    },
  ],
  needs: { features: ['history', 'progress', 'ratings', 'watchlist'] },
  *inspect({ account, rows }) {
    for (const { key, item } of rows) {
      if (isKnown(item.ids) || isKnown(item.show_ids)) continue
      yield {
        type: 'never_matched',
        key,
        message:
          account.group === 'media_server'
            ? `${account.label} has not matched it. Use its "fix match", or correct the name of the file.`
            : `${account.label} names no id of it.`,
      }
    }
  },
})

function isKnown(ids: Ids | undefined): boolean {
  return ids !== undefined && SCHEMES.some((scheme) => ids[scheme] !== undefined && reaches(scheme, 'provider'))
}
