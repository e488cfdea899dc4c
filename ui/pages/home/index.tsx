// Home: health of the services, issues, playback, recent plays, synced items, pairs and activity.
import { Button, Group, Skeleton, Stack } from '@mantine/core'
import { IconLink, IconRocket } from '@tabler/icons-react'
import { Suspense, useDeferredValue, useEffect, useMemo, useState } from 'react'
import { Link } from 'wouter'
import { nowAtServiceMs } from '../../api/clock.ts'
import { useRead } from '../../api/query.ts'
import { askAgain, timeZone } from '../../parts/titles/ask-again.ts'
import { Shelf } from '../../parts/titles/shelf.tsx'
import { useNames } from '../../parts/values/names.ts'
import { EmptyState } from '../../parts/page/empty-state.tsx'
import { lazyPart } from '../../parts/page/lazy-part.ts'
import { Page } from '../../parts/page/page.tsx'
import { statusLabel } from '../../parts/runs/sync-badge.tsx'
import { useInView } from '../../parts/page/use-in-view.ts'
import { PluginPanels } from '../../parts/plugins/plugin-panels.tsx'
import { QueryView } from '../../parts/page/query-view.tsx'
import { RunAll } from '../../parts/runs/run-all.tsx'
import { useLiveRun } from '../../parts/runs/use-live-run.ts'
import { home } from '../../texts/en/home.ts'
import { shell } from '../../texts/en/shell.ts'
import { Activity } from './activity.tsx'
import { AttentionList } from './attention.tsx'
import { Facts } from './facts.tsx'
import { PairCards } from './pairs.tsx'
import { FirstSync, firstSyncOf } from './first-sync.tsx'
import { servicesOf } from './health.ts'
import { FollowHint } from './follow-hint.tsx'
import { PlayingNow, usePlaying } from './playing.tsx'
import { Services } from './services.tsx'
import { ContinueShelf, SyncedShelf, syncedItems, WatchedShelf } from './shelves.tsx'

const LiveRunCard = lazyPart(
  () => import('../../parts/runs/live-run-card.tsx'),
  (module) => module.LiveRunCard,
)

/** Enough for a shelf of posters after duplicates are removed. */
const PLAYS = 40
const EVENTS = 60
/** Do not wait longer than this for a slow service. */
const PATIENCE_MS = 1_200

export default function Home() {
  // Start all reads together, so that no response waits for another.
  const query = useRead(['pairs', 'status'], 'GET /api/pairs/status')
  const attention = useRead(
    ['problems', 'causes'],
    'GET /api/problems',
    { query: { limit: 0 } },
    { refetchInterval: 60_000 },
  )
  const runs = useRead(['runs', 'recent'], 'GET /api/runs', { query: { dry_run: false, limit: 200 } })
  const connections = useRead(['connections'], 'GET /api/connections', undefined, { refetchInterval: 60_000 })
  const playing = usePlaying()
  const positions = useRead(
    ['continue', 'home'],
    'GET /api/playback_progress/items',
    { query: { page_size: 16 } },
    { staleTime: 60_000 },
  )
  const watched = useRead(
    ['history', 'home'],
    'GET /api/history',
    { query: { limit: PLAYS, tz: timeZone } },
    { refetchInterval: askAgain },
  )
  const pairs = query.data?.pairs
  const services = useMemo(
    () => (connections.data === undefined ? [] : servicesOf(connections.data)),
    [connections.data],
  )
  const isEmpty = pairs !== undefined && pairs.length === 0
  const isNew = isEmpty && services.length === 0
  const [below, isInView] = useInView()
  // Without a service the lower sections are empty.
  const isBelowSeen = isInView && !isNew
  const first = runs.data === undefined ? undefined : firstSyncOf(runs.data.runs, runs.data.total, nowAtServiceMs())
  const synced = useRead(
    ['events', 'home'],
    'GET /api/events/search',
    { query: { status: 'resolved', limit: EVENTS } },
    { enabled: isBelowSeen || first !== undefined },
  )
  const live = useLiveRun()
  const names = useNames()
  const isPatient = usePatience(PATIENCE_MS)

  // Sections that would push others down are rendered at once, or below them.
  const own = [query, attention, runs, connections]
  const isReady = useDeferredValue(
    own.every(({ isPending }) => !isPending) &&
      names.isKnown &&
      (!isPatient || first === undefined || !synced.isPending) &&
      (!isPatient || [playing, positions, watched].every(({ isPending }) => !isPending)),
  )
  // Playback is slow to load, so show it below if it would push visible content down.
  const isLate = useFirst(isReady, playing.isPending)
  const now = <PlayingNow query={playing} hideWhenUnsupported={isEmpty} />
  const isCounted = query.data?.sync_status.state === 'need_you'
  // Hints are placed below the main content.
  const isUrgent = attention.isError || (attention.data?.causes.some(({ severity }) => severity !== 'info') ?? false)

  return (
    <Page
      title={shell.pages.home}
      text={
        query.isError ? undefined : query.data === undefined || !isReady ? (
          <Skeleton h="1lh" w={220} />
        ) : isNew ? undefined : (
          <span role="status">{statusLabel(query.data.sync_status, names)}</span>
        )
      }
      actions={pairs === undefined || isEmpty || !isReady ? undefined : <RunAll isRunning={live.isRunning} />}
    >
      {query.isError ? (
        <QueryView query={query} rows={6}>
          {() => null}
        </QueryView>
      ) : !isReady || pairs === undefined ? (
        <Waiting />
      ) : (
        <Stack gap="xl">
          {isNew ? null : <Services services={services} />}
          {isUrgent ? <AttentionList query={attention} isCounted={isCounted} /> : null}
          {isNew ? (
            <EmptyState
              icon={IconRocket}
              title={home.empty.title}
              text={home.empty.text}
              action={
                <Button component={Link} href="/start" size="md">
                  {home.empty.action}
                </Button>
              }
            />
          ) : null}
          {first === undefined || synced.data === undefined ? null : (
            <FirstSync key={first.run_id} run={first} pairs={pairs} items={syncedItems(synced.data, names.account)} />
          )}
          {live.isRunning ? (
            <Suspense fallback={<Skeleton h={160} />}>
              <LiveRunCard live={live} withLink />
            </Suspense>
          ) : null}
          {isLate ? null : now}
          <ContinueShelf query={positions} withHero={!isLate && playing.data?.streams.length === 0} />
          <WatchedShelf query={watched} />
          <div ref={below}>{isNew ? null : <SyncedShelf query={synced} />}</div>
          {isLate ? now : null}
          {isUrgent ? null : <AttentionList query={attention} isCounted={isCounted} />}
          {isEmpty && !isNew ? (
            <EmptyState
              icon={IconLink}
              title={home.noPairs.title}
              text={home.noPairs.text}
              action={
                <Button component={Link} href="/start">
                  {home.empty.action}
                </Button>
              }
            />
          ) : null}
          {isEmpty ? null : (
            <>
              <Facts runs={runs} pairs={pairs} isSeen={isBelowSeen} />
              <PairCards pairs={pairs} />
              <Activity query={runs} />
            </>
          )}
          <FollowHint isSeen={isBelowSeen} />
          <PluginPanels slot="home" />
        </Stack>
      )}
    </Page>
  )
}

function Waiting() {
  return (
    <Stack gap="xl" role="status" aria-label={shell.loading}>
      <Group gap="sm">
        {[1, 2, 3, 4].map((one) => (
          <Skeleton key={one} h={52} w={170} radius="xl" />
        ))}
      </Group>
      <Shelf title=" " items={undefined} />
      <Shelf title=" " items={undefined} />
    </Stack>
  )
}

/** Returns the value at the time when it first became known. */
function useFirst<Value>(isKnown: boolean, value: Value): Value | undefined {
  const [first, setFirst] = useState<{ readonly value: Value }>()
  if (isKnown && first === undefined) setFirst({ value })
  return first?.value
}

/** Returns true until the time has passed. */
function usePatience(ms: number): boolean {
  const [isPatient, setPatient] = useState(true)
  useEffect(() => {
    const timer = setTimeout(() => setPatient(false), ms)
    return () => clearTimeout(timer)
  }, [ms])
  return isPatient
}
