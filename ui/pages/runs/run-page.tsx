// One run: live while it runs, then its report, items and undo.
import { serviceText } from '../../texts/service-text.ts'
import { Alert, Anchor, Paper, SimpleGrid, Stack, Text } from '@mantine/core'
import {
  IconAlertTriangle,
  IconDatabaseImport,
  IconFileUnknown,
  IconInfoCircle,
  IconMoodEmpty,
} from '@tabler/icons-react'
import { Fragment, type ReactNode } from 'react'
import { Link } from 'wouter'
import { useDrawn } from '../../api/drawn.ts'
import { useRead } from '../../api/query.ts'
import { EmptyState } from '../../parts/page/empty-state.tsx'
import { Loading } from '../../parts/page/loading.tsx'
import { Page } from '../../parts/page/page.tsx'
import { featureName, useNamed, useNames } from '../../parts/values/names.ts'
import { problemsOf } from '../../parts/runs/pair-status.ts'
import { RunBadge, undoneText } from '../../parts/runs/run-badge.tsx'
import { NotUndoneAlert } from '../../parts/runs/not-undone.tsx'
import { UndoButton } from '../../parts/runs/undo.tsx'
import { ProblemLink } from '../../parts/problems/problem-link.tsx'
import { Problems } from '../../parts/runs/problems.tsx'
import { QueryView } from '../../parts/page/query-view.tsx'
import { LiveRunCard } from '../../parts/runs/live-run-card.tsx'
import { useLiveRun } from '../../parts/runs/use-live-run.ts'
import { exactTime, TimeText } from '../../parts/values/time-text.tsx'
import { changesText, durationText } from '../../parts/runs/run-text.ts'
import { runs } from '../../texts/en/runs.ts'
import { shell } from '../../texts/en/shell.ts'
import { say } from '../../texts/say.ts'
import { RunItems } from './items.tsx'
import { sourceText, type RunDetail } from './status.ts'
import { PairReport } from './report.tsx'

const { one } = runs
const ASK_AGAIN_MS = 1000

export function RunPage({ id }: { readonly id: string }) {
  const live = useLiveRun()
  const isLive = live.isRunning && live.summary?.run_id === id
  const read = useRead(
    ['runs', id],
    'GET /api/runs/{run_id}',
    { params: { run_id: id } },
    {
      // The run may have ended between the first read and the stream, which may already report another run.
      refetchInterval: ({ state }) => (!isLive && state.data?.run.running === true ? ASK_AGAIN_MS : false),
    },
  )
  const query = useNamed(read)
  const data = useDrawn(query.data)

  const startedAt = data?.run.started_at ?? null
  const title = startedAt === null ? shell.pages.runs : say(one.title, { when: exactTime(Date.parse(startedAt)) })
  return (
    <Page
      title={title}
      breadcrumbs={[{ title: shell.pages.runs, href: '/runs' }]}
      actions={data === undefined || data.run.running ? undefined : <UndoButton runId={id} />}
    >
      <QueryView
        query={query}
        rows={6}
        absent={{ icon: IconFileUnknown, title: one.gone, text: one.goneText, to: one.allRuns, href: '/runs' }}
      >
        {(detail) =>
          !detail.run.running ? <Ended detail={detail} /> : isLive ? <LiveRunCard live={live} /> : <Loading rows={6} />
        }
      </QueryView>
    </Page>
  )
}

function Ended({ detail: { run, pairs } }: { readonly detail: RunDetail }) {
  const names = useNames()
  const problems =
    run.result === 'cancelled'
      ? []
      : pairs.flatMap(({ pair_name: name, account, features }) =>
          problemsOf(features, featureName).map((problem) =>
            say(one.ofPair, {
              pair: name ?? (account === null ? runs.gonePair : names.account(account.provider, account.instance)),
              problem,
            }),
          ),
        )
  const undone = undoneText(run)
  const facts: readonly (readonly [name: string, value: ReactNode])[] = [
    [
      runs.list.columns.result,
      <Fragment key="result">
        <RunBadge run={run} />
        {undone === null ? null : (
          <Text size="sm" c="dimmed">
            {undone}
          </Text>
        )}
      </Fragment>,
    ],
    ...(run.source === 'backup'
      ? []
      : [
          [one.facts.changes, changesText(run)] as const,
          [one.facts.open, say(one.openItems, { n: run.open })] as const,
        ]),
    ...(run.not_in_library === 0 ? [] : [[one.facts.missing, say(one.openItems, { n: run.not_in_library })] as const]),
    [one.facts.took, durationText(run.duration_sec)],
    [
      one.facts.source,
      <Fragment key="source">
        <TimeText at={run.started_at} /> · {sourceText(run.source)}
      </Fragment>,
    ],
  ]
  return (
    <Stack gap="lg">
      {run.dry_run ? (
        <Alert color="blue" icon={<IconInfoCircle aria-hidden />}>
          {one.planOnly}
        </Alert>
      ) : null}
      {run.result === 'failed' && run.source !== 'backup' && run.reason_text !== null ? (
        <Interrupted run={run} pairs={pairs} />
      ) : null}
      {run.not_undone.length === 0 ? null : <NotUndoneAlert of={run} />}
      {problems.length === 0 ? null : (
        <Alert
          color={run.result === 'failed' ? 'red' : 'orange'}
          icon={<IconAlertTriangle aria-hidden />}
          title={one.failed}
        >
          <Problems lines={problems} />
        </Alert>
      )}
      <SimpleGrid cols={{ base: 2, sm: 3, lg: facts.length }} component="dl" m={0}>
        {facts.map(([name, value]) => (
          <Fact key={name} name={name}>
            {value}
          </Fact>
        ))}
      </SimpleGrid>
      {run.open === 0 || pairs.length === 0 || run.dry_run ? null : <NotSynced run={run} pairs={pairs} />}
      {run.source === 'backup' ? (
        <EmptyState
          icon={IconDatabaseImport}
          title={run.result === 'ok' ? one.backup : one.notBackup}
          text={run.result === 'ok' ? one.backupText : (serviceText(run.reason_text) ?? '')}
        />
      ) : pairs.length === 0 ? (
        <EmptyState icon={IconMoodEmpty} title={one.none} text={one.noneText} />
      ) : (
        pairs.map((pair) => <PairReport key={pair.pair_id} pair={pair} isDry={run.dry_run} />)
      )}
      {pairs.length === 0 ? null : <RunItems runId={run.run_id} pairs={pairs} />}
    </Stack>
  )
}

/** Unsynced items come first, because they are why people open the page. */
function NotSynced({ run, pairs }: Pick<RunDetail, 'run' | 'pairs'>) {
  const ofLists = pairs.flatMap(({ pair_id: id, pair_name: name, features }) =>
    features
      .filter(({ feature, unresolved }) => feature === 'playlists' && unresolved > 0)
      .map(({ unresolved: n }) => ({ id, n, text: say(one.ofPlaylist, { n, pair: name ?? runs.gonePair }) })),
  )
  return (
    <ProblemLink of={{ run: run.run_id }} count={run.open}>
      {ofLists.map(({ id, text }) => (
        <Text key={id} size="sm" mt="xs">
          <Anchor component={Link} href={`/pairs/${id}`} inherit underline="always">
            {text}
          </Anchor>
        </Text>
      ))}
    </ProblemLink>
  )
}

function Interrupted({ run, pairs }: Pick<RunDetail, 'run' | 'pairs'>) {
  const { data: known } = useRead(['pairs'], 'GET /api/pairs', undefined, { staleTime: 60_000 })
  const names = run.pair_ids
    .filter((id) => !pairs.some(({ pair_id: of }) => of === id))
    .flatMap((id) => known?.find((pair) => pair.id === id)?.name ?? [])
  return (
    <Alert color="red" icon={<IconAlertTriangle aria-hidden />} title={one.brokeOff}>
      <Text size="sm">{say(one.brokeOffText, { reason: serviceText(run.reason_text) ?? '' })}</Text>
      {names.length === 0 ? null : <Text size="sm">{say(one.notReached, { names: names.join(', ') })}</Text>}
    </Alert>
  )
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <Paper withBorder p="sm">
      <Text component="dt" size="sm" c="dimmed">
        {name}
      </Text>
      <Text component="dd" m={0} mt="2xs" fw={500} style={{ overflowWrap: 'anywhere' }}>
        {children}
      </Text>
    </Paper>
  )
}
