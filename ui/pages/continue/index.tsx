// Positions where playback was stopped, on all services.
import { Alert, Anchor, Button, Group, List as Lines, Stack, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import {
  IconAlertTriangle,
  IconEyeOff,
  IconFilterOff,
  IconPlayerTrackNext,
  IconPlugConnected,
  IconRefresh,
} from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useCallback, useDeferredValue, useMemo, useState } from 'react'
import { Link } from 'wouter'
import { api } from '../../api/client.ts'
import { useEndless } from '../../api/endless.ts'
import { notifyFailure } from '../../parts/dialogs/notify.ts'
import { useAddressFilters } from '../../parts/lists/address-filters.ts'
import { EmptyState } from '../../parts/page/empty-state.tsx'
import { Failure } from '../../parts/page/failure.tsx'
import { Loading } from '../../parts/page/loading.tsx'
import { Page } from '../../parts/page/page.tsx'
import { continueWatching as texts } from '../../texts/en/continue.ts'
import { say } from '../../texts/say.ts'
import { confirmAndRun, run, targetsOf } from './actions.ts'
import { Cards } from './cards.tsx'
import { type Item, keyOf, type List, type Operation } from '../../parts/titles/positions.ts'
import { PositionDialog } from './position-dialog.tsx'
import { SelectionBar } from './selection-bar.tsx'
import { type Filters, isFiltered, NO_FILTERS, Toolbar } from './toolbar.tsx'

const PAGE_SIZE = 60
const TYPING_MS = 250
/** The service caches the data for a minute. */
const REFRESH_MS = 60_000
const KEY = 'continue'
const KNOWN = { type: Object.keys(texts.types), age: Object.keys(texts.ages), sort: Object.keys(texts.sorts) }

export default function ContinueWatching() {
  const client = useQueryClient()
  const [filters, setFilters] = useAddressFilters<Filters>(NO_FILTERS, KNOWN)
  const [search] = useDebouncedValue(filters.search, TYPING_MS)
  const query = useMemo(() => queryOf({ ...filters, search }), [filters, search])
  const list = useEndless({
    key: [KEY, query],
    size: PAGE_SIZE,
    read: ({ index }, signal) =>
      api('GET /api/playback_progress/items', { query: { ...query, page: index + 1, page_size: PAGE_SIZE }, signal }),
    rowsOf: ({ items }) => items,
    idOf: keyOf,
    totalOf: ({ total }) => total,
    isWhole: true,
    keepPrevious: true,
    refetchInterval: REFRESH_MS,
  })
  // Deferred, because rendering many cards would block input.
  const [first, rows] = useDeferredValue(useMemo(() => [list.first, list.rows] as const, [list.first, list.rows]))
  const [isAsking, setAsking] = useState(false)
  const refresh = useCallback(() => client.invalidateQueries({ queryKey: [KEY] }), [client])

  async function askAgain() {
    setAsking(true)
    try {
      await api('GET /api/playback_progress/items', { query: { ...query, page_size: 1, force_refresh: true } })
    } catch (error) {
      notifyFailure(error)
    } finally {
      await refresh()
      setAsking(false)
    }
  }

  return (
    <Page
      title={texts.title}
      text={texts.intro}
      actions={
        <Button
          variant="default"
          leftSection={<IconRefresh size={16} aria-hidden />}
          loading={isAsking}
          onClick={() => void askAgain()}
        >
          {texts.refresh}
        </Button>
      }
    >
      {list.error === null ? null : <Failure error={list.error} onRetry={list.retry} />}
      {first === undefined || rows === undefined ? (
        list.error === null ? (
          <Loading rows={6} />
        ) : null
      ) : (
        <Titles
          first={first}
          items={rows}
          filters={filters}
          onFilters={setFilters}
          refresh={refresh}
          more={
            list.hasMore ? (
              <Group justify="center">
                <Button variant="default" loading={list.isLoadingMore} onClick={list.more}>
                  {texts.more}
                </Button>
              </Group>
            ) : null
          }
        />
      )}
    </Page>
  )
}

interface TitlesProps {
  readonly first: List
  readonly items: readonly Item[]
  readonly filters: Filters
  readonly onFilters: (filters: Filters) => void
  readonly refresh: () => Promise<unknown>
  readonly more: ReactNode
}

function Titles({ first, items, filters, onFilters, refresh, more }: TitlesProps) {
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const [placing, setPlacing] = useState<readonly Item[] | null>(null)
  const chosen = useMemo(() => items.filter((item) => selected.has(keyOf(item))), [items, selected])
  const { providers, errors, total } = first

  const select = useCallback((key: string, isSelected: boolean) => {
    setSelected((before) => {
      const next = new Set(before)
      if (isSelected) next.add(key)
      else next.delete(key)
      return next
    })
  }, [])

  const act = useCallback(
    async (operation: Operation, some: readonly Item[]) => {
      if (operation === 'update_progress') {
        const able = some.filter((item) => item.can_update_progress)
        if (able.length === 0) notifyFailure(new Error(texts.nothingPossible), texts.set.failed)
        else setPlacing(able)
      } else if (await confirmAndRun(operation, some, refresh)) setSelected(new Set())
    },
    [refresh],
  )
  const actOnOne = useCallback((operation: Operation, item: Item) => void act(operation, [item]), [act])

  async function place(some: readonly Item[], percent: number) {
    setPlacing(null)
    const targets = targetsOf(some, 'update_progress')
    await run('update_progress', targets, refresh, { progress_percent: percent }, some.length)
    setSelected(new Set())
  }

  if (providers.length === 0) return <NoAccounts />
  if (providers.every(({ included }) => !included)) return <AllHidden />
  return (
    <Stack gap="sm">
      <Toolbar providers={providers} filters={filters} onFilters={onFilters} />
      <Errors errors={errors} />
      <Text size="sm" c="dimmed" role="status">
        {say(texts.total, { n: total })}
      </Text>
      <SelectionBar
        items={chosen}
        onAll={chosen.length < items.length ? () => setSelected(new Set(items.map(keyOf))) : null}
        onClear={() => setSelected(new Set())}
        onAction={(operation) => void act(operation, chosen)}
      />
      {items.length === 0 ? (
        <Nothing isFiltered={isFiltered(filters)} hasErrors={errors.length > 0} onClear={() => onFilters(NO_FILTERS)} />
      ) : (
        <Cards items={items} selected={selected} onSelect={select} onAction={actOnOne} />
      )}
      {more}
      <PositionDialog
        items={placing}
        onClose={() => setPlacing(null)}
        onSet={(some, percent) => void place(some, percent)}
      />
    </Stack>
  )
}

function Errors({ errors }: Pick<List, 'errors'>) {
  if (errors.length === 0) return null
  return (
    <Alert color="orange" title={texts.errors.title} icon={<IconAlertTriangle aria-hidden />} role="alert">
      <Lines size="sm">
        {errors.map(({ provider, instance_id: instance, provider_label: service, message }) => (
          <Lines.Item key={`${provider}:${instance}`}>
            {message.includes(service) ? message : say(texts.errors.at, { service, message })}
          </Lines.Item>
        ))}
      </Lines>
      <Text size="sm" mt="xs">
        {texts.errors.old}{' '}
        <Anchor component={Link} href="/connections" inherit underline="always">
          {texts.errors.connections}
        </Anchor>
      </Text>
    </Alert>
  )
}

function Nothing({
  isFiltered: hasFilters,
  hasErrors,
  onClear,
}: {
  readonly isFiltered: boolean
  readonly hasErrors: boolean
  readonly onClear: () => void
}) {
  if (hasFilters)
    return (
      <EmptyState
        icon={IconFilterOff}
        title={texts.noMatch.title}
        text={texts.noMatch.text}
        action={
          <Button variant="default" onClick={onClear}>
            {texts.clear}
          </Button>
        }
      />
    )
  if (hasErrors) return <EmptyState icon={IconAlertTriangle} title={texts.unread.title} text={texts.unread.text} />
  return (
    <EmptyState
      icon={IconPlayerTrackNext}
      title={texts.none.title}
      text={texts.none.text}
      action={
        <Button component={Link} href="/connections" variant="default">
          {texts.none.action}
        </Button>
      }
    />
  )
}

function NoAccounts() {
  const { title, text, action } = texts.noAccounts
  return (
    <EmptyState
      icon={IconPlugConnected}
      title={title}
      text={text}
      action={
        <Button component={Link} href="/connections">
          {action}
        </Button>
      }
    />
  )
}

function AllHidden() {
  const { title, text, action } = texts.allHidden
  return (
    <EmptyState
      icon={IconEyeOff}
      title={title}
      text={text}
      action={
        <Button component={Link} href="/settings/playback_progress" variant="default">
          {action}
        </Button>
      }
    />
  )
}

function queryOf({ search, provider, type, age, sort }: Filters) {
  return {
    sort,
    ...(search.trim() === '' ? {} : { search: search.trim() }),
    provider: provider ?? undefined,
    media_type: type ?? undefined,
    age: age ?? undefined,
  }
}
