// Items that the last run of a pair left open, each with its reason; they can be tried again.
import { Anchor, Button, Group, Stack, Text } from '@mantine/core'
import { Link } from 'wouter'
import { api } from '../../api/client.ts'
import { useEndless } from '../../api/endless.ts'
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
  const query = useEndless({
    key: ['pairs', pairId, 'open'],
    size: PAGE_SIZE,
    read: ({ offset }, signal) =>
      api('GET /api/run/unresolved', {
        query: { scope: 'all', pair_id: pairId, not_in_library: false, offset, limit: PAGE_SIZE },
        signal,
      }),
    rowsOf: ({ items }) => items,
    totalOf: ({ total }) => total,
    isWhole: true,
  })
  const { rows: items } = query
  const again = useChange('POST /api/run/unresolved/clear', {
    refresh: [['pairs'], ['attention']],
    onDone: () => notifyDone(texts.againNext),
  })
  if (items === undefined)
    return query.error === null ? <Loading rows={3} /> : <Failure error={query.error} onRetry={query.retry} />
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
        {items.map((item, index) => (
          // Plays of one title differ by their time alone.
          // biome-ignore lint/suspicious/noArrayIndexKey: the list goes on at its end
          <Text component="li" size="sm" key={index} py={2} c="dimmed">
            <Anchor component={Link} href={titleAddress(item.key)} inherit underline="always">
              {[item.title, item.code].filter((part) => part !== '').join(' ')}
            </Anchor>
            {[
              '',
              featureName(item.feature),
              names.account(item.provider, item.provider_instance),
              serviceText(item.reason) ?? item.reason,
              ...(item.attempts > 1 ? [say(texts.tries, { n: item.attempts })] : []),
            ].join(' · ')}
          </Text>
        ))}
      </ul>
      {query.hasMore ? (
        <Button size="xs" variant="subtle" loading={query.isLoadingMore} onClick={query.more}>
          {texts.more}
        </Button>
      ) : null}
    </Stack>
  )
}
