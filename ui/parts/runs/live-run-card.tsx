// The current run: progress per pair, feature and side, and the stop button.
import { Alert, Anchor, Button, Group, Paper, SimpleGrid, Stack, Text, Title, VisuallyHidden } from '@mantine/core'
import { Link } from 'wouter'
import { useRead } from '../../api/query.ts'
import {
  type FeatureProgress,
  type FeatureState,
  type PairProgress,
  readOf,
  type RunProgress as Progress,
  type StepProgress,
} from '../../../sdk/sync/run-progress.ts'
import { runs } from '../../texts/en/runs.ts'
import { say } from '../../texts/say.ts'
import { featureName, useNames, type Names } from '../values/names.ts'
import { RunProgress } from './run-progress.tsx'
import { StopRun } from './stop-run.tsx'
import { StatusBadge, type Tone } from '../values/status-badge.tsx'
import { TimeText } from '../values/time-text.tsx'
import type { LiveRunState } from './use-live-run.ts'

const TONES: Readonly<Record<FeatureState, Tone>> = {
  waiting: 'idle',
  reading: 'busy',
  applying: 'busy',
  done: 'good',
  failed: 'bad',
  cancelled: 'idle',
  skipped: 'warn',
}
const OPEN: readonly FeatureState[] = ['waiting', 'reading', 'applying']
const { live } = runs

export interface LiveRunCardProps {
  readonly live: LiveRunState
  /** Shows a link to the run page. */
  readonly withLink?: boolean
}

export function LiveRunCard({ live: { summary, run, stream }, withLink = false }: LiveRunCardProps) {
  const names = useNames()
  const { data: pairs } = useRead(['pairs'], 'GET /api/pairs', undefined, { staleTime: 60_000 })
  const states = run.pairs.flatMap(({ features }) => features.map(({ state }) => state))
  const through = { done: states.filter((state) => !OPEN.includes(state)).length, total: states.length }
  if (summary === null) return null
  const titles = new Map((pairs ?? []).map(({ id, name }) => [id, name]))
  const apply = summary._phase?.apply
  return (
    <Paper withBorder p="md" component="section" aria-label={summary.dry_run === true ? live.planTitle : live.title}>
      <Stack>
        <Group justify="space-between" gap="xs">
          <Group gap="sm">
            <Title order={2} size="h4">
              {summary.dry_run === true ? live.planTitle : live.title}
            </Title>
            <StatusBadge tone="busy" label={runs.status.working} />
            <Text size="sm" c="dimmed" component="div">
              <TimeText at={summary.started_at} />
            </Text>
          </Group>
          <Group gap="xs">
            {withLink && summary.run_id !== undefined ? (
              <Button size="xs" variant="default" component={Link} href={`/runs/${summary.run_id}`}>
                {live.details}
              </Button>
            ) : null}
            <StopRun isAsked={summary.cancel_requested === true} />
          </Group>
        </Group>
        <VisuallyHidden role="status">{through.total === 0 ? '' : say(live.said, through)}</VisuallyHidden>
        {stream === 'interrupted' ? <Alert color="yellow">{live.interrupted}</Alert> : null}
        {run.pairs.length > 0 ? (
          run.pairs.map((pair) => (
            <OfPair
              key={`${pair.i} ${pair.pairId}`}
              run={run}
              pair={pair}
              title={titles.get(pair.pairId)}
              names={names}
            />
          ))
        ) : apply === undefined || apply.total === 0 ? (
          <Text c="dimmed">{live.preparing}</Text>
        ) : (
          <RunProgress label={live.undoing} done={apply.done} total={apply.total} />
        )}
      </Stack>
    </Paper>
  )
}

interface Shown {
  readonly run: Progress
  readonly pair: PairProgress
  readonly names: Names
}

function OfPair({ run, pair, title, names }: Shown & { readonly title: string | undefined }) {
  const [first] = pair.features
  const name =
    title ||
    (first === undefined
      ? ''
      : say(runs.pairName, {
          source: names.account(first.a.provider, first.a.instance),
          target: names.account(first.b.provider, first.b.instance),
        }))
  return (
    <Stack gap="xs" role="group" aria-label={name}>
      <Group gap="xs" justify="space-between">
        <Text fw={600}>
          {pair.pairId === '' ? (
            name
          ) : (
            <Anchor component={Link} href={`/pairs/${pair.pairId}`} inherit c="inherit">
              {name}
            </Anchor>
          )}
        </Text>
        {pair.n > 1 ? (
          <Text size="sm" c="dimmed">
            {say(live.pairOf, { i: pair.i, n: pair.n })}
          </Text>
        ) : null}
      </Group>
      {pair.features.map((feature) => (
        <OfFeature key={feature.feature} run={run} pair={pair} feature={feature} names={names} />
      ))}
    </Stack>
  )
}

function OfFeature({ run, pair: { i }, feature, names }: Shown & { readonly feature: FeatureProgress }) {
  const { state } = feature
  return (
    <Paper p="sm" bg="var(--inset)" role="group" aria-label={featureName(feature.feature)}>
      <Group gap="xs" mb={state === 'waiting' ? 0 : 'xs'} justify="space-between">
        <Text size="sm" fw={600}>
          {featureName(feature.feature)}
        </Text>
        <StatusBadge tone={TONES[state]} label={live.states[state]} />
      </Group>
      {state === 'waiting' ? null : (
        <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md" verticalSpacing="xs">
          {(['a', 'b'] as const).map((side) => {
            const { provider, instance, write } = feature[side]
            const read = readOf(run, { i, feature: feature.feature, provider, instance })
            const { label, ...step } = stepOf(read, write, state === 'failed')
            const name = names.account(provider, instance)
            return <RunProgress key={side} provider={provider} label={say(label, { name })} {...step} />
          })}
        </SimpleGrid>
      )}
      {feature.held > 0 ? (
        <Text size="sm" mt="xs">
          {say(live.held, { n: feature.held })}
        </Text>
      ) : null}
    </Paper>
  )
}

function stepOf(read: StepProgress | null, write: StepProgress | null, failed: boolean) {
  if (write?.total === 0) {
    const count = read?.done ?? 0
    return { label: live.planned, done: count, total: count, isOver: true }
  }
  if (write !== null) return { label: live.write, ...write, failed }
  if (read === null)
    return { label: failed ? '{name}' : live.waiting, done: 0, total: failed ? 0 : null, isOver: failed, failed }
  return { label: live.read, ...read, total: read.isOver ? read.done : read.total, failed: failed && !read.isOver }
}
