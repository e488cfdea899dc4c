// The status of a pair: features, removals to approve, recent plans.
import { serviceText } from '../../texts/service-text.ts'
import { Alert, Anchor, Button, Group, Paper, Stack, Text, Title } from '@mantine/core'
import { IconFileSearch, IconPlayerPause } from '@tabler/icons-react'
import { Link } from 'wouter'
import type { Answer } from '../../api/client.ts'
import { useRead } from '../../api/query.ts'
import { EmptyState } from '../../parts/page/empty-state.tsx'
import { useFeatureNames } from '../../parts/values/names.ts'
import { type FeatureStatus, openOfPair, type PairStatus } from '../../parts/runs/pair-status.ts'
import { ProblemLink } from '../../parts/problems/problem-link.tsx'
import { PluginPanels } from '../../parts/plugins/plugin-panels.tsx'
import { QueryView } from '../../parts/page/query-view.tsx'
import { SyncBadge } from '../../parts/runs/sync-badge.tsx'
import { relativeTime, TimeText } from '../../parts/values/time-text.tsx'
import { pairs as texts } from '../../texts/en/pairs.ts'
import { say } from '../../texts/say.ts'
import { NotInLibrary } from './not-in-library.tsx'
import { FeatureBadges } from './pair-summary.tsx'

const SHOWN_PLANS = 8

export function Overview({ pair }: { readonly pair: PairStatus }) {
  return (
    <Stack gap="lg">
      {pair.enabled ? null : (
        <Alert color="gray" icon={<IconPlayerPause aria-hidden />} title={texts.overview.offTitle}>
          {texts.overview.offText}
        </Alert>
      )}
      <Features pair={pair} />
      <NotSynced pair={pair} />
      <NotInLibrary pair={pair} />
      <Plans pairId={pair.id} />
      <PluginPanels slot="pair" context={{ pair_id: pair.id }} />
    </Stack>
  )
}

function Features({ pair }: { readonly pair: PairStatus }) {
  const nameOf = useFeatureNames()
  const { data } = useRead(['held'], 'GET /api/held')
  const held = data?.held.filter((one) => one.pair_id === pair.id) ?? []
  const { overview } = texts
  return (
    <section aria-label={overview.features}>
      <Title order={2} size="h4" mb="xs">
        {overview.features}
      </Title>
      {pair.features.length === 0 ? (
        <FeatureBadges pair={pair} />
      ) : (
        <Stack gap="xs">
          {pair.features.map((one) => {
            const waiting = held.filter(({ feature }) => feature === one.feature)
            const heldCount = waiting.reduce((sum, { count: n }) => sum + n, 0)
            const planId = waiting.find(({ plan_id: id }) => id !== null)?.plan_id
            return (
              <Paper key={one.feature} withBorder p="sm">
                <Group justify="space-between" gap="xs">
                  <Group gap="xs">
                    <Text fw={500}>{nameOf(one.feature)}</Text>
                    <SyncBadge status={one.sync_status} />
                  </Group>
                  <Group gap="xs">
                    <Text size="sm" c="dimmed">
                      {lastText(one)}
                    </Text>
                    {heldCount === 0 || planId == null ? null : (
                      <Button
                        component={Link}
                        href={`/plans/${encodeURIComponent(planId)}`}
                        size="compact-sm"
                        variant="light"
                        color="orange"
                      >
                        {say(overview.held, { n: heldCount })}
                      </Button>
                    )}
                  </Group>
                </Group>
              </Paper>
            )
          })}
        </Stack>
      )}
      {pair.last_run_id === null ? null : (
        <Text size="sm" mt="xs">
          <Anchor component={Link} href={`/runs/${encodeURIComponent(pair.last_run_id)}`} inherit underline="always">
            {overview.seeRun}
          </Anchor>
        </Text>
      )}
    </section>
  )
}

function lastText({ status, reason_text: given, applied }: FeatureStatus): string {
  const why = serviceText(given)
  const { overview } = texts
  if (status === null) return overview.neverRun
  const done =
    applied > 0
      ? say(overview.applied, { n: applied })
      : status === 'nothing_to_do' || status === 'ok'
        ? overview.noChanges
        : null
  return [why, done].filter((one) => one !== null).join(' ')
}

type PlanHeader = Answer<'GET /api/plans'>['plans'][number]

function Plans({ pairId }: { readonly pairId: string }) {
  const query = useRead(['plans', 'of-pair'], 'GET /api/plans', { query: { pair_id: pairId, limit: SHOWN_PLANS } })
  const { overview } = texts
  return (
    <section aria-label={overview.plans}>
      <Title order={2} size="h4" mb="xs">
        {overview.plans}
      </Title>
      <QueryView
        query={query}
        isEmpty={({ plans }) => plans.length === 0}
        empty={<EmptyState icon={IconFileSearch} title={overview.noPlans} text={overview.noPlansText} />}
      >
        {({ plans }) => (
          <Stack gap="xs">
            {plans.map((plan) => (
              <PlanLine key={plan.plan_id} plan={plan} />
            ))}
          </Stack>
        )}
      </QueryView>
    </section>
  )
}

function PlanLine({ plan }: { readonly plan: PlanHeader }) {
  const nameOf = useFeatureNames()
  const { a, b } = plan.sides
  const { overview } = texts
  const parts = (['add', 'update', 'remove', 'held'] as const).flatMap((field) =>
    a[field] + b[field] > 0 ? [say(overview.planLine[field], { n: a[field] + b[field] })] : [],
  )
  const feature = nameOf(plan.feature)
  return (
    <Paper withBorder p="sm">
      <Group justify="space-between" gap="xs">
        <Group gap="xs">
          <Anchor
            component={Link}
            href={`/plans/${encodeURIComponent(plan.plan_id)}`}
            fw={500}
            aria-label={say(overview.openPlan, { feature, when: relativeTime(Date.parse(plan.created_at)) })}
          >
            {feature}
          </Anchor>
          <Text size="sm">{parts.length === 0 ? overview.nothing : parts.join(' · ')}</Text>
        </Group>
        <Text size="sm" c="dimmed">
          {plan.dry_run ? overview.planKinds.dry : overview.planKinds.real} · <TimeText at={plan.created_at} />
        </Text>
      </Group>
    </Paper>
  )
}

/** Renders nothing for a pair that is synced. */
function NotSynced({ pair }: { readonly pair: PairStatus }) {
  const open = openOfPair(pair)
  return open === 0 ? null : <ProblemLink of={{ pair: pair.id }} count={open} />
}
