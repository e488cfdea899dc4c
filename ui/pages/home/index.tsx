// Home: issues, last and next run, pairs, playback and activity.
import { Button, Skeleton, Stack } from '@mantine/core'
import { IconRocket } from '@tabler/icons-react'
import { Suspense } from 'react'
import { Link } from 'wouter'
import { useRead } from '../../api/query.ts'
import { EmptyState } from '../../parts/page/empty-state.tsx'
import { lazyPart } from '../../parts/page/lazy-part.ts'
import { Page } from '../../parts/page/page.tsx'
import { isSynced, type PairStatus } from '../../parts/runs/pair-status.ts'
import { PluginPanels } from '../../parts/plugins/plugin-panels.tsx'
import { QueryView } from '../../parts/page/query-view.tsx'
import { RunAll } from '../../parts/runs/run-all.tsx'
import { useLiveRun } from '../../parts/runs/use-live-run.ts'
import { home } from '../../texts/en/home.ts'
import { shell } from '../../texts/en/shell.ts'
import { say } from '../../texts/say.ts'
import { Activity } from './activity.tsx'
import { AttentionList } from './attention.tsx'
import { Facts } from './facts.tsx'
import { PairCards } from './pairs.tsx'
import { PlayingNow } from './playing.tsx'
import { RecentlyWatched } from './recent.tsx'

const LiveRunCard = lazyPart(
  () => import('../../parts/runs/live-run-card.tsx'),
  (module) => module.LiveRunCard,
)

export default function Home() {
  const query = useRead(['pairs', 'status'], 'GET /api/pairs/status')
  const attention = useRead(['attention'], 'GET /api/attention', undefined, { refetchInterval: 60_000 })
  const runs = useRead(['runs', 'recent'], 'GET /api/runs', { query: { dry_run: false, limit: 200 } })
  const live = useLiveRun()
  const pairs = query.data?.pairs
  const isEmpty = pairs !== undefined && pairs.length === 0

  return (
    <Page
      title={shell.pages.home}
      text={
        pairs === undefined ? (
          <Skeleton h={20} w={220} mt={6} />
        ) : isEmpty ? undefined : (
          summaryOf(pairs, live.isRunning)
        )
      }
      actions={pairs === undefined || isEmpty ? undefined : <RunAll isRunning={live.isRunning} />}
    >
      <Stack gap="lg">
        <AttentionList query={attention} />
        <QueryView
          query={query}
          rows={6}
          isEmpty={() => isEmpty}
          empty={
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
          }
        >
          {({ pairs: all }) => (
            <Stack gap="lg">
              {live.isRunning ? (
                <Suspense fallback={<Skeleton h={160} />}>
                  <LiveRunCard live={live} withLink />
                </Suspense>
              ) : null}
              <Facts runs={runs} pairs={all} attention={attention.data?.count} />
              <PlayingNow />
              <PairCards pairs={all} />
              <RecentlyWatched />
              <Activity query={runs} />
            </Stack>
          )}
        </QueryView>
        {isEmpty ? (
          <>
            <PlayingNow hideWhenUnsupported />
            <RecentlyWatched />
          </>
        ) : null}
        <PluginPanels slot="home" />
      </Stack>
    </Page>
  )
}

function summaryOf(all: readonly PairStatus[], isRunning: boolean): string {
  if (isRunning) return home.summary.running
  const pairs = all.filter(({ enabled }) => enabled)
  const n = pairs.filter(isSynced).length
  return n === 0
    ? home.summary.none
    : n === pairs.length
      ? say(home.summary.all, { n })
      : say(home.summary.some, { n, total: pairs.length })
}
