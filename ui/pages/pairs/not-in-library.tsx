// Titles that a service of the pair lacks: not a problem, collapsed, can be ignored one by one or all.
import { Button, Group, Stack, Switch, Text } from '@mantine/core'
import { useState } from 'react'
import { api, type Answer } from '../../api/client.ts'
import { useEndless } from '../../api/endless.ts'
import { useChange } from '../../api/query.ts'
import { Failure } from '../../parts/page/failure.tsx'
import { Fold } from '../../parts/page/fold.tsx'
import { Loading } from '../../parts/page/loading.tsx'
import type { PairStatus } from '../../parts/runs/pair-status.ts'
import { useFeatureNames, useNames } from '../../parts/values/names.ts'
import { pairs } from '../../texts/en/pairs.ts'
import { say } from '../../texts/say.ts'

type Item = Answer<'GET /api/pairs/{pair_id}/not-in-library'>['items'][number]

const { missing: texts } = pairs
const idOf = ({ feature, provider, instance, key }: Item) => `${feature} ${provider}@${instance} ${key}`
const PAGE_SIZE = 100

/** Renders nothing if no title is missing. */
export function NotInLibrary({ pair }: { readonly pair: PairStatus }) {
  const sum = (field: 'not_in_library' | 'ignored') => pair.features.reduce((all, one) => all + one[field], 0)
  const [shown, ignored] = [sum('not_in_library'), sum('ignored')]
  if (shown + ignored === 0) return null
  return (
    <Fold
      isFramed
      title={say(texts.count, { n: shown })}
      {...(ignored === 0 ? {} : { aside: say(texts.ignored, { n: ignored }) })}
    >
      <Titles pairId={pair.id} />
    </Fold>
  )
}

function Titles({ pairId }: { readonly pairId: string }) {
  const names = useNames()
  const featureName = useFeatureNames()
  const [showsIgnored, setShowsIgnored] = useState(false)
  const query = useEndless({
    key: ['pairs', pairId, 'not-in-library'],
    size: PAGE_SIZE,
    read: ({ offset }, signal) =>
      api('GET /api/pairs/{pair_id}/not-in-library', {
        params: { pair_id: pairId },
        query: { offset, limit: PAGE_SIZE },
        signal,
      }),
    rowsOf: ({ items }) => items,
    totalOf: ({ total }) => total,
    isWhole: true,
  })
  const { rows: all, first } = query
  const change = useChange('PUT /api/pairs/{pair_id}/not-in-library', { refresh: [['pairs'], ['attention']] })
  const set = (ignored: boolean, item?: Item) =>
    change.mutate({
      params: { pair_id: pairId },
      body: {
        ignored,
        ...(item === undefined
          ? {}
          : { items: [{ feature: item.feature, provider: item.provider, instance: item.instance, key: item.key }] }),
      },
    })
  if (all === undefined)
    return query.error === null ? <Loading rows={3} /> : <Failure error={query.error} onRetry={query.retry} />
  const allIgnored = first?.all_ignored === true
  const shown = all.filter((item) => showsIgnored || !item.ignored)
  return (
    <Stack gap="xs" mt="xs">
      <Text size="sm" c="dimmed">
        {texts.text}
      </Text>
      <Group justify="space-between" gap="xs">
        <Switch
          label={texts.showIgnored}
          checked={showsIgnored}
          onChange={(event) => setShowsIgnored(event.currentTarget.checked)}
        />
        <Button size="xs" variant="default" loading={change.isPending} onClick={() => set(!allIgnored)}>
          {allIgnored ? texts.showAll : texts.ignoreAll}
        </Button>
      </Group>
      {change.error === null ? null : <Failure error={change.error} />}
      {shown.length === 0 ? (
        <Text size="sm">{allIgnored ? texts.allIgnored : texts.none}</Text>
      ) : (
        <ul className="plain-list" aria-label={texts.label}>
          {shown.map((item) => (
            <Group component="li" key={idOf(item)} justify="space-between" wrap="nowrap" gap="sm" py="3xs">
              <Text size="sm" className="grow" truncate title={item.title}>
                {item.title}
                {item.year === null ? '' : ` (${String(item.year)})`}
                <Text span inherit c="dimmed">
                  {` · ${featureName(item.feature)} · ${say(texts.where, { service: names.account(item.provider, item.instance) })}`}
                </Text>
              </Text>
              {allIgnored ? null : (
                <Button
                  size="compact-xs"
                  variant="subtle"
                  disabled={change.isPending}
                  aria-label={say(item.ignored ? texts.showNamed : texts.ignoreNamed, { title: item.title })}
                  onClick={() => set(!item.ignored, item)}
                >
                  {item.ignored ? texts.show : texts.ignore}
                </Button>
              )}
            </Group>
          ))}
        </ul>
      )}
      {query.hasMore ? (
        <Button size="xs" variant="subtle" loading={query.isLoadingMore} onClick={query.more}>
          {texts.more}
        </Button>
      ) : null}
    </Stack>
  )
}
