// Marks groups as seen. Updates the visible rows in place, without a refetch, so that the list does not jump.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import type { Part } from '../../api/endless.ts'
import { notifyDone, notifyFailure } from '../../parts/dialogs/notify.ts'
import { events } from '../../texts/en/events.ts'
import { say } from '../../texts/say.ts'
import type { Visibility } from './filters.ts'

export interface Marked {
  readonly ids: readonly number[]
  readonly isSeen: boolean
}

interface Page {
  readonly items: readonly { readonly id: number }[]
  readonly total: number
}

const CONCURRENCY = 4

export function useAcknowledge(visibility: Visibility = 'all') {
  const client = useQueryClient()
  return useMutation({
    async mutationFn({ ids, isSeen }: Marked) {
      const waiting = [...ids]
      const marks = new Map<number, { acknowledged_at: number | null; acknowledged_by: string | null }>()
      await Promise.all(
        Array.from({ length: Math.min(CONCURRENCY, ids.length) }, async () => {
          for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
            const operation = isSeen
              ? 'POST /api/events/groups/{group_id}/acknowledge'
              : 'POST /api/events/groups/{group_id}/unacknowledge'
            const { acknowledged_at, acknowledged_by } = await api(operation, {
              params: { group_id: String(id) },
              body: {},
            } as never)
            marks.set(id, { acknowledged_at, acknowledged_by })
          }
        }),
      )
      return marks
    },
    onSuccess(marks, { ids, isSeen }) {
      const isGone = visibility !== 'all' && (visibility === 'open') === isSeen
      client.setQueriesData<readonly Part<Page>[]>({ queryKey: ['events', 'list'] }, (parts) =>
        parts?.map(({ page, ...part }) => {
          const items = isGone
            ? page.items.filter(({ id }) => !marks.has(id))
            : page.items.map((item) => ({ ...item, ...marks.get(item.id) }))
          return { ...part, page: { ...page, items, total: page.total - (page.items.length - items.length) } }
        }),
      )
      notifyDone(say(isSeen ? events.acknowledged : events.unacknowledged, { n: ids.length }))
      return Promise.all(
        [['events', 'group'], ['events', 'children'], ['events', 'item'], ['attention']].map((queryKey) =>
          client.invalidateQueries({ queryKey }),
        ),
      )
    },
    onError: (error) => notifyFailure(error),
  })
}
