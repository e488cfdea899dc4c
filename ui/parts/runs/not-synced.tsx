// Items that a run could not sync, each with its reason; they can be retried.
import { Anchor, Button, Group, Stack, Text } from '@mantine/core'
import { Link } from 'wouter'
import { api } from '../../api/client.ts'
import { useEndless } from '../../api/endless.ts'
import { useChange } from '../../api/query.ts'
import { pairs } from '../../texts/en/pairs.ts'
import { say } from '../../texts/say.ts'
import { serviceText } from '../../texts/service-text.ts'
import { notifyDone } from '../dialogs/notify.ts'
import { Failure } from '../page/failure.tsx'
import { Loading } from '../page/loading.tsx'
import { titleAddress } from '../titles/pictures.ts'
import { useFeatureNames, useNames } from '../values/names.ts'
import { originText } from '../values/origin-text.ts'

const { openItems: texts } = pairs
const PAGE_SIZE = 100

interface NotSyncedItemsProps {
  /** The pair or run of the items. */
  readonly of: { readonly pair_id: string } | { readonly run_id: string }
  readonly pairIds: readonly string[]
  /** The number of items that the run left; items that synced since are not listed. */
  readonly count?: number
}

export function NotSyncedItems({ of, pairIds, count }: NotSyncedItemsProps) {
  const names = useNames()
  const featureName = useFeatureNames()
  const query = useEndless({
    key: ['pairs', 'open', of],
    size: PAGE_SIZE,
    read: ({ offset }, signal) =>
      api('GET /api/run/unresolved', {
        query: { scope: 'all', ...of, not_in_library: false, accepted: false, offset, limit: PAGE_SIZE },
        signal,
      }),
    rowsOf: ({ items }) => items,
    totalOf: ({ total }) => total,
    isWhole: true,
  })
  const { rows: items, total } = query
  const again = useChange('POST /api/run/unresolved/clear', { refresh: [['pairs'], ['attention']] })
  async function tryAgain() {
    for (const pairId of pairIds) await again.mutateAsync({ body: { pair_id: pairId } })
    notifyDone(texts.againNext)
  }
  if (items === undefined)
    return query.error === null ? <Loading rows={3} /> : <Failure error={query.error} onRetry={query.retry} />
  const since = (count ?? total) - total
  const synced = since <= 0 ? null : <Text size="sm">{say(texts.since, { n: since })}</Text>
  if (items.length === 0) return synced ?? <Text size="sm">{texts.none}</Text>
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
          onClick={() => void tryAgain().catch(() => undefined)}
        >
          {texts.again}
        </Button>
      </Group>
      {again.error === null ? null : <Failure error={again.error} />}
      {synced}
      <ul className="plain-list" aria-label={texts.label}>
        {items.map((item, index) => (
          // Plays of one title may differ only in time.
          // biome-ignore lint/suspicious/noArrayIndexKey: items are appended only
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
              ...[originText(item, item.feature, names.account)].filter((text) => text !== null),
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
