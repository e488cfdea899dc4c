// Items that the last run of a pair left open, each with its reason; they can be tried again.
import { Anchor, Button, Group, Stack, Text } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { api } from '../../api/client.ts'
import { useChange } from '../../api/query.ts'
import { notifyDone } from '../../parts/dialogs/notify.ts'
import { Failure } from '../../parts/page/failure.tsx'
import { Loading } from '../../parts/page/loading.tsx'
import { openOfPair, type PairStatus } from '../../parts/runs/pair-status.ts'
import { titleAddress } from '../../parts/titles/pictures.ts'
import { useFeatureNames, useNames } from '../../parts/values/names.ts'
import { pairs } from '../../texts/en/pairs.ts'
import { say } from '../../texts/say.ts'
import { serviceText } from '../../texts/service-text.ts'
import { Folded } from './folded.tsx'

const { openItems: texts } = pairs
const PAGE_SIZE = 100

/** Renders nothing for a pair that is synced. */
export function NotSynced({ pair }: { readonly pair: PairStatus }) {
  const open = openOfPair(pair)
  return open === 0 ? null : (
    <Folded title={say(texts.count, { n: open })}>
      <Items pairId={pair.id} />
    </Folded>
  )
}

function Items({ pairId }: { readonly pairId: string }) {
  const names = useNames()
  const featureName = useFeatureNames()
  const query = useInfiniteQuery({
    queryKey: ['pairs', pairId, 'open'],
    queryFn: ({ pageParam, signal }) =>
      api('GET /api/run/unresolved', {
        query: { scope: 'all', pair_id: pairId, not_in_library: false, offset: pageParam, limit: PAGE_SIZE },
        signal,
      }),
    initialPageParam: 0,
    getNextPageParam: ({ total, items }, pages) => {
      const known = pages.reduce((all, page) => all + page.items.length, 0)
      return items.length > 0 && known < total ? known : undefined
    },
  })
  const again = useChange('POST /api/run/unresolved/clear', {
    refresh: [['pairs'], ['attention']],
    onDone: () => notifyDone(texts.againNext),
  })
  if (query.data === undefined)
    return query.error === null ? (
      <Loading rows={3} />
    ) : (
      <Failure error={query.error} onRetry={() => void query.refetch()} />
    )
  const items = query.data.pages.flatMap((page) => page.items)
  if (items.length === 0) return <Text size="sm">{texts.none}</Text>
  return (
    <Stack gap="xs" mt="xs">
      <Group justify="space-between" gap="xs">
        <Text size="sm" c="dimmed">
          {texts.text}
        </Text>
        <Button
          size="xs"
          variant="default"
          loading={again.isPending}
          onClick={() => again.mutate({ body: { pair_id: pairId } })}
        >
          {texts.again}
        </Button>
      </Group>
      {again.error === null ? null : <Failure error={again.error} />}
      <ul className="plain-list" aria-label={texts.label}>
        {items.map(({ key, op, title, code, feature, provider, provider_instance: instance, reason, attempts }) => (
          <Text component="li" size="sm" key={`${feature} ${provider}@${instance} ${op} ${key}`} py={2} c="dimmed">
            <Anchor component={Link} href={titleAddress(key)} inherit underline="always">
              {[title, code].filter((part) => part !== '').join(' ')}
            </Anchor>
            {[
              '',
              featureName(feature),
              names.account(provider, instance),
              serviceText(reason) ?? reason,
              ...(attempts > 1 ? [say(texts.tries, { n: attempts })] : []),
            ].join(' · ')}
          </Text>
        ))}
      </ul>
      {query.hasNextPage ? (
        <Button
          size="xs"
          variant="subtle"
          loading={query.isFetchingNextPage}
          onClick={() => void query.fetchNextPage()}
        >
          {texts.more}
        </Button>
      ) : null}
    </Stack>
  )
}
