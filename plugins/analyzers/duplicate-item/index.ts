// Finds items that an account has twice: two rows share an id of the same kind. Plays of one item are duplicates only within the
// same second.
import { defineAnalyzer } from '@playhead/sdk/analyzer'

export default defineAnalyzer({
  label: 'Duplicates',
  problems: [{ type: 'duplicate_item', severity: 'info', category: 'ids', meaning: 'The account has the item twice.' }],
  needs: { features: ['history', 'progress', 'ratings', 'watchlist'], peers: true },
  *inspect({ rows }) {
    for (const row of rows) {
      const other = row.copyOf
      if (other !== undefined)
        yield {
          type: 'duplicate_item',
          key: row.key,
          message: `The account also has it as ${other}.`,
          fields: { other_key: other },
        }
    }
  },
})
