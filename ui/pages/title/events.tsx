// All events of the title, with those of its episodes: of runs, of playback and by hand.
import { Button, Text } from '@mantine/core'
import { api } from '../../api/client.ts'
import { useEndless } from '../../api/endless.ts'
import { Failure } from '../../parts/page/failure.tsx'
import { Loading } from '../../parts/page/loading.tsx'
import type { EventRow } from '../../parts/values/event-text.ts'
import { EventTimeline } from '../../parts/values/event-timeline.tsx'
import { useNames } from '../../parts/values/names.ts'
import { titlePage as texts } from '../../texts/en/title.ts'

const PAGE_ROWS = 50
/** The keys of a title are in the address of the request. */
const MOST_KEYS = 40

export const EVENTS = 'events'

export function useTitleEvents(keys: readonly string[]) {
  const title = keys.slice(0, MOST_KEYS).join(' ')
  return useEndless({
    key: ['events', 'title', title],
    size: PAGE_ROWS,
    read: ({ cursor: after }, signal) =>
      api('GET /api/events/search', {
        query: { title_key: title, view: 'events', domain: 'all', visibility: 'all', limit: PAGE_ROWS, after },
        signal,
      }),
    rowsOf: ({ items }) => items as readonly EventRow[],
    idOf: ({ id }) => id,
    totalOf: ({ total }) => total,
    cursorOf: ({ next }) => next,
    isWhole: true,
  })
}

export function TitleEvents({ list }: { readonly list: ReturnType<typeof useTitleEvents> }) {
  const names = useNames()
  const { rows, error, hasMore, isLoadingMore, more, retry } = list
  return (
    <>
      {error === null ? null : <Failure error={error} onRetry={retry} />}
      {rows === undefined || !names.isKnown ? (
        error === null ? (
          <Loading rows={3} />
        ) : null
      ) : rows.length === 0 ? (
        <Text size="sm" c="dimmed">
          {texts.noEvents}
        </Text>
      ) : (
        <>
          <EventTimeline rows={rows} nameOf={names.account} label={texts.events} withEpisodes />
          {hasMore ? (
            <Button mt="md" variant="default" loading={isLoadingMore} onClick={more}>
              {texts.earlier}
            </Button>
          ) : null}
        </>
      )}
    </>
  )
}
