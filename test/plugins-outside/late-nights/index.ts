// Finds plays at night, and titles older than film itself.
import { defineAnalyzer } from '@playhead/sdk/analyzer'

export default defineAnalyzer({
  label: 'Late nights',
  problems: [
    {
      type: 'late_nights_played',
      label: 'Played at night',
      severity: 'info',
      category: 'history',
      meaning: 'It was watched between midnight and five.',
    },
    {
      type: 'late_nights_old',
      label: 'Older than movies',
      severity: 'warn',
      category: 'history',
      meaning: 'Its year is before the first movie.',
    },
  ],
  needs: { features: ['history'] },
  *inspect({ rows }) {
    for (const { key, atMs, item } of rows) {
      if (new Date(atMs).getUTCHours() < 5) yield { type: 'late_nights_played', key }
      if ((item.year ?? 2000) < 1874) yield { type: 'late_nights_old', key }
    }
  },
})
