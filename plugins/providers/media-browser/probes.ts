// Both products answer with: ids of other services, marks of the user, and the number of all items.
import type { ContractProbe } from '@playhead/sdk'
import type { Session } from './session.ts'

const ROWS = 10

export const PROBES: readonly ContractProbe<Session>[] = [
  {
    about: 'movies and shows',
    async ask({ dialect, upstream, identity }, signal) {
      const { userId } = await identity(false, signal)
      const ask = dialect.items(userId)
      const query = dialect.spell({
        recursive: true,
        includeItemTypes: 'Movie,Series',
        fields: dialect.fields,
        startIndex: 0,
        limit: ROWS,
      })
      return upstream.request({ ...ask, query: { ...ask.query, ...query }, signal })
    },
    fields: {
      TotalRecordCount: 'number',
      'Items[].Id': 'string',
      'Items[].Type': 'string',
      'Items[].ProviderIds': 'object',
      'Items[].UserData.Played': 'boolean',
      'Items[].UserData.PlaybackPositionTicks': 'number',
      'Items[].UserData.IsFavorite': 'boolean',
    },
  },
]
