// The report of a run for one pair, one row per feature.
import { serviceText } from '../../texts/service-text.ts'
import { Anchor, Group, Paper, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import { Link } from 'wouter'
import { featureName, useNames } from '../../parts/values/names.ts'
import { RunBadge } from '../../parts/runs/run-badge.tsx'
import { changesText } from '../../parts/runs/run-text.ts'
import { runs } from '../../texts/en/runs.ts'
import { say } from '../../texts/say.ts'
import type { FeatureReport, RunDetail } from './status.ts'
import { ServiceMark } from '../../parts/values/service-mark.tsx'

const { one } = runs

export function PairReport({ pair, isDry }: { readonly pair: RunDetail['pairs'][number]; readonly isDry: boolean }) {
  const names = useNames()
  return (
    <Paper withBorder component="section" p="md">
      <Group justify="space-between" mb="sm" gap="xs">
        <Title order={2} size="h4">
          {pair.account !== null ? (
            names.account(pair.account.provider, pair.account.instance)
          ) : pair.pair_name === null ? (
            runs.gonePair
          ) : (
            <Anchor component={Link} href={`/pairs/${pair.pair_id}`} inherit c="inherit">
              {pair.pair_name || runs.noName}
            </Anchor>
          )}
        </Title>
        <RunBadge run={pair} />
      </Group>
      {pair.features.length === 0 ? (
        <Text size="sm" c="dimmed">
          {one.noFeatures}
        </Text>
      ) : null}
      <Stack gap="xs">
        {pair.features.map((feature) => (
          <Feature key={feature.feature} report={feature} isDry={isDry} />
        ))}
      </Stack>
    </Paper>
  )
}

function Feature({ report, isDry }: { readonly report: FeatureReport; readonly isDry: boolean }) {
  const names = useNames()
  const { sides, read } = report
  return (
    <Paper p="sm" bg="var(--inset)" role="group" aria-label={featureName(report.feature)}>
      <Group justify="space-between" gap="xs">
        <Group gap="sm">
          <Text fw={600}>{featureName(report.feature)}</Text>
          <RunBadge run={report} />
        </Group>
        {report.plan_id === null ? null : (
          <Anchor
            component={Link}
            href={`/plans/${report.plan_id}`}
            size="sm"
            aria-label={say(one.seePlanOf, { feature: featureName(report.feature) })}
          >
            {one.seePlan}
          </Anchor>
        )}
      </Group>
      {report.status === 'nothing_to_do' || report.reason_text === null ? null : (
        <Text size="sm" mt="2xs">
          {serviceText(report.reason_text)}
        </Text>
      )}
      {sides === null ? null : (
        <SimpleGrid cols={{ base: 1, sm: 2 }} mt="xs" spacing="md" verticalSpacing="xs">
          {(['a', 'b'] as const).map((side) => (
            <div key={side}>
              <Text size="sm">
                <ServiceMark provider={sides[side].provider} size={16} />{' '}
                {names.account(sides[side].provider, sides[side].instance)}
                <Text span c="dimmed" inherit>
                  {read[side] === null ? '' : ` · ${say(runs.items.total, { n: read[side] })}`}
                </Text>
              </Text>
              <Text size="sm" c="dimmed">
                {isDry || report.done === null ? plannedText(sides[side]) : changesText(report.done[side])}
              </Text>
            </div>
          ))}
        </SimpleGrid>
      )}
      {report.held > 0 && report.plan_id !== null ? (
        <Text size="sm" mt="xs">
          {say(one.heldHere, { n: report.held })}.{' '}
          <Anchor component={Link} href={`/plans/${report.plan_id}`} inherit underline="always">
            {one.approve}
          </Anchor>
        </Text>
      ) : null}
    </Paper>
  )
}

function plannedText(side: NonNullable<FeatureReport['sides']>['a']): string {
  const parts = (['add', 'update', 'remove', 'held'] as const).flatMap((field) =>
    side[field] > 0 ? [say(one.planned[field], { n: side[field] })] : [],
  )
  return parts.length === 0 ? runs.counts.none : parts.join(', ')
}
